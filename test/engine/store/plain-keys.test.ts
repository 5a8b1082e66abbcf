// Folders that were converted from an earlier format, whose index keys have plain texts: they are served as they are, and indexes that are made
// from then on are packed.
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../../src/engine/bson/codec.js';
import { engineCheck } from '../../../src/engine/maintenance/index.js';
import { withFolder } from '../../../src/engine/maintenance/open.js';
import { serveEngine } from '../../../src/engine/server.js';
import { entriesOf } from '../../../src/engine/store/change.js';
import { entryValue, prefixEnd, prefixOf, ridOfKey } from '../../../src/engine/store/keys.js';
import { startEngineAt } from '../maintenance/folder.js';

const ID = (i: number) => `1a9c9bd8-b14b-409a-b89f-5bdb8845${String(1000 + i)}`;
const DOCUMENTS = Array.from({ length: 40 }, (_, i) => ({
  _id: ID(i),
  hash: `ab${i}cdef`,
  tags: [ID(i % 7), `t${i}`],
}));

describe('a folder that was converted from format 7', () => {
  let folder: { path: string; remove(): void };
  let engine: Awaited<ReturnType<typeof serveEngine>>;
  let client: MongoClient;
  let db: Db;

  beforeAll(async () => {
    folder = await startEngineAt(async (served) => {
      const indexes = [{ key: { hash: 1 }, unique: true }, { key: { tags: -1, hash: 1 } }] as const;
      await served.collection('a').createIndexes(indexes.map((index) => ({ ...index })) as never);
      await served.collection('a').insertMany(DOCUMENTS as never[]);
    });
    await withFolder(folder.path, async ({ tables, catalog }) => {
      const collection = catalog.find('test.a');
      if (!collection) throw new Error('a collection');
      await tables.root.transaction(() => {
        for (const index of collection.indexes) {
          for (const key of [...tables.entries.getKeys({ start: prefixOf(index.id), end: prefixEnd(index.id) })])
            tables.entries.removeSync(key);
          index.packed = false;
          for (const { key, value } of tables.records.getRange({
            start: prefixOf(collection.id),
            end: prefixEnd(collection.id),
          })) {
            const rid = ridOfKey(key);
            for (const entry of entriesOf(index, decode(tables.packed.bsonOf(value)), rid).keys)
              tables.entries.putSync(entry, entryValue(index.unique, rid));
          }
        }
        catalog.save(collection);
      });
    });
    engine = await serveEngine({ dataDir: folder.path });
    client = await MongoClient.connect(engine.uri);
    db = client.db('test');
  });
  afterAll(async () => {
    await client.close();
    await engine.close();
    folder.remove();
  });

  it('is served without a rebuild: ids, unique texts, elements, ranges and prefixes are found', async () => {
    expect(engine.notices).toEqual([]);
    const a = db.collection<{ _id: string; hash: string; tags: string[] }>('a');
    const counts = await Promise.all([
      ...[{ _id: ID(3) }, { hash: 'ab3cdef' }, { tags: ID(3) }, { hash: { $gte: 'ab1', $lt: 'ab2' } }].map((filter) =>
        a.countDocuments(filter as never),
      ),
      a.countDocuments({ hash: /^ab3/ }),
      a.countDocuments({ tags: /^t3/ }),
    ]);
    expect(counts).toEqual([1, 1, 6, 11, 11, 11]);
    const { executionStats } = await a.find({ tags: /^t3/ }).explain('executionStats');
    expect(executionStats.totalKeysExamined).toBeLessThan(20);
  });

  it('takes writes, whose keys are as those of the index', async () => {
    const a = db.collection<{ _id: string; hash: string; tags: string[] }>('a');
    await expect(a.insertOne({ _id: ID(99), hash: 'ab3cdef', tags: [] })).rejects.toMatchObject({ code: 11_000 });
    await a.insertOne({ _id: ID(50), hash: 'fresh', tags: ['x'] });
    await a.updateOne({ _id: ID(1) }, { $set: { hash: 'changed' } });
    await a.deleteOne({ _id: ID(2) });
    expect(await a.distinct('hash', { hash: { $in: ['fresh', 'changed', 'ab1cdef', 'ab2cdef'] } })).toEqual([
      'changed',
      'fresh',
    ]);
  });

  it('packs the texts of new indexes only, and every entry is as the check expects it', async () => {
    await db.collection('a').createIndex({ hash: -1, tags: 1 });
    expect(await db.collection('a').countDocuments({ hash: /^ab3/ })).toBe(11);
    await client.close();
    await engine.close();
    expect((await engineCheck(folder.path)).flatMap(({ faults }) => faults)).toEqual([]);
    const packed = await withFolder(folder.path, async ({ catalog }) =>
      (catalog.find('test.a')?.indexes ?? []).map((index) => [index.name, index.packed]),
    );
    expect(packed).toEqual([
      ['_id_', false],
      ['hash_1', false],
      ['tags_-1_hash_1', false],
      ['hash_-1_tags_1', true],
    ]);
  });
});
