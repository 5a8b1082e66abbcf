// Folders with incomplete indexes: `check` finds them, and `compact` repairs them.
import { type Db, MongoClient } from 'mongodb';
import { afterEach, describe, expect, it } from 'vitest';
import { engineCheck, engineCompact } from '../../../src/engine/maintenance/index.js';
import { withFolder } from '../../../src/engine/maintenance/open.js';
import { serveEngine } from '../../../src/engine/server.js';
import { makeIndex } from '../../../src/engine/store/catalog.js';
import { prefixEnd, prefixOf } from '../../../src/engine/store/keys.js';
import { startEngineAt } from './folder.js';

describe('a folder with indexes that miss entries', () => {
  const folders: { remove(): void }[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });

  /**
   * 100 documents. The index s_1 lacks every second entry, and code_1 is declared unique although two documents share a
   * code.
   */
  const faulty = async (codes: (i: number) => number): Promise<string> => {
    const folder = await startEngineAt(async (db) => {
      await db.collection('a').createIndexes([{ key: { s: 1 } }, { key: { code: 1 } }]);
      await db.collection('a').insertMany(Array.from({ length: 100 }, (_, i) => ({ s: i % 5, code: codes(i) })));
    });
    folders.push(folder);
    await withFolder(folder.path, async ({ tables, catalog }) => {
      const collection = catalog.find('test.a');
      const [, s, code] = collection?.indexes ?? [];
      if (!collection || !s || !code) throw new Error('three indexes');
      const unique = makeIndex(code.id, { ...code.spec, unique: true }, code.since);
      collection.indexes = collection.indexes.map((index) => (index === code ? unique : index));
      await tables.root.transaction(() => {
        const keys = [...tables.entries.getKeys({ start: prefixOf(s.id), end: prefixEnd(s.id) })];
        for (const [i, key] of keys.entries()) if (i % 2) tables.entries.removeSync(key);
        catalog.save(collection);
      });
    });
    return folder.path;
  };

  const served = async <T>(dataDir: string, work: (db: Db) => Promise<T>): Promise<{ notices: string[]; value: T }> => {
    const engine = await serveEngine({ dataDir });
    const client = await MongoClient.connect(engine.uri);
    try {
      return { notices: [...engine.notices], value: await work(client.db('test')) };
    } finally {
      await client.close();
      await engine.close();
    }
  };

  it('a folder that was converted from format 4, whose entries all have values, is complete', async () => {
    const folder = await startEngineAt(async (db) => {
      await db.collection('a').createIndex({ n: 1 });
      await db.collection('a').insertMany(Array.from({ length: 100 }, (_, i) => ({ n: i % 5 })));
    });
    folders.push(folder);
    await withFolder(folder.path, async ({ tables, catalog }) => {
      const id = catalog.find('test.a')?.indexes[1]?.id ?? 0;
      const keys = [...tables.entries.getKeys({ start: prefixOf(id), end: prefixEnd(id) })];
      expect(keys.map((key) => tables.entries.get(key)?.length)).toEqual(Array(100).fill(0));
      await tables.root.transaction(() => {
        for (const key of keys) tables.entries.putSync(key, key.subarray(-6));
      });
    });
    const { notices, value } = await served(folder.path, async (db) => {
      await db.collection('a').insertOne({ n: 3 });
      await db.collection('a').deleteOne({ n: 3 });
      return db.collection('a').countDocuments({ n: 3 });
    });
    expect(value).toBe(20);
    expect(notices).toEqual([]);
    expect((await engineCheck(folder.path)).flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('a folder with incomplete indexes is reported by check and repaired by compact', async () => {
    const path = await faulty((i) => i);
    expect((await engineCheck(path)).flatMap(({ faults }) => faults)).toContain('index s_1 lacks an entry of record 6');
    expect((await engineCompact(path)).rebuilt).toEqual(['s_1 of test.a', 'code_1 of test.a']);
    expect((await engineCheck(path)).flatMap(({ faults }) => faults)).toEqual([]);
    expect((await served(path, async () => {})).notices).toEqual([]);
  });

  it('a folder whose documents share a unique key is served, accepts no further ones, and says what to do', async () => {
    const path = await faulty((i) => (i === 99 ? 0 : i));
    const sentence =
      'The unique index code_1 of test.a is not used, because 1 of its keys belong to more than one document: remove or change those documents, then start again.';
    expect((await engineCompact(path)).incomplete).toEqual([sentence]);
    const first = await served(path, async (db) => {
      const rows = db.collection('a');
      await expect(rows.insertOne({ code: 5 })).rejects.toMatchObject({ code: 11000 });
      return rows.countDocuments({ code: 0 });
    });
    expect(first.value).toBe(2);
    expect(first.notices).toEqual([sentence]);
    expect((await engineCheck(path))[0]?.faults).toContain('index code_1 is not used: documents share a unique key');
    const second = await served(path, (db) => db.collection('a').deleteOne({ code: 0 }));
    expect(second.notices).toEqual([sentence]);
    const third = await served(path, (db) => db.collection('a').find({ code: 0 }).hint('code_1').toArray());
    expect(third.notices).toEqual([]);
    expect(third.value).toHaveLength(1);
    expect((await engineCheck(path)).flatMap(({ faults }) => faults)).toEqual([]);
  });
});
