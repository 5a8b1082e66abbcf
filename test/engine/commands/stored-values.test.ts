// Values that JavaScript has no type for, and the one value that the server fills in.
import { BSON, type Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';
import { documentOf, elementsOf, RawClient } from '../wire/raw-client.js';

const JAVA_MAX = 9223372036854775807n;
const JAVA_MIN = -9223372036854775808n;

function element(type: number, name: string, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), bytes]);
}

const dated = (id: bigint, at: bigint): Buffer => documentOf([element(18, '_id', id), element(9, 'at', at)]);

describe('stored values', () => {
  let at: TestEngine;
  let client: RawClient;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());
  beforeEach(() => {
    client = new RawClient(at.engine.uri);
  });
  afterEach(() => client.close());

  const insert = (into: string, documents: Buffer[]) =>
    client.command({ insert: into }, { name: 'documents', documents });
  const ids = (batch: Buffer[]): unknown[] => batch.map((bytes) => Number(BSON.deserialize(bytes)._id));

  it('stored dates beyond those of JavaScript keep their order, with an index and without', async () => {
    const dates = [JAVA_MAX, JAVA_MIN, 0n, 8640000000000001n, 8640000000000000n];
    await insert(
      'dates',
      dates.map((date, i) => dated(BigInt(i), date)),
    );
    for (const index of [false, true]) {
      if (index) await at.db.collection('dates').createIndex({ at: 1 });
      const { batch } = await client.command({ find: 'dates', filter: {}, sort: { at: 1 } });
      expect(ids(batch)).toEqual([1, 2, 4, 3, 0]);
      expect(batch.map((bytes) => bytes.subarray(-9, -1).readBigInt64LE())).toEqual([
        JAVA_MIN,
        0n,
        dates[4],
        dates[3],
        JAVA_MAX,
      ]);
      const later = await client.command({ find: 'dates', filter: { at: { $gt: new Date(8640000000000000) } } });
      expect(ids(later.batch).sort()).toEqual([0, 3]);
    }
  });

  it('stored dates beyond those of JavaScript are computed with to the millisecond', async () => {
    await insert('sums', [dated(0n, JAVA_MAX - 1n)]);
    const pipeline = [
      { $project: { long: { $toLong: '$at' }, next: { $add: ['$at', 1] }, back: { $subtract: ['$at', 1] } } },
    ];
    const { batch } = await client.command({ aggregate: 'sums', pipeline, cursor: {} });
    const [, long, next, back] = elementsOf(batch[0] ?? Buffer.alloc(0)).map(({ value }) => value.readBigInt64LE());
    expect([long, next, back]).toEqual([JAVA_MAX - 1n, JAVA_MAX, JAVA_MAX - 2n]);
    const over = await client.command({
      aggregate: 'sums',
      pipeline: [{ $project: { x: { $add: ['$at', 2] } } }],
      cursor: {},
    });
    expect(over.reply).toMatchObject({ ok: 0, code: 15 });
    const year = await client.command({
      aggregate: 'sums',
      pipeline: [{ $project: { x: { $year: '$at' } } }],
      cursor: {},
    });
    expect(year.reply).toMatchObject({ ok: 0, code: 238 });
  });

  it('a stored document that looks like a DBRef keeps its order, also in an update', async () => {
    const ref = { $id: 1, more: 2, $ref: 'c' };
    const c = at.db.collection<Document>('refs');
    await c.insertOne({ _id: 1 as never, ref });
    await c.updateOne({}, { $set: { n: 1 } });
    const [bytes] = (await c.find({}, { raw: true }).toArray()) as unknown as Uint8Array[];
    const inner = elementsOf(bytes ?? Buffer.alloc(0)).find(({ name }) => name === 'ref');
    expect(elementsOf(inner?.value ?? Buffer.alloc(0)).map(({ name }) => name)).toEqual(['$id', 'more', '$ref']);
  });

  describe('that are empty timestamps', () => {
    const empty = () => new BSON.Timestamp({ t: 0, i: 0 });
    const seconds = (value: unknown): number => (value as BSON.Timestamp).t;

    it("an empty timestamp becomes the server's time at the top level of inserts, each a later one", async () => {
      const c = at.db.collection<Document>('stamps');
      const now = Math.floor(Date.now() / 1000);
      await c.insertOne({ _id: empty() as never, a: empty(), z: 1, b: empty(), in: { c: empty() }, list: [empty()] });
      const doc = await c.findOne({}, { promoteValues: false });
      expect(Object.keys(doc ?? {})).toEqual(['_id', 'a', 'z', 'b', 'in', 'list']);
      expect(seconds(doc?.a)).toBeGreaterThanOrEqual(now);
      expect(doc?.b.greaterThan(doc.a)).toBe(true);
      expect([doc?._id, doc?.in.c, doc?.list[0]].map(seconds)).toEqual([0, 0, 0]);
    });

    it("an empty timestamp becomes the server's time in a replacement, and not in an update by operators or a pipeline", async () => {
      const c = at.db.collection<Document>('replaced');
      await c.insertOne({ _id: 1 as never });
      await c.replaceOne({}, { at: empty() });
      expect(seconds((await c.findOne())?.at)).toBeGreaterThan(0);
      await c.updateOne({}, { $set: { at: empty() } });
      expect(seconds((await c.findOne())?.at)).toBe(0);
      await c.updateOne({}, [{ $set: { other: empty() } }]);
      expect(seconds((await c.findOne())?.other)).toBe(0);
      await c.replaceOne({ _id: 2 as never }, { at: empty() }, { upsert: true });
      expect(seconds((await c.findOne({ _id: 2 as never }))?.at)).toBeGreaterThan(0);
    });
  });
});
