// Care of a data folder: check, compact, dump and restore.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { engineCheck, engineCompact, engineDump, engineRestore } from '../../../src/engine/care/index.js';
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

  it('finds nothing wrong with a folder after writes of all kinds', async () => {
    const { path } = await filled();
    expect(await engineCheck(path)).toEqual([{ ns: 'test.a', records: 200, indexes: 3, faults: [] }]);
  });

  it('refuses a folder that an engine serves', async () => {
    const folder = await startEngineAt(async (_db, dataDir) => {
      await expect(engineCheck(dataDir)).rejects.toMatchObject({ code: 'InUse' });
    });
    folders.push(folder);
  });

  it('moves everything through a dump, indexes too', async () => {
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

  it('compacts without losing anything', async () => {
    const { path } = await filled();
    const { before, after } = await engineCompact(path);
    expect(after).toBeLessThanOrEqual(before);
    expect((await engineCheck(path))[0]).toMatchObject({ records: 200, faults: [] });
  });

  it('refuses folders of other programs and damaged marks with one sentence', async () => {
    const { path } = await filled();
    writeFileSync(join(path, 'engine.json'), 'not json');
    await expect(engineCheck(path)).rejects.toMatchObject({ code: 'Damaged' });
    writeFileSync(join(path, 'engine.json'), '{"format":99}');
    await expect(engineCheck(path)).rejects.toMatchObject({ code: 'Foreign' });
  });
});
