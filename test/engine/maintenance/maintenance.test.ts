// Maintenance of a data folder: check, compact, dump, restore and stats.
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  engineCheck,
  engineCompact,
  engineDump,
  engineRestore,
  engineStats,
} from '../../../src/engine/maintenance/index.js';
import { withFolder } from '../../../src/engine/maintenance/open.js';
import { tempFolder } from '../support.js';
import { startEngineAt } from './folder.js';

describe('care of a data folder', () => {
  const folders: { remove(): void }[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });
  const filled = async () => {
    const folder = await startEngineAt(async (db) => {
      await db.collection('a').createIndex({ n: 1, tags: 1 });
      await db.collection('a').createIndex({ mail: 1 }, { unique: true, sparse: true });
      await db
        .collection('a')
        .insertMany(Array.from({ length: 300 }, (_, i) => ({ n: i, tags: ['x', i], mail: `m${i}` })));
      await db.collection('a').deleteMany({ n: { $lt: 100 } });
      await db.collection('a').updateMany({ n: { $lt: 150 } }, { $set: { tags: [] }, $unset: { mail: 1 } });
    });
    folders.push(folder);
    return folder;
  };

  it('maintenance finds no fault in a folder after writes of all kinds', async () => {
    const { path } = await filled();
    expect(await engineCheck(path)).toEqual([{ ns: 'test.a', records: 200, indexes: 3, faults: [] }]);
  });

  it('maintenance refuses a folder that an engine serves', async () => {
    const folder = await startEngineAt(async (_db, dataDir) => {
      await expect(engineCheck(dataDir)).rejects.toMatchObject({ code: 'InUse' });
    });
    folders.push(folder);
  });

  it('a dump and its restore move everything, including indexes', async () => {
    const { path } = await filled();
    const beside = tempFolder();
    folders.push(beside);
    const out = join(beside.path, 'dump');
    const target = join(beside.path, 'copy');
    expect(await engineDump(path, out)).toEqual([{ ns: 'test.a', documents: 200 }]);
    const meta = JSON.parse(readFileSync(join(out, 'test', 'a.metadata.json'), 'utf8'));
    expect(meta.indexes.map((index: { name: string }) => index.name)).toEqual(['_id_', 'n_1_tags_1', 'mail_1']);
    await engineRestore(target, out);
    expect(await engineCheck(target)).toEqual([{ ns: 'test.a', records: 200, indexes: 3, faults: [] }]);
  });

  it('a dump into a folder with files is refused: those of an older dump would be restored with it', async () => {
    const { path } = await filled();
    const beside = tempFolder();
    folders.push(beside);
    const out = join(beside.path, 'dump');
    await engineDump(path, out);
    await expect(engineDump(path, out)).rejects.toThrow(`The folder ${out} is not empty: give a new one.`);
  });

  it('a restore of no dump, or onto documents, is refused and writes nothing', async () => {
    const { path } = await filled();
    const beside = tempFolder();
    folders.push(beside);
    const [out, target] = [join(beside.path, 'dump'), join(beside.path, 'copy')];
    await engineDump(path, out);
    // The folder of the database, instead of the dump's.
    await expect(engineRestore(target, join(out, 'test'))).rejects.toThrow(/no folder of a database with \.bson files/);
    expect(existsSync(target)).toBe(false);
    copyFileSync(join(out, 'test', 'a.bson'), join(out, 'test', '0.bson'));
    await expect(engineRestore(path, out)).rejects.toThrow(/^test\.a has documents in .+; restore into a new folder$/);
    expect(await engineCheck(path)).toMatchObject([{ ns: 'test.a', records: 200, faults: [] }]);
  });

  it('a folder whose counter is wrong is reported by check, and its restored dump is sound', async () => {
    const { path } = await filled();
    await withFolder(path, async ({ tables, catalog }) => {
      await tables.root.transaction(() => {
        for (const collection of catalog.all()) catalog.saveStats(Object.assign(collection, { count: 202 }));
      });
    });
    const [{ faults } = { faults: [] }] = await engineCheck(path);
    expect(faults).toEqual(['the counter says 202 documents, there are 200']);
    const beside = tempFolder();
    folders.push(beside);
    const [out, target] = [join(beside.path, 'dump'), join(beside.path, 'copy')];
    // After a kill, there is no checksum, and the counter is compared at the start.
    rmSync(join(path, 'data.check'));
    await expect(engineCheck(path)).rejects.toMatchObject({ code: 'Damaged' });
    expect(await engineDump(path, out)).toEqual([{ ns: 'test.a', documents: 200 }]);
    await engineRestore(target, out);
    expect(await engineCheck(target)).toEqual([{ ns: 'test.a', records: 200, indexes: 3, faults: [] }]);
  });

  it('compacting loses nothing', async () => {
    const { path } = await filled();
    const { before, after } = await engineCompact(path);
    expect(after).toBeLessThanOrEqual(before);
    expect((await engineCheck(path))[0]).toMatchObject({ records: 200, faults: [] });
  });

  it('compacting fills pages with rows that came in another order than their keys', async () => {
    const folder = await startEngineAt(async (db) => {
      await db.collection('a').createIndexes([{ key: { code: 1 } }, { key: { day: 1, code: 1 } }]);
      const codes = Array.from({ length: 6_000 }, (_, i) => createHash('sha256').update(`${i}`).digest('hex'));
      await db.collection('a').insertMany(codes.map((code, i) => ({ code, day: i % 7 })));
    });
    folders.push(folder);
    const full = await engineStats(folder.path);
    await engineCompact(folder.path);
    const compact = await engineStats(folder.path);
    expect(compact.collections).toEqual(full.collections);
    expect(compact.entries).toBeLessThan(0.8 * full.entries);
    expect((await engineCheck(folder.path))[0]).toMatchObject({ records: 6_000, faults: [] });
  });

  it('stats show what the bytes of a served folder are used for', async () => {
    const folder = await startEngineAt(async (db, path) => {
      await db.collection('a').createIndex({ n: 1 });
      const text = randomBytes(750).toString('base64');
      await db.collection('a').insertMany(Array.from({ length: 500 }, (_, n) => ({ n, text })));
      const { collections, file, ...tables } = await engineStats(path);
      expect(collections).toEqual([
        { ns: 'test.a', documents: 500, bytes: expect.any(Number), indexes: 2, indexBytes: expect.any(Number) },
      ]);
      const [a] = collections;
      // Base64 is stored as the bytes that it stands for.
      expect(a?.bytes).toBeGreaterThan(500 * 750);
      expect(a?.bytes).toBeLessThan(500 * 850);
      expect(a?.indexBytes).toBeGreaterThan(500 * 2 * 20);
      expect(tables.records).toBeGreaterThanOrEqual(a?.bytes ?? 0);
      expect(tables.entries).toBeGreaterThanOrEqual(a?.indexBytes ?? 0);
      // The oplog contains one text many times, and compresses it.
      expect(tables.oplog).toBeLessThan(100_000);
      expect(file).toBe(statSync(join(path, 'data.mdb')).size);
    });
    folders.push(folder);
  });

  it('maintenance refuses folders of other programs and damaged markers with one sentence', async () => {
    const { path } = await filled();
    writeFileSync(join(path, 'engine.json'), 'not json');
    await expect(engineCheck(path)).rejects.toMatchObject({ code: 'Damaged' });
    writeFileSync(join(path, 'engine.json'), '{"format":99}');
    await expect(engineCheck(path)).rejects.toMatchObject({ code: 'Foreign' });
  });
});
