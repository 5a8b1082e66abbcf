// The rules that check each command of the test suite (test/support/commands.setup.ts): what a MongoDB server refuses is refused here, too.
import { readFileSync } from 'node:fs';
import mongoose from 'mongoose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { registerModels } from '../../src/compose/domains.js';
import { updateInPieces } from '../../src/store/pieces.js';
import { openDatabase } from '../support/database.js';
import { apiFaults } from '../support/sent-commands/api-rules.js';
import { IMPLIES_EXISTS } from '../support/sent-commands/implied.js';
import { hasIndex, type Index } from '../support/sent-commands/index-rules.js';
import { judgeOfProcess, RECORDS } from '../support/sent-commands/judge.js';
import { readsOf } from '../support/sent-commands/reads.js';
import { serverFacts } from '../support/sent-commands/server-facts.js';
import { sketchOf } from '../support/sent-commands/sketch.js';
import { lineOf, TABLE, Table } from '../support/sent-commands/table.js';
import { transactionFaults } from '../support/sent-commands/transaction-rules.js';
import type { Doc } from '../support/sent-commands/values.js';

const STRICT = { apiVersion: '1', apiStrict: true, $db: 'network' };
const aggregate = (...pipeline: Doc[]): Doc => ({ aggregate: 'events', pipeline, cursor: {}, ...STRICT });
const find = (filter: Doc, more: Doc = {}): Doc => ({ find: 'events', filter, ...more, ...STRICT });
const update = (u: unknown, more: Doc = {}): Doc => ({
  update: 'events',
  updates: [{ q: { _id: 1 }, u, ...more }],
  ...STRICT,
});
const index = (more: Doc): Doc => ({
  createIndexes: 'events',
  indexes: [{ key: { a: 1 }, name: 'a', ...more }],
  ...STRICT,
});

