// Which indexes a collection can have at the same time, and that the reported sizes are right.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

describe('indexes of one key pattern', () => {
  let at: TestEngine;
  let round = 0;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());
  beforeEach(() => {
    round += 1;
  });

  const rows = () => at.db.collection(`rows${round}`);

  it('indexes of one key pattern may exist together if they differ in unique, sparse or filter', async () => {
    await rows().insertMany([{ a: 1 }, { a: 2 }, { b: 1 }]);
    await rows().createIndex({ a: 1 }, { name: 'plain' });
    await rows().createIndex({ a: 1 }, { name: 'unique', unique: true });
    await rows().createIndex({ a: 1 }, { name: 'sparse', sparse: true });
    await rows().createIndex({ a: 1 }, { name: 'some', partialFilterExpression: { a: { $gt: 1 } } });
    await rows().createIndex({ a: 1 }, { name: 'more', partialFilterExpression: { a: { $gt: 0 } } });
    expect((await rows().indexes()).map(({ name }) => name)).toEqual([
      '_id_',
      'plain',
      'unique',
      'sparse',
      'some',
      'more',
    ]);
    await expect(rows().insertOne({ a: 1 })).rejects.toMatchObject({ code: 11000 });
    for (const hint of ['plain', 'unique'])
      expect(
        await rows()
          .find({ a: { $gte: 1 } })
          .hint(hint)
          .toArray(),
      ).toHaveLength(2);
    expect(await rows().find({ a: null }).toArray()).toHaveLength(1);
    expect(await rows().find().sort({ a: 1 }).toArray()).toHaveLength(3);
  });

  it('indexes of one key pattern are refused if nothing distinguishes them', async () => {
    await rows().createIndex({ a: 1 });
    await expect(rows().createIndex({ a: 1 }, { name: 'other' })).rejects.toMatchObject({
      code: 85,
      message: 'Index already exists with a different name: a_1',
    });
    await expect(rows().createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 86 });
    await expect(rows().createIndex({ a: 1 }, { expireAfterSeconds: 5 })).rejects.toMatchObject({ code: 85 });
    await expect(rows().createIndex({ a: 1 }, { name: 'ttl', expireAfterSeconds: 5 })).rejects.toMatchObject({
      code: 85,
    });
    expect(await rows().createIndex({ a: 1 })).toBe('a_1');
  });

  it('indexes of one key pattern must be named where the pattern would mean several', async () => {
    await rows().createIndex({ a: 1 }, { name: 'plain' });
    await rows().createIndex({ a: 1 }, { name: 'unique', unique: true });
    const drop = (index: unknown) => at.db.command({ dropIndexes: `rows${round}`, index });
    await expect(drop({ a: 1 })).rejects.toMatchObject({ code: 181, codeName: 'AmbiguousIndexKeyPattern' });
    await expect(rows().find().hint({ a: 1 }).toArray()).rejects.toMatchObject({ code: 27 });
    await drop('unique');
    await drop({ a: 1 });
    expect(await rows().indexes()).toHaveLength(1);
  });
});

describe('collStats and dbStats', () => {
  it('collStats and dbStats count documents, indexes and bytes', async () => {
    const at = await startTestEngine();
    try {
      const db = at.client.db('stats');
      const c = db.collection<{ _id: number; tags: number[] }>('c');
      await c.insertMany(Array.from({ length: 5000 }, (_, _id) => ({ _id, tags: [1, 2] })));
      await c.createIndex({ tags: 1 });
      await c.deleteMany({ _id: { $lt: 1000 } });
      const [{ bytes } = { bytes: 0 }] = await c
        .aggregate<{ bytes: number }>([{ $group: { _id: 1, bytes: { $sum: { $bsonSize: '$$ROOT' } } } }])
        .toArray();
      const stats = await db.command({ collStats: 'c' });
      expect(stats).toMatchObject({ ns: 'stats.c', count: 4000, size: bytes, avgObjSize: bytes / 4000, nindexes: 2 });
      // The key of an int is a tag, a double and a mark: ten bytes between the index's id (four) and the record's
      // (six). For a unique index, the record's id is the value instead.
      expect(stats.indexSizes).toEqual({ _id_: 4000 * (4 + 10 + 6), tags_1: 8000 * (4 + 10 + 6) });
      expect(stats.totalSize).toBe(stats.storageSize + stats.totalIndexSize);
      expect(await db.command({ collStats: 'c', scale: 1024 })).toMatchObject({
        size: Math.trunc(bytes / 1024),
        scaleFactor: 1024,
      });
      const { indexes, objects, dataSize, indexSize, collections, fsTotalSize } = await db.command({ dbStats: 1 });
      expect({ indexes, objects, dataSize, indexSize, collections }).toEqual({
        ...{ indexes: 2, objects: 4000, dataSize: bytes, indexSize: stats.totalIndexSize, collections: 1 },
      });
      expect(fsTotalSize).toBeGreaterThan(0);
      expect(await db.command({ collStats: 'none' })).toMatchObject({ count: 0, size: 0, nindexes: 0, indexSizes: {} });
      expect(await at.client.db('none').command({ dbStats: 1 })).toMatchObject({ collections: 0, objects: 0 });
      await expect(db.command({ dbStats: 1, scale: 0 })).rejects.toMatchObject({ code: 51024 });
    } finally {
      await at.close();
    }
  });
});
