// Backups of a data folder that is served and written at the same time.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { type ClientSession, MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineBackup, engineCheck, engineStats } from '../../../src/engine/maintenance/index.js';
import { serveEngine } from '../../../src/engine/server.js';
import { STATS_TAG } from '../../../src/engine/store/keys.js';
import { tempFolder } from '../support.js';
import { startEngineAt } from './folder.js';

describe('A backup', () => {
  let beside: ReturnType<typeof tempFolder>;
  beforeEach(() => {
    beside = tempFolder();
  });
  afterEach(() => beside.remove());

  it('a backup is one state of a folder that is being written, and a data folder by itself', async () => {
    const out = join(beside.path, 'backup');
    const folder = await startEngineAt(async (db, dataDir) => {
      await db.collection('pairs').createIndex({ n: 1 });
      let isOn = true;
      // A copy has both documents of a pair or none, because one transaction writes them.
      const writePair = (session: ClientSession, n: number) =>
        session.withTransaction(() => db.collection('pairs').insertMany([{ n }, { n }], { session }));
      const write = () =>
        db.client.withSession(async (session) => {
          for (let n = 0; isOn; n += 1) await writePair(session, n);
        });
      const written = write();
      await engineBackup(dataDir, out);
      isOn = false;
      await written;
      expect(await db.collection('pairs').countDocuments()).toBeGreaterThan(0);
    });
    folder.remove();
    expect(statSync(join(out, 'data.mdb')).mode & 0o077).toBe(0);
    const [report] = await engineCheck(out);
    expect(report).toMatchObject({ ns: 'test.pairs', indexes: 2, faults: [] });
    const engine = await serveEngine({ dataDir: out });
    const client = await MongoClient.connect(engine.uri);
    try {
      const pairs = client.db('test').collection('pairs');
      const halves = await pairs
        .aggregate([{ $group: { _id: '$n', count: { $sum: 1 } } }, { $match: { count: 1 } }])
        .toArray();
      expect(halves).toEqual([]);
      await pairs.insertOne({ n: -1 });
    } finally {
      await client.close();
      await engine.close();
    }
  });

  it('a backup can also be made of a folder that no process serves, and is never overwritten', async () => {
    const folder = await startEngineAt(async (db) => void (await db.collection('a').insertOne({ _id: 1 as never })));
    const out = join(beside.path, 'backup');
    expect((await engineBackup(folder.path, out)).bytes).toBeGreaterThan(0);
    expect(await engineCheck(out)).toEqual([{ ns: 'test.a', records: 1, indexes: 1, faults: [] }]);
    await expect(engineBackup(folder.path, out)).rejects.toMatchObject({ code: 'InUse' });
    expect(await engineCheck(folder.path)).toHaveLength(1);
    folder.remove();
  });

  it('a copy whose counters and documents differ is not left as a backup', async () => {
    const folder = await startEngineAt(async (db) => void (await db.collection('a').insertOne({ _id: 1 as never })));
    const root = open<Buffer, Buffer>({ path: join(folder.path, 'data.mdb'), maxDbs: 8, encoding: 'binary' });
    const catalog = root.openDB<Buffer, Buffer>({ name: 'catalog', encoding: 'binary', keyEncoding: 'binary' });
    for (const { key, value } of catalog.getRange({ start: STATS_TAG, end: Buffer.from('t') })) {
      const counters = Buffer.from(value);
      counters.writeDoubleBE(7, 0);
      catalog.putSync(key, counters);
    }
    await root.close();
    const out = join(beside.path, 'backup');
    await expect(engineBackup(folder.path, out)).rejects.toMatchObject({
      code: 'Damaged',
      message: expect.stringContaining('test.a has 1 documents, its counter says 7'),
    });
    expect(existsSync(join(out, 'data.mdb'))).toBe(false);
    folder.remove();
  });

  it('backup and stats of a served folder do not open it with lmdb, which can undo a commit of the engine', async () => {
    const out = join(beside.path, 'backup');
    const folder = await startEngineAt(async (db, dataDir) => {
      await db.collection('a').insertOne({ _id: 1 as never });
      // Every process that opens the data with lmdb creates this file; the engine does not need its name any more.
      rmSync(join(dataDir, 'data.mdb-lock'));
      await engineBackup(dataDir, out);
      await engineStats(dataDir);
      expect(existsSync(join(dataDir, 'data.mdb-lock'))).toBe(false);
    });
    folder.remove();
    expect(await engineCheck(out)).toEqual([{ ns: 'test.a', records: 1, indexes: 1, faults: [] }]);
  });

  it('a backup of a served folder has all documents and no free pages', async () => {
    const out = join(beside.path, 'backup');
    const folder = await startEngineAt(async (db, dataDir) => {
      const texts = Array.from({ length: 1000 }, (_, n) => ({ n, text: randomBytes(3000 + n).toString('base64') }));
      await db.collection('kept').insertMany(texts.slice(0, 200));
      await db.collection('gone').insertMany(texts);
      await db.collection('gone').drop();
      const { free } = await engineStats(dataDir);
      const { bytes } = await engineBackup(dataDir, out);
      const { free: freeInCopy, collections } = await engineStats(out);
      expect(collections).toMatchObject([{ ns: 'test.kept', documents: 200 }]);
      expect(freeInCopy).toBe(0);
      expect(bytes).toBeLessThanOrEqual(statSync(join(dataDir, 'data.mdb')).size - free);
    });
    folder.remove();
    expect(readdirSync(out).sort()).toEqual(['data.mdb', 'engine.json']);
    expect(await engineCheck(out)).toMatchObject([{ ns: 'test.kept', records: 200, faults: [] }]);
  });

  it('a backup needs data of the engine', async () => {
    await expect(engineBackup(beside.path, join(beside.path, 'x'))).rejects.toMatchObject({ code: 'Foreign' });
    expect(existsSync(join(beside.path, 'x'))).toBe(false);
  });
});
