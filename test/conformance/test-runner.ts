// Operations on the object `testRunner`: fail points, assertions about sessions, collections and indexes.
import type { ClientSession, MongoClient } from 'mongodb';
import type { Entities } from './entities.js';
import { type Json, type Operation, object } from './format.js';
import { Matcher } from './match.js';

export interface RunnerContext {
  entities: Entities;
  /** A client of the runner's own, seen by no test. */
  internal: MongoClient;
  /** Fail points to switch off after the test. */
  failPoints: Set<string>;
  /** Runs nested operations (loops, callbacks). */
  run(operations: Operation[]): Promise<void>;
}

function must(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(sentence);
}

function lastTwoLsids({ entities }: RunnerContext, args: Json): unknown[] {
  const started = entities.client(String(args.client)).started.slice(-2);
  must(started.length === 2, 'expected at least two commands');
  return started.map((command) => command.lsid);
}

function sameLsid(context: RunnerContext, args: Json): boolean {
  const [first, second] = lastTwoLsids(context, args);
  try {
    new Matcher(context.entities.get).match(first, second, 'lsid', false);
    return true;
  } catch {
    return false;
  }
}

function sessionOf({ entities }: RunnerContext, args: Json): ClientSession {
  return entities.get(String(args.session)) as ClientSession;
}

const STATES: Record<string, string> = {
  NO_TRANSACTION: 'none',
  STARTING_TRANSACTION: 'starting',
  TRANSACTION_IN_PROGRESS: 'in_progress',
  TRANSACTION_COMMITTED: 'committed',
  TRANSACTION_COMMITTED_EMPTY: 'committed',
  TRANSACTION_ABORTED: 'aborted',
};

async function collectionExists({ internal }: RunnerContext, args: Json): Promise<boolean> {
  const found = await internal.db(String(args.databaseName)).listCollections({ name: args.collectionName }).toArray();
  return found.length === 1;
}

async function indexExists({ internal }: RunnerContext, args: Json): Promise<boolean> {
  const collection = internal.db(String(args.databaseName)).collection(String(args.collectionName));
  const indexes = await collection
    .listIndexes()
    .toArray()
    .catch(() => []);
  return indexes.some((index) => index.name === args.indexName);
}

type Run = (context: RunnerContext, args: Json) => Promise<void> | void;

export const TEST_RUNNER: Record<string, Run> = {
  assertCollectionExists: async (c, a) =>
    must(await collectionExists(c, a), `collection ${a.collectionName} should exist`),
  assertCollectionNotExists: async (c, a) =>
    must(!(await collectionExists(c, a)), `collection ${a.collectionName} should not exist`),
  assertDifferentLsidOnLastTwoCommands: (c, a) =>
    must(!sameLsid(c, a), 'the last two commands should have different lsids'),
  assertIndexExists: async (c, a) => must(await indexExists(c, a), `index ${a.indexName} should exist`),
  assertIndexNotExists: async (c, a) => must(!(await indexExists(c, a)), `index ${a.indexName} should not exist`),
  assertSameLsidOnLastTwoCommands: (c, a) => must(sameLsid(c, a), 'the last two commands should have the same lsid'),
  assertSessionDirty: (c, a) => must(sessionOf(c, a).serverSession.isDirty, 'the session should be dirty'),
  assertSessionNotDirty: (c, a) => must(!sessionOf(c, a).serverSession.isDirty, 'the session should not be dirty'),
  assertSessionTransactionState: (c, a) => {
    // The driver keeps the transaction's state off its public types; the format asks for it.
    const { state } = (sessionOf(c, a) as unknown as { transaction: { state: string } }).transaction;
    must(STATES[state] === a.state, `expected transaction state ${a.state}, got ${state}`);
  },
  createEntities: ({ entities }, a) => entities.create(a.entities as Json[]),
  failPoint: async (c, a) => {
    const command = object(a.failPoint, 'failPoint');
    c.failPoints.add(String(command.configureFailPoint));
    const { client } = c.entities.client(String(a.client));
    await client.db('admin').command(command);
  },
  wait: async (_c, a) => new Promise((resolve) => setTimeout(resolve, Number(a.ms))),
};