describe.skipIf(!serverFacts)('Rules of a server (skipped where ../shared/data/mongodb-api is absent)', () => {
  const facts = serverFacts as NonNullable<typeof serverFacts>;

  it.each<[string, Doc]>([
    ['distinct', { distinct: 'events', key: 'a', ...STRICT }],
    ['find.tailable', find({}, { tailable: true })],
    ['find.nonsense', find({}, { nonsense: 1 })],
    ['updates[].sort', update({ $set: { a: 1 } }, { sort: { a: 1 } })],
    ['indexes[].sparse', index({ sparse: true })],
    ['stage $indexStats', aggregate({ $indexStats: {} })],
    [
      'stage $planCacheStats',
      aggregate({ $lookup: { from: 'holders', as: 'a', pipeline: [{ $planCacheStats: {} }] } }),
    ],
    ['stage $search', aggregate({ $facet: { a: [{ $search: {} }] } })],
    ['$collStats', aggregate({ $collStats: { storageStats: {} } })],
    ['$changeStream.showExpandedEvents', aggregate({ $changeStream: { showExpandedEvents: true } })],
    ['expression $median', aggregate({ $project: { a: { $cond: [true, { $median: {} }, 1] } } })],
    ['expression $sigmoid', find({ $expr: { $sigmoid: 1 } })],
    ['accumulator $firstN', aggregate({ $group: { _id: 1, a: { $firstN: {} } } })],
    ['match operator $near2', find({ $or: [{ a: { $not: { $near2: 1 } } }] })],
    ['match operator $text2', find({ a: { $elemMatch: { b: { $text2: 1 } } } })],
    ['modifier $pushAll', update({ $pushAll: { a: [1] } })],
    ['update stage $match', update([{ $match: {} }])],
    ['regular expression', find({ a: new RegExp('a'.repeat(32_765)) })],
    ['$exists: false', index({ partialFilterExpression: { a: { $exists: false } } })],
    ['a regular expression', index({ partialFilterExpression: { $and: [{ a: /a/ }] } })],
    ['33 fields', index({ key: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, 1])) })],
  ])('API version 1 has no %s', (what, command) => {
    expect(apiFaults(facts, command).join()).toContain(what);
  });

  it.each<[string, Doc]>([
    [
      'stages, operators and literals',
      aggregate({ $match: { a: { $gt: 1 } } }, { $set: { b: { $literal: { $no: 1 } } } }),
    ],
    ['values that look like operators nowhere', find({ a: { b: 1 }, c: { $in: ['$no'] } })],
    [
      'updates by operators and by stages',
      update({ $pull: { a: { $in: [1] } }, $push: { b: { $each: [1], $slice: 2 } } }),
    ],
    ['its pipelines', update([{ $set: { a: { $ifNull: ['$a', 1] } } }])],
    ['counts of statistics', aggregate({ $collStats: { count: {} } })],
    ['indexes of some rows', index({ unique: true, partialFilterExpression: { a: { $exists: true } } })],
    ['whatever the driver greets with', { hello: 1, backpressure: 2, ...STRICT }],
  ])('API version 1 has %s', (_, command) => expect(apiFaults(facts, command)).toEqual([]));

  const within = { lsid: {}, txnNumber: 1, autocommit: false };
  it.each<[string, Doc]>([
    ['the command count', { count: 'events', query: {}, ...within, ...STRICT }],
    ['the command listCollections', { listCollections: 1, ...within, ...STRICT }],
    ['begins with killCursors', { killCursors: 'events', cursors: [], startTransaction: true, ...within, ...STRICT }],
    ['read concern', find({ _id: 1 }, { readConcern: { level: 'snapshot' }, ...within })],
    ['linearizable', find({ _id: 1 }, { readConcern: { level: 'linearizable' }, startTransaction: true, ...within })],
    ['write concern', update({ $set: { a: 1 } }, {}) && { ...update([]), writeConcern: { w: 'majority' }, ...within }],
    ['stage $changeStream', { ...aggregate({ $changeStream: {} }), ...within }],
    ['stage $merge', { ...aggregate({ $merge: { into: 'a' } }), ...within }],
    ['database admin', { ...find({ _id: 1 }), ...within, $db: 'admin' }],
    [
      'needs the read concern local',
      { create: 'a', startTransaction: true, readConcern: { level: 'majority' }, ...within },
    ],
  ])('no transaction may contain: %s', (what, command) => {
    expect(transactionFaults(facts, command).join()).toContain(what);
  });

  it.each<[string, Doc]>([
    [
      'its first statement',
      find({ _id: 1 }, { readConcern: { level: 'snapshot' }, startTransaction: true, ...within }),
    ],
    ['its commit', { commitTransaction: 1, writeConcern: { w: 'majority' }, ...within, ...STRICT, $db: 'admin' }],
    ['writes of many', { ...update({ $set: { a: 1 } }, { multi: true }), ...within }],
  ])('a transaction may contain %s', (_, command) => expect(transactionFaults(facts, command)).toEqual([]));

  it('a retryable write changes one document, and each write is acknowledged', () => {
    const many = { ...update({ $set: { a: 1 } }, { multi: true }), txnNumber: 1 };
    const deletes = { delete: 'events', deletes: [{ q: {}, limit: 0 }], txnNumber: 1 };
    for (const command of [many, deletes])
      expect(transactionFaults(facts, command)).toEqual([expect.stringMatching(/many/)]);
    expect(transactionFaults(facts, { ...many, txnNumber: undefined })).toEqual([]);
    expect(transactionFaults(facts, { ...many, writeConcern: { w: 0 } })).toEqual([expect.stringMatching(/acknowl/)]);
  });

  it('filters that imply that a field exists are those of the server’s sources', () => {
    expect(Object.keys(IMPLIES_EXISTS)).toEqual(facts.existsTrueIsImpliedBy);
  });

  it('the models’ indexes are like those that a server builds', () => {
    const models = registerModelsOf();
    for (const { collection, schema } of models) {
      const indexes = schema
        .indexes()
        .map(([key, { background: _, ...options }]) => ({ key, name: 'any', ...options }));
      expect(apiFaults(facts, { createIndexes: collection.name, indexes })).toEqual([]);
      expect(indexes.length).toBeLessThan(facts.limits.indexesPerCollection);
    }
  });
});

function registerModelsOf() {
  const connection = mongoose.createConnection();
  registerModels(connection);
  return Object.values(connection.models);
}

