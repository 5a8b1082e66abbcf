// Reads and writes through the real driver.
import { Double, Int32, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

describe('the driver against the engine: reading and writing', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('the driver finds inserted documents in the order of insertion', async () => {
    const c = at.db.collection<{ _id: number }>('order');
    await c.insertMany([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
    expect((await c.find().toArray()).map((doc) => doc._id)).toEqual([3, 1, 2]);
  });

  it('the driver gets number types as they were sent', async () => {
    const c = at.db.collection('types');
    await c.insertOne({ i: new Int32(5), d: new Double(5), l: Long.fromNumber(5) });
    const doc = await c.findOne({}, { promoteValues: false });
    expect([doc?.i, doc?.d, doc?.l].map((value) => value._bsontype)).toEqual(['Int32', 'Double', 'Long']);
  });

  it("a duplicate key error has the key's pattern and value", async () => {
    const c = at.db.collection('unique');
    await c.createIndex({ email: 1 }, { unique: true });
    await c.insertOne({ email: 'a@b.c' });
    await expect(c.insertOne({ email: 'a@b.c' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@b.c' },
    });
  });

  it('an unordered batch continues after an error, and an ordered one stops', async () => {
    const c = at.db.collection<{ _id: number }>('batch');
    const docs = () => [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
    await expect(c.insertMany(docs(), { ordered: true })).rejects.toMatchObject({ code: 11000 });
    expect(await c.countDocuments()).toBe(1);
    await expect(c.insertMany(docs(), { ordered: false })).rejects.toMatchObject({ code: 11000 });
    expect(await c.countDocuments()).toBe(2);
  });

  it('large results come in batches that can be fetched one after the other', async () => {
    const c = at.db.collection<{ _id: number }>('many');
    await c.insertMany(Array.from({ length: 1500 }, (_, i) => ({ _id: i })));
    const found = await c.find().batchSize(100).toArray();
    expect(found.map((doc) => doc._id)).toEqual(Array.from({ length: 1500 }, (_, i) => i));
  });

  it('an upsert without a match creates one document, also for several concurrent upserts', async () => {
    const c = at.db.collection('upsert');
    await c.createIndex({ k: 1 }, { unique: true });
    await Promise.all(Array.from({ length: 20 }, () => c.updateOne({ k: 1 }, { $inc: { n: 1 } }, { upsert: true })));
    expect(await c.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ k: 1, n: 20 }]);
  });

  it('an update changes each matching document once, even if it moves the document along the index', async () => {
    const c = at.db.collection<{ _id: number; n: number }>('halloween');
    await c.createIndex({ n: 1 });
    await c.insertMany(Array.from({ length: 600 }, (_, i) => ({ _id: i, n: i })));
    await c.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1000 } });
    expect(await c.countDocuments({ n: { $gte: 1000, $lt: 1600 } })).toBe(600);
  });

  it('unknown fields are refused', async () => {
    await expect(at.db.command({ find: 'x', filtre: {} })).rejects.toMatchObject({
      code: 40415,
      errmsg: "BSON field 'find.filtre' is an unknown field.",
    });
  });

  it('strict clients get only the stable API', async () => {
    const client = await at.connect({ serverApi: { version: '1', strict: true } });
    await expect(client.db('test').command({ buildInfo: 1 })).rejects.toMatchObject({ code: 323 });
    expect((await client.db('test').command({ ping: 1 })).ok).toBe(1);
  });

  it('documents above 16 MB are refused', async () => {
    const big = { s: 'x'.repeat(16 * 1024 * 1024) };
    const reply = await at.db.command({ insert: 'limits', documents: [big] });
    expect(reply).toMatchObject({ n: 0, writeErrors: [{ code: 10334 }] });
  });

  it('an operation that exceeds its time is stopped', async () => {
    const c = at.db.collection('slow');
    await c.insertMany(Array.from({ length: 6_000 }, (_, i) => ({ i, s: 'x'.repeat(50) })));
    await expect(c.find({ s: 'y' }).maxTimeMS(1).toArray()).rejects.toMatchObject({ code: 50 });
  });

  it('a query whose pattern backtracks without end is stopped, and others continue', async () => {
    const c = at.db.collection('backtracking');
    await c.insertMany(Array.from({ length: 20 }, (_, n) => ({ n, text: `${'a'.repeat(60)}!` })));
    const hostile = c.find({ text: /(a+)+$/ }).toArray();
    const others = Promise.all([at.db.command({ ping: 1 }), c.countDocuments({ n: 3 })]);
    await expect(hostile).rejects.toMatchObject({ code: 51156 });
    expect((await others)[1]).toBe(1);
    const updated = c.updateMany({ text: { $regex: '(a|a)*$' } }, { $set: { n: 0 } });
    await expect(updated).rejects.toMatchObject({ code: 51156 });
    const match = { $regexFind: { input: '$text', regex: '(a*)*\\d' } };
    await expect(c.aggregate([{ $project: { match } }]).toArray()).rejects.toMatchObject({ code: 51156 });
  });
});
