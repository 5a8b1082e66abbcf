// What was acknowledged is there after kill -9.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterEach, describe, expect, it } from 'vitest';
import { engineCheck } from '../../../src/engine/care/index.js';
import { serveEngine } from '../../../src/engine/server.js';
import { startTestEngine, tempFolder } from '../support.js';

const MAIN = fileURLToPath(new URL('../../../dist/engine/main.js', import.meta.url));

/** The engine as a process of its own; resolves when it listens. */
function spawnEngine(dataDir: string): Promise<{ child: ChildProcess; uri: string }> {
  const child = fork(MAIN, ['--port', '0', '--data-dir', dataDir], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      const uri = /mongodb:\S+/.exec(chunk.toString())?.[0];
      if (uri) resolve({ child, uri });
    });
  });
}

describe('a killed engine', () => {
  const folders: { remove(): void }[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });

  it.skipIf(!existsSync(MAIN))('has lost nothing that it acknowledged, and its indexes fit its records', async () => {
    const folder = tempFolder();
    folders.push(folder);
    const acknowledged = new Set<number>();
    let next = 0;
    for (let round = 0; round < 3; round++) {
      const { child, uri } = await spawnEngine(folder.path);
      const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 500 });
      const c = client.db('k').collection<{ _id: number; pair: number }>('rows');
      await c.createIndex({ pair: 1 });
      const writer = async () => {
        for (;;) {
          const id = next++;
          if (id % 3 > 0) await c.insertOne({ _id: id, pair: id % 7 });
          else
            await client.withSession((session) =>
              session.withTransaction(() => c.insertOne({ _id: id, pair: id % 7 }, { session })),
            );
          acknowledged.add(id);
          if (acknowledged.size >= (round + 1) * 200) child.kill('SIGKILL');
        }
      };
      await Promise.allSettled(Array.from({ length: 8 }, writer));
      await client.close();
    }
    const engine = await serveEngine({ dataDir: folder.path });
    const client = await MongoClient.connect(engine.uri);
    const found = new Set((await client.db('k').collection('rows').find().toArray()).map((row) => Number(row._id)));
    await client.close();
    await engine.close();
    expect([...acknowledged].filter((id) => !found.has(id))).toEqual([]);
    expect((await engineCheck(folder.path)).flatMap((report) => report.faults)).toEqual([]);
  });
});

describe('a data folder', () => {
  it('is refused while another engine serves it', async () => {
    const at = await startTestEngine();
    try {
      await expect(serveEngine({ dataDir: at.dataDir })).rejects.toMatchObject({ code: 'InUse' });
    } finally {
      await at.close();
    }
  });

  it('is refused when it belongs to something else', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder.path, 'x'));
    writeFileSync(join(folder.path, 'WiredTiger'), '');
    await expect(serveEngine({ dataDir: folder.path })).rejects.toMatchObject({ code: 'Foreign' });
    folder.remove();
  });

  it('is refused when its data is damaged', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder.path, 'engine.json'), '{"format":1}');
    writeFileSync(join(folder.path, 'data.mdb'), Buffer.alloc(20_000, 7));
    await expect(serveEngine({ dataDir: folder.path })).rejects.toMatchObject({ code: 'Damaged' });
    folder.remove();
  });

  it('keeps documents, indexes and sessions over a restart', async () => {
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
  it('are removed when their date is old enough, and not before', async () => {
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
      await expect
        .poll(async () => (await c.find().toArray()).map((doc) => doc._id), { timeout: 10_000 })
        .toEqual(['new', 'none', 'text']);
    } finally {
      await at.close();
    }
  });
});