describe('A read has an index to begin at', () => {
  const INDEXES: Index[] = [
    { fields: ['partnerId', 'at'] },
    { fields: ['seq'], partialFilter: { seq: { $exists: true } } },
    { fields: ['pending', 'at'], partialFilter: { pending: true } },
    { fields: ['popularity', '_id'], partialFilter: { live: true } },
    { fields: ['attempts.hash'] },
  ];
  const isIndexed = (command: Doc): boolean => readsOf(command).every((read) => hasIndex(read, INDEXES));

  it.each<[string, Doc]>([
    ['by _id', find({ _id: { $in: [1] }, other: 1 })],
    ['by its first field', find({ partnerId: 'a', other: 1 })],
    ['by null', find({ partnerId: null })],
    ['by the beginning of a text', find({ partnerId: /^a/ })],
    ['of the rows with a field, by a value', find({ seq: { $gt: 5 } })],
    ['of the rows that wait', find({ pending: true })],
    ['by a part of an $and', find({ $and: [{ other: 1 }, { partnerId: 'a' }] })],
    ['by every branch of an $or', find({ live: true, $or: [{ popularity: { $lt: 5 } }, { popularity: 5, _id: 1 }] })],
    ['by an element', find({ attempts: { $elemMatch: { hash: 'a' } } })],
    ['in its order, up to a limit', find({ live: true }, { sort: { popularity: 1 }, limit: 5 })],
    ['in no order, up to a limit', find({}, { limit: 1 })],
    ['of a pipeline', aggregate({ $match: { other: 1 } }, { $match: { partnerId: 'a' } }, { $group: { _id: 1 } })],
    [
      'of a join',
      aggregate(
        { $match: { _id: 1 } },
        { $lookup: { from: 'a', localField: 'b', foreignField: 'partnerId', as: 'c' } },
      ),
    ],
  ])('%s', (_, command) => expect(isIndexed(command)).toBe(true));

  it.each<[string, Doc]>([
    ['by another field', find({ other: 1 })],
    ['by its second field', find({ at: 1 })],
    ['by a condition that excludes', find({ partnerId: { $ne: 'a' } })],
    ['by a text inside of another', find({ partnerId: /a/ })],
    ['of the rows with a field, by null', find({ seq: null })],
    ['of the rows with a field, by an $in with null', find({ seq: { $in: [1, null] } })],
    ['of rows that the index may not have', find({ popularity: 5 })],
    ['of rows that it has not', find({ popularity: 5, live: false })],
    ['of the rows that do not wait', find({ pending: false })],
    ['by one branch of an $or', find({ $or: [{ partnerId: 'a' }, { other: 1 }] })],
    ['in its order without a limit', find({ live: true }, { sort: { popularity: 1 } })],
    ['in its order, passing over rows', find({ live: true, other: 1 }, { sort: { popularity: 1 }, limit: 5 })],
    ['in another order', find({}, { sort: { other: 1 }, limit: 5 })],
    ['of all', find({})],
    [
      'of one of several statements',
      {
        delete: 'a',
        deletes: [
          { q: { _id: 1 }, limit: 1 },
          { q: { b: 1 }, limit: 0 },
        ],
      },
    ],
    ['of a pipeline that filters too late', aggregate({ $unwind: '$a' }, { $match: { partnerId: 'a' } })],
    [
      'of a join',
      aggregate({ $match: { _id: 1 } }, { $lookup: { from: 'a', localField: 'b', foreignField: 'other', as: 'c' } }),
    ],
  ])('a read has no index to begin at: %s', (_, command) => expect(isIndexed(command)).toBe(false));
});

describe('The table of sent commands', () => {
  it('a row of sent commands allows its members in any combination, and nothing else', () => {
    const table = new Table(['find: filter limit sort | $gt $in']);
    expect(table.lacks(lineOf(find({ c: { $gt: 1 } }, { limit: 9, maxTimeMS: 5, txnNumber: 1 })))).toBeUndefined();
    expect(table.lacks(lineOf(find({ a: { $nin: [1] } })))).toContain('$nin');
    expect(table.lacks(lineOf(find({}, { hint: 'a' })))).toContain('hint');
    expect(table.lacks(lineOf({ find: 'holders', filter: { _id: { $gt: 1 } } }))).toBeUndefined();
    expect(table.lacks(lineOf({ insert: 'holders', documents: [] }))).toContain('no row `insert`');
    expect(table.lacks(lineOf({ getMore: 1, collection: 'holders' }))).toBeUndefined();
  });

  it('the table of sent commands is sorted, with one row for each command', () => {
    expect(readFileSync(TABLE, 'utf8')).toBe(Table.read().text());
  });

  it('commands with one sketch are equal where the rules treat them as equal', () => {
    expect(sketchOf(find({ a: { $in: ['the one id', 'another id'] } }))).toBe(
      sketchOf(find({ a: { $in: ['another id', 'the one id', 'the one id'] } })),
    );
    const different = [
      find({ a: null }),
      find({ a: 1 }),
      find({ a: /^a/ }),
      find({ a: /a/ }),
      find({ a: 'pending' }),
      find({ b: 1 }),
    ];
    expect(new Set(different.map(sketchOf)).size).toBe(different.length);
  });
});

it.skipIf(RECORDS)('A command of the gateway that breaks a rule is reported once; those of tests are not', async () => {
  const judge = judgeOfProcess();
  const schema = new mongoose.Schema({ expireAt: Date, retentionMs: Number });
  const database = await openDatabase((connection) => connection.model('unlisted', schema, 'unlisted'));
  onTestFinished(() => database.close());
  const model = database.connection.models.unlisted as mongoose.Model<unknown>;
  const odd = { retentionMs: { $mod: [2, 1] } };
  const before = judge.count;
  await model.updateMany(odd, { $set: { retentionMs: 2 } });
  expect(judge.count).toBeGreaterThan(before);
  expect(judge.takeFaults().filter((fault) => fault.includes('retentionMs'))).toEqual([]);
  for (let n = 0; n < 2; n++) await updateInPieces(model, odd, { $set: { retentionMs: 2 } });
  const faults = judge.takeFaults().filter((fault) => fault.includes('retentionMs'));
  expect(faults.length).toBeGreaterThan(0);
  expect(new Set(faults).size).toBe(faults.length);
  for (const fault of faults)
    expect(fault).toMatch(/sent by .*src\/store\/pieces.ts: .*sent-commands.txt has `\$mod` in its row `update`/);
});
