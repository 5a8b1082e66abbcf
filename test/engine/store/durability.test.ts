// Data folders: who may use one, what is there after a restart, and what expires. For kill -9 see ../properties/durability.slow.test.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveEngine } from '../../../src/engine/server.js';
import { FORMAT } from '../../../src/engine/store/format.js';
import { spawnEngine, startTestEngine, tempFolder } from '../support.js';

describe('a data folder', () => {
  it('a data folder is refused while another engine serves it', async () => {
    const at = await startTestEngine();
    try {
      await expect(serveEngine({ dataDir: at.dataDir })).rejects.toMatchObject({ code: 'InUse' });
    } finally {
      await at.close();
    }
  });

  it('a data folder is refused if it belongs to another program', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder.path, 'x'));
    writeFileSync(join(folder.path, 'WiredTiger'), '');
    await expect(serveEngine({ dataDir: folder.path })).rejects.toMatchObject({ code: 'Foreign' });
    folder.remove();
  });

  it('a data folder is refused if it cannot be created', async () => {
    // The engine runs in a separate process, because an endless mkdir would block this one.
    await expect(spawnEngine('/proc/none/data')).rejects.toThrow('the engine ended with 1');
  });

  it('a data folder is refused if its data is damaged', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder.path, 'engine.json'), `{"format":${FORMAT}}`);
    writeFileSync(join(folder.path, 'data.mdb'), Buffer.alloc(20_000, 7));
    await expect(serveEngine({ dataDir: folder.path })).rejects.toMatchObject({ code: 'Damaged' });
    folder.remove();
  });

  it('a data folder keeps documents, indexes and sessions over a restart', async () => {
    const at = await startTestEngine();
    try {
      await at.db.collection('kept').createIndex({ a: 1 }, { unique: true });
      await at.db.collection('kept').insertOne({ a: 1 });
      await at.restart();
      expect(await at.db.collection('kept').countDocuments({ a: 1 })).toBe(1);
      await expect(at.db.collection('kept').insertOne({ a: 1 })).rejects.toMatchObject({ code: 11000 });
    } finally {
      await at.close();
    }
  });
});

describe('expiring documents', () => {
  it('documents expire when their date is old enough, and not before', async () => {
    const at = await startTestEngine({ ttlSeconds: 0.1 });
    try {
      const c = at.db.collection<{ _id: string; at?: Date | string }>('ttl');
      await c.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
      const old = new Date(Date.now() - 120_000);
      await c.insertMany([
        { _id: 'old', at: old },
        { _id: 'new', at: new Date() },
        { _id: 'none' },
        { _id: 'text', at: 'x' },
      ]);
      await expect.poll(async () => (await c.find().toArray()).map((doc) => doc._id)).toEqual(['new', 'none', 'text']);
    } finally {
      await at.close();
    }
  });
});
