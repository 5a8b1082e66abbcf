// One process at a time opens the data of a folder; others read states that the serving engine holds for them.
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineCheck, engineCompact } from '../../../src/engine/maintenance/index.js';
import { withFolder } from '../../../src/engine/maintenance/open.js';
import { withState } from '../../../src/engine/maintenance/state.js';
import { serveEngine } from '../../../src/engine/server.js';
import { PageFault } from '../../../src/engine/store/page-tree.js';
import { newestMeta, readState } from '../../../src/engine/store/pages.js';
import { claimFolder } from '../../../src/engine/wire/claim.js';
import { holdSnapshot } from '../../../src/engine/wire/hold.js';
import { ended, spawnEngine, tempFolder } from '../support.js';

const IN_USE = { code: 'InUse' };

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

/** Leaves what a killed engine leaves. */
async function leaveKilled(): Promise<void> {
  const { child } = await spawnEngine(folder.path);
  await ended(child, 'SIGKILL');
  expect(readdirSync(folder.path)).toEqual(expect.arrayContaining(['engine.sock', 'claim']));
}

describe('one process', () => {
  it('a folder is refused while maintenance has it open, and free afterwards', async () => {
    await (await serveEngine({ dataDir: folder.path })).close();
    await withFolder(folder.path, async () => {
      await expect(serveEngine({ dataDir: folder.path })).rejects.toMatchObject(IN_USE);
      await expect(engineCheck(folder.path)).rejects.toMatchObject(IN_USE);
      await expect(engineCompact(folder.path)).rejects.toMatchObject(IN_USE);
    });
    expect(await engineCheck(folder.path)).toEqual([]);
    await (await serveEngine({ dataDir: folder.path })).close();
  });

  it('a folder is still closed to others while its compacted file takes the place of the old one', async () => {
    await (await serveEngine({ dataDir: folder.path })).close();
    const after = () => expect(claimFolder(folder.path)).rejects.toMatchObject(IN_USE);
    await withFolder(folder.path, async () => {}, { after });
  });

  it('of engines that start at once, one serves the folder and the others are refused', async () => {
    await leaveKilled();
    const starts = await Promise.allSettled([1, 2, 3].map(() => spawnEngine(folder.path)));
    const served = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    for (const { child } of served) await ended(child, 'SIGTERM');
    expect(served).toHaveLength(1);
  });

  it('of processes that find the claim of a killed one, one gets the folder', async () => {
    await leaveKilled();
    for (let round = 0; round < 20; round += 1) {
      mkdirSync(join(folder.path, 'claim'), { recursive: true });
      writeFileSync(join(folder.path, 'claim', 'left'), '');
      const claims = await Promise.allSettled(Array.from({ length: 6 }, () => claimFolder(folder.path)));
      const got = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
      expect(got).toHaveLength(1);
      await got[0]?.release();
      expect(readdirSync(folder.path).filter((name) => name.startsWith('claim'))).toEqual([]);
    }
  });
});

describe('a held snapshot', () => {
  it('its pages do not change while it is held, whatever is written', async () => {
    const engine = await serveEngine({ dataDir: folder.path });
    const client = await MongoClient.connect(engine.uri);
    const rows = client.db('test').collection('rows');
    const change = async (): Promise<void> => {
      for (let n = 0; n < 40; n += 1) await rows.updateMany({}, { $set: { text: `${n} `.repeat(50 * n) } });
    };
    await rows.insertMany(Array.from({ length: 50 }, (_, n) => ({ n })));
    const held = await holdSnapshot(folder.path);
    const file = openSync(join(folder.path, 'data.mdb'), 'r');
    try {
      const meta = newestMeta(file);
      await change();
      expect(readState(file, meta).tables.size).toBe(6);
      expect(await held?.isHeld()).toBe(true);
      held?.release();
      await change();
      expect(() => readState(file, meta)).toThrow(PageFault);
      expect(await held?.isHeld()).toBe(false);
    } finally {
      closeSync(file);
      await client.close();
      await engine.close();
    }
  });

  it('a folder without an engine that is written meanwhile is read again, and refused if that goes on', async () => {
    await (await serveEngine({ dataDir: folder.path })).close();
    let reads = 0;
    await withFolder(folder.path, async ({ tables }) => {
      const read = (): number => {
        reads += 1;
        if (reads < 3) tables.sessions.putSync(Buffer.alloc(16, reads), Buffer.alloc(16, reads));
        return reads;
      };
      expect(await withState(folder.path, { read })).toBe(3);
      const disturbed = (): void => void tables.sessions.putSync(Buffer.alloc(16, 9), Buffer.alloc(16, reads++));
      await expect(withState(folder.path, { read: disturbed })).rejects.toMatchObject(IN_USE);
    });
  });

  it('a snapshot is released when the engine stops, and the folder is read without it', async () => {
    const { child } = await spawnEngine(folder.path);
    const held = await holdSnapshot(folder.path);
    expect(await held?.isHeld()).toBe(true);
    await ended(child, 'SIGTERM');
    expect(await held?.isHeld()).toBe(false);
    expect(await holdSnapshot(folder.path)).toBeUndefined();
    expect(await withState(folder.path, { read: ({ tables }) => tables.size })).toBe(6);
  });
});
