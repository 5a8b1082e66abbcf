// From clients that ask for the stable API strictly, the engine accepts what a MongoDB server accepts, according to the server's sources.
import type { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATORS } from '../../../src/engine/expressions/operators.js';
import { refusedStages, stageTable } from '../../../src/engine/aggregate/stage-table.js';
import {
  UNSTABLE_ANYWHERE,
  UNSTABLE_CHANGE_STREAM_OPTIONS,
  UNSTABLE_FIELDS,
  UNSTABLE_IN_STATEMENTS,
} from '../../../src/engine/commands/api.js';
import { fieldsOf } from '../../../src/engine/commands/fields.js';
import { COMMANDS } from '../../../src/engine/commands/table.js';
import { serverFacts } from '../../support/sent-commands/server-facts.js';
import { startTestEngine, type TestEngine } from '../support.js';

/**
 * The facts are from 5.0 before its release, and from single newer files. What they lack is listed here, with the
 * reason.
 */
const NEWER = {
  /** Added to version 1 after 5.0. */
  expressions:
    '$bitAnd $bitNot $bitOr $bitXor $firstN $lastN $maxN $median $minN $percentile $sortArray $tsIncrement $tsSecond',
  /** Added to version 1 in 7.0. */
  stages: '$changeStreamSplitLargeEvent',
  /**
   * Options of newer servers, which the engine refuses from every client, and `capped`, which the release of 5.0
   * removed from version 1.
   */
  fields:
    'connectionStatus.showPrivileges create.capped create.changeStreamPreAndPostImages create.encryptedFields create.expireAfterSeconds',
  /** Fields that a server accepts from mongosh, and from members of its own replica set. */
  anywhere: 'help mayBypassWriteBlocking',
};
const newer = (kind: keyof typeof NEWER): ReadonlySet<string> => new Set(NEWER[kind].split(' '));

describe.skipIf(!serverFacts)('By the facts (skipped where ../shared/data/mongodb-api is absent)', () => {
  const facts = serverFacts as NonNullable<typeof serverFacts>;
  const stableCommands = COMMANDS.filter(({ stable }) => stable === true);

  it('the commands of API version 1 are those of MongoDB', () => {
    expect(stableCommands.map(({ name }) => name).filter((name) => !(name in facts.commands))).toEqual([]);
    const names = COMMANDS.map(({ name }) => name).filter((name) => name in facts.commands);
    expect(names).toEqual(stableCommands.map(({ name }) => name));
  });

  it.each(stableCommands.filter(({ anyFields }) => !anyFields).map((command) => [command.name, command] as const))(
    'strict clients have the fields of %s that are in API version 1',
    (name, command) => {
      const unstable = new Set([...(UNSTABLE_FIELDS[name] ?? []), ...UNSTABLE_ANYWHERE]);
      const own = facts.commands[name]?.fields ?? {};
      for (const field of fieldsOf(command)) {
        if (field === name || command.aliases?.includes(field)) continue;
        if (newer('fields').has(`${name}.${field}`) || newer('anywhere').has(field)) continue;
        const isStable = own[field] === 'stable' || facts.genericArguments.stable.includes(field);
        expect([field, !unstable.has(field)]).toEqual([field, isStable]);
      }
    },
  );

  it('statements and change streams have the fields that are in API version 1', () => {
    for (const [list, fields] of Object.entries(UNSTABLE_IN_STATEMENTS)) {
      const known = facts.statementFields[`${list}[]` as keyof typeof facts.statementFields];
      const unstable = Object.keys(known).filter((field) => known[field]?.startsWith('unstable'));
      // The engine refuses unknown fields from every client.
      for (const field of fields) expect(unstable).toContain(field);
      expect(unstable.filter((field) => !fields.includes(field))).toEqual(
        list === 'indexes' ? ['dropDups', 'columnstoreProjection'] : [],
      );
    }
    for (const option of UNSTABLE_CHANGE_STREAM_OPTIONS) expect(facts.changeStreamOptionsNotInApi1).toContain(option);
  });

  it('the stages and expressions are those in API version 1', () => {
    for (const { name, stable } of [...stageTable, ...refusedStages]) {
      if (!newer('stages').has(name))
        expect([name, stable]).toEqual([name, facts.stages[name]?.startsWith('Always') === true]);
    }
    const unknown = Object.keys(OPERATORS).filter((name) => !facts.expressions.includes(name));
    expect(unknown.filter((name) => !newer('expressions').has(name))).toEqual([]);
  });
});

describe('Strict clients', () => {
  let at: TestEngine;
  let strict: MongoClient;
  beforeAll(async () => {
    at = await startTestEngine();
    strict = await at.connect({ serverApi: { version: '1', strict: true } });
  });
  afterAll(() => at.close());

  it.each<[string, object]>([
    ['a sparse index', { createIndexes: 'rows', indexes: [{ key: { a: 1 }, name: 'a', sparse: true }] }],
    [
      'an index in the background',
      { createIndexes: 'rows', indexes: [{ key: { a: 1 }, name: 'a', background: true }] },
    ],
    [
      'an update of the first by an order',
      { update: 'rows', updates: [{ q: {}, u: { $set: { a: 1 } }, sort: { a: 1 } }] },
    ],
    ['fields of a count', { count: 'rows', query: {}, fields: { a: 1 } }],
    ['connectionStatus', { connectionStatus: 1 }],
    ['expanded events', { aggregate: 'rows', pipeline: [{ $changeStream: { showExpandedEvents: true } }], cursor: {} }],
  ])('strict clients are refused %s', async (_, command) => {
    await expect(strict.db('test').command(command)).rejects.toMatchObject({ code: 323 });
  });

  it('clients that are not strict are not refused', async () => {
    const indexes = [{ key: { a: 1 }, name: 'a', sparse: true }];
    expect(await at.db.command({ createIndexes: 'rows', indexes })).toMatchObject({ ok: 1 });
  });
});
