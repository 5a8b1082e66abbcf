// Updates and deletes that name a document by its `_id` find the version that the writer sees: the stored one, or the one that its transaction has
// written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

interface Row {
  _id: string;
  n: number;
  list?: number[];
}

describe('Writes by _id', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  const LONG = 'x'.repeat(3_000);

  it.each(['a', '', 'ü$.x', LONG])('writes by _id find the document %j and no other', async (_id) => {
    const rows = at.db.collection<Row>(`by-id-${_id.length}`);
    await rows.insertMany([
      { _id, n: 1 },
      { _id: `${_id}y`, n: 1 },
    ]);
    expect(await rows.updateOne({ _id }, { $inc: { n: 1 } })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
    expect(await rows.updateMany({ _id }, { $inc: { n: 1 } })).toMatchObject({ matchedCount: 1 });
    expect(await rows.updateOne({ _id, n: 99 }, { $inc: { n: 1 } })).toMatchObject({ matchedCount: 0 });
    expect(await rows.replaceOne({ _id: `${_id}z` }, { n: 7 }, { upsert: true })).toMatchObject({
      upsertedId: `${_id}z`,
    });
    expect((await rows.find().sort({ _id: 1 }).toArray()).map(({ n }) => n)).toEqual([3, 1, 7]);
    expect(await rows.deleteOne({ _id })).toEqual({ acknowledged: true, deletedCount: 1 });
    expect(await rows.deleteOne({ _id })).toMatchObject({ deletedCount: 0 });
    expect(await rows.countDocuments()).toBe(2);
  });

  it('writes by _id see what their transaction has inserted, changed and removed', async () => {
    const rows = at.db.collection<Row>('in-transaction');
    await rows.insertMany(['stored', 'gone', 'swapped'].map((_id) => ({ _id, n: 0, list: [1, 2] })));
    await at.client.withSession((session) =>
      session.withTransaction(async () => {
        const inc = (_id: string) => rows.updateOne({ _id }, { $inc: { n: 1 } }, { session });
        await rows.insertOne({ _id: 'new', n: 0 }, { session });
        for (const _id of ['new', 'new', 'stored', 'stored']) expect(await inc(_id)).toMatchObject({ matchedCount: 1 });
        await rows.deleteOne({ _id: 'gone' }, { session });
        expect(await inc('gone')).toMatchObject({ matchedCount: 0 });
        await rows.deleteOne({ _id: 'swapped' }, { session });
        await rows.insertOne({ _id: 'swapped', n: 40 }, { session });
        expect(await inc('swapped')).toMatchObject({ matchedCount: 1 });
        expect(await rows.updateOne({ _id: 'up' }, { $inc: { n: 5 } }, { session, upsert: true })).toMatchObject({
          upsertedId: 'up',
        });
        expect(await inc('up')).toMatchObject({ matchedCount: 1 });
      }),
    );
    const found = await rows.find().sort({ _id: 1 }).toArray();
    expect(found.map(({ _id, n }) => [_id, n])).toEqual([
      ['new', 2],
      ['stored', 2],
      ['swapped', 41],
      ['up', 6],
    ]);
    expect(found.find(({ _id }) => _id === 'stored')?.list).toEqual([1, 2]);
  });

  it('writes by _id have no array position, which only a filter on the array has', async () => {
    const rows = at.db.collection<Row>('positions');
    await rows.insertOne({ _id: 'a', n: 0, list: [1, 2] });
    await expect(rows.updateOne({ _id: 'a' }, { $set: { 'list.$': 9 } })).rejects.toMatchObject({ code: 2 });
    await rows.updateOne({ _id: 'a', list: 2 }, { $set: { 'list.$': 9 } });
    expect(await rows.findOne({ _id: 'a' })).toMatchObject({ list: [1, 9] });
  });
});
