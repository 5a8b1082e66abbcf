// Plans for clients that ask for the stable API strictly. It does not include sparse indexes, so MongoDB plans as if there were none.
import type { Collection, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

let at: TestEngine;
let strict: MongoClient;
beforeAll(async () => {
  at = await startTestEngine();
  strict = await at.connect({ serverApi: { version: '1', strict: true } });
  await at.db.collection('rows').insertMany(Array.from({ length: 100 }, (_, n) => (n < 10 ? { n } : {})));
  await at.db.collection('rows').createIndex({ n: 1 }, { name: 'sparse', unique: true, sparse: true });
});
afterAll(() => at.close());

const rows = (client: MongoClient): Collection => client.db('test').collection('rows');
const read = async (client: MongoClient): Promise<number> =>
  (
    await rows(client)
      .find({ n: { $gt: 4 } })
      .explain('executionStats')
  ).executionStats.totalDocsExamined;

it('no plan of a strict client uses a sparse index, and plans of others do', async () => {
  expect([await read(at.client), await read(strict)]).toEqual([5, 100]);
  expect(
    await rows(strict)
      .find({ n: { $gt: 4 } })
      .toArray(),
  ).toHaveLength(5);
  await expect(rows(strict).find({ n: 1 }).hint('sparse').toArray()).rejects.toThrow('hint');
  expect((await rows(strict).updateMany({ n: { $gt: 4 } }, { $set: { seen: true } })).modifiedCount).toBe(5);
  await expect(rows(strict).updateOne({ n: 1 }, { $set: { seen: true } }, { hint: 'sparse' })).rejects.toThrow('hint');
});

it('a sparse index is still unique for strict clients, and an index over rows with the field replaces it', async () => {
  await expect(rows(strict).insertOne({ n: 3 })).rejects.toMatchObject({ code: 11000 });
  await rows(strict).createIndex({ n: 1 }, { name: 'present', partialFilterExpression: { n: { $exists: true } } });
  expect(await read(strict)).toBe(5);
});
