// Documents that a transaction inserts are found through every index after the commit, whatever they are.
import { type Document, type MongoClient, MongoClient as Client } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/engine/maintenance/check.js';
import { type RunningEngine, serveEngine } from '../../../src/engine/server.js';
import { tempFolder } from '../support.js';

const live = { partialFilterExpression: { live: true } };
let folder: ReturnType<typeof tempFolder>;
let engine: RunningEngine;
let client: MongoClient;

beforeEach(async () => {
  folder = tempFolder();
  engine = await serveEngine({ dataDir: folder.path, port: 0, testCommands: true });
  client = await Client.connect(engine.uri);
  await rows().createIndexes([
    { key: { word: 1, _id: 1 } },
    { key: { size: -1, _id: 1 } },
    { key: { tags: 1 } },
    { key: { 'inner.at': 1 } },
    { key: { rare: 1 }, sparse: true },
    { key: { code: 1 }, unique: true },
    { key: { word: 1, size: 1 }, name: 'live word', ...live },
    { key: { size: 1 }, name: 'live size', ...live },
    { key: { size: 1, word: 1 }, name: 'large', partialFilterExpression: { size: { $gt: 50 } } },
  ]);
});
afterEach(async () => {
  await client.close();
  await engine.close();
  folder.remove();
});

interface Item extends Document {
  _id: number;
}
const rows = () => client.db('test').collection<Item>('rows');

/** Documents whose order in each index differs from that of their insertion, some with arrays and without fields. */
const items = (from: number, to: number): Item[] =>
  Array.from({ length: to - from }, (_, at) => from + at).map((_id) => ({
    _id,
    word: `w${(_id * 7_919) % 101}`,
    ...(_id % 5 === 0 ? {} : { size: (_id * 37) % 103 }),
    tags: _id % 3 === 0 ? ['a', `t${_id % 11}`] : `t${_id % 13}`,
    inner: _id % 7 === 0 ? [{ at: _id }, { at: -_id }] : { at: _id % 17 },
    ...(_id % 19 === 0 ? { rare: _id } : {}),
    code: `c${_id}`,
    live: _id % 4 !== 0,
  }));

const inTransaction = (work: (session: ReturnType<MongoClient['startSession']>) => Promise<unknown>) =>
  client.withSession((session) => session.withTransaction(() => work(session)));

/** Faults of the indexes, after the engine has stopped. */
async function faults(): Promise<string[]> {
  await client.close();
  await engine.close();
  return (await checkFolder(folder.path)).flatMap((report) => report.faults);
}

async function expectSameThroughIndexes(): Promise<void> {
  const find = (filter: Document, hint: Document | string) => rows().find(filter, { hint }).sort({ _id: 1 }).toArray();
  for (const [filter, hint] of [
    [{ word: { $gte: 'w2' } }, { word: 1, _id: 1 }],
    [{ size: { $lt: 40 } }, { size: -1, _id: 1 }],
    [{ tags: 'a' }, { tags: 1 }],
    [{ 'inner.at': { $gt: 3 } }, { 'inner.at': 1 }],
    [{ live: true, size: 20 }, 'live size'],
    [{ live: true, word: 'w7' }, 'live word'],
    [{ size: { $gt: 60 } }, 'large'],
  ] as const)
    expect(await find(filter, hint)).toEqual(await find(filter, { $natural: 1 }));
}

describe('after a transaction that inserts documents', () => {
  it('they are found through every index', async () => {
    await rows().insertMany(items(0, 40));
    await inTransaction((session) => rows().insertMany(items(40, 400), { session }));
    await expectSameThroughIndexes();
    expect(await faults()).toEqual([]);
  });

  it('those that it changes or removes again are in no index as they were', async () => {
    await inTransaction(async (session) => {
      await rows().insertMany(items(0, 60), { session });
      await rows().updateMany({ _id: { $lt: 20 } }, { $set: { word: 'changed', live: true, size: 99 } }, { session });
      await rows().deleteMany({ _id: { $gte: 50 } }, { session });
      await rows().insertOne({ _id: 55, word: 'again', code: 'c55' }, { session });
    });
    await expectSameThroughIndexes();
    expect(await rows().countDocuments({ word: 'changed' })).toBe(20);
    expect(await faults()).toEqual([]);
  });

  it('values that are too long for ordered keys are sorted nevertheless', async () => {
    const long = 'x'.repeat(3_000);
    await inTransaction((session) =>
      rows().insertMany(
        [9, 3, 7].map((_id) => ({ _id, word: `${long}${_id}`, code: _id })),
        { session },
      ),
    );
    const sorted = await rows()
      .find({}, { hint: { word: 1, _id: 1 } })
      .sort({ word: 1, _id: 1 })
      .toArray();
    expect(sorted.map(({ _id }) => _id)).toEqual([3, 7, 9]);
    expect(await faults()).toEqual([]);
  });

  it('an index that is built meanwhile has them, too', async () => {
    const session = client.startSession();
    session.startTransaction();
    await rows().insertMany(items(0, 50), { session });
    await rows().createIndex({ word: -1 });
    await session.commitTransaction();
    await session.endSession();
    const found = await rows()
      .find({ word: { $gt: '' } }, { hint: { word: -1 } })
      .toArray();
    expect(found).toHaveLength(50);
    expect(await faults()).toEqual([]);
  });
});
