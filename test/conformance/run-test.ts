// Runs one test: data, entities, operations, events, outcome, and cleans up whatever happened.
import type { MongoClient } from 'mongodb';
import { withoutDriverAdditions } from './driver-additions.js';
import { Entities, type Observed } from './entities.js';
import { checkError } from './errors.js';
import {
  type CollectionData,
  type EventList,
  type Json,
  type Operation,
  object,
  type TestCase,
  type TestFile,
} from './format.js';
import { Matcher } from './match.js';
import { runOnEntity } from './operations.js';
import { type RunnerContext, TEST_RUNNER } from './test-runner.js';

async function loadData(internal: MongoClient, data: CollectionData[]): Promise<void> {
  for (const { databaseName, collectionName, documents } of data) {
    const database = internal.db(databaseName, { writeConcern: { w: 'majority' } });
    await database
      .collection(collectionName)
      .drop()
      .catch(() => {});
    if (documents.length > 0) await database.collection(collectionName).insertMany(structuredClone(documents));
    else await database.createCollection(collectionName);
  }
}

class TestRun {
  readonly #matcher: Matcher;
  readonly #context: RunnerContext;

  constructor(
    readonly entities: Entities,
    readonly internal: MongoClient,
  ) {
    this.#matcher = new Matcher(entities.get);
    this.#context = { entities, internal, failPoints: new Set(), run: (operations) => this.operations(operations) };
  }

  /** Runs operations in order; inside a transaction's callback errors, expected or ignored, are thrown on to the driver. */
  async operations(operations: Operation[], inCallback = false): Promise<void> {
    for (const operation of operations) await this.#operation(operation, inCallback);
  }

  async #operation(operation: Operation, inCallback: boolean): Promise<void> {
    const outcome = await this.#perform(operation).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (inCallback && 'error' in outcome && !operation.expectError) throw outcome.error;
    if (operation.ignoreResultAndError) return;
    if (operation.expectError) {
      if (!('error' in outcome)) throw new Error(`${operation.name}: expected an error, got a result`);
      checkError(operation.expectError, outcome.error, this.#matcher);
      if (inCallback) throw outcome.error;
      return;
    }
    if ('error' in outcome) throw outcome.error;
    if (operation.expectResult !== undefined)
      this.#matcher.match(operation.expectResult, outcome.value, operation.name);
    if (operation.saveResultAsEntity) this.entities.set(operation.saveResultAsEntity, outcome.value);
  }

  async #perform(operation: Operation): Promise<unknown> {
    const args = operation.arguments ?? {};
    if (operation.object === 'testRunner') {
      const run = TEST_RUNNER[operation.name];
      if (!run) throw new Error(`the runner does not know testRunner.${operation.name}`);
      return run(this.#context, args);
    }
    const target = object(this.entities.get(operation.object), operation.object);
    if (operation.name === 'withTransaction') return this.#withTransaction(target, args);
    return runOnEntity(operation.name, target, args, this.entities);
  }

  async #withTransaction(target: object, args: Json): Promise<unknown> {
    const session = target as { withTransaction(work: () => Promise<void>, options: Json): Promise<unknown> };
    const { callback, ...options } = args;
    return session.withTransaction(() => this.operations(callback as Operation[], true), options);
  }

  events(lists: EventList[]): void {
    for (const { client, eventType = 'command', events, ignoreExtraEvents } of lists) {
      const observed = this.entities.client(client);
      const seen = eventType === 'cmap' ? observed.pool : observed.commands;
      if (seen.length < events.length || (!ignoreExtraEvents && seen.length > events.length)) {
        throw new Error(
          `${client}: expected ${events.length} events, saw ${seen.length}: ${seen.map(describe).join(', ')}`,
        );
      }
      for (const [index, expected] of events.entries()) {
        this.#event(expected, seen[index] as Observed, `${client} event ${index}`);
      }
    }
  }

  #event(expected: Json, seen: Observed, path: string): void {
    const [kind, fields] = Object.entries(expected)[0] ?? ['nothing', {}];
    if (kind !== seen.kind) throw new Error(`${path}: expected ${kind}, saw ${describe(seen)}`);
    for (const [name, value] of Object.entries(object(fields, path))) {
      const root = name === 'command' || name === 'reply';
      const sent = seen.fields[name];
      const actual = name === 'command' ? withoutDriverAdditions(object(value, path), object(sent, path)) : sent;
      this.#matcher.match(value, actual, `${path} ${name}`, root);
    }
  }

  async outcome(data: CollectionData[]): Promise<void> {
    for (const { databaseName, collectionName, documents } of data) {
      const found = await this.internal
        .db(databaseName)
        .collection(collectionName)
        .find({}, { sort: { _id: 1 } })
        .toArray();
      this.#matcher.match(documents, found, `outcome ${collectionName}`, false);
    }
  }

  async close(): Promise<void> {
    for (const configureFailPoint of this.#context.failPoints) {
      await this.internal
        .db('admin')
        .command({ configureFailPoint, mode: 'off' })
        .catch(() => {});
    }
    await this.entities.close();
  }
}

function describe(event: Observed): string {
  return `${event.kind}(${String(event.fields.commandName ?? '')})`;
}

/** Runs one test against a server; resolves when it passed, throws with the first difference when not. */
export async function runTest(file: TestFile, test: TestCase, uri: string, internal: MongoClient): Promise<void> {
  const run = new TestRun(new Entities(uri), internal);
  // The format asks for it: a transaction left open by the test before would block this one.
  await internal
    .db('admin')
    .command({ killAllSessions: [] })
    .catch(() => {});
  try {
    await loadData(internal, file.initialData ?? []);
    await run.entities.create(structuredClone(file.createEntities ?? []));
    await run.operations(test.operations);
    if (test.expectEvents) run.events(test.expectEvents);
    if (test.outcome) await run.outcome(test.outcome);
  } finally {
    await run.close();
  }
}
