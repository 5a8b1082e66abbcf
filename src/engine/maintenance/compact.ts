// Rewrites a data folder's file row by row, in full pages and without free ones, with every index complete.
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DATA_FILE, forgetNote, noteData } from '../store/data-file.js';
import type { Engine } from '../engine.js';
import { asFolderError, openEnvironment, type Table, type Tables } from '../store/env.js';
import { freeBytes } from '../store/pages.js';
import { diskBytes, MIN_TO_WRITE, diskFull } from '../store/disk-space.js';
import { rebuildFaultyIndexes } from './rebuild-indexes.js';
import { withFolder } from './open.js';

/** Sizes of the data file in bytes. */
export interface CompactReport {
  before: number;
  after: number;
  /** Names of indexes that were rebuilt. */
  rebuilt: string[];
  /** A sentence for each index that is still incomplete. */
  incomplete: string[];
}

/** Fills pages completely; keys must be in order. */
const APPEND = { append: true };
/** Rows of one transaction. */
const ROWS = 2_000;

/** Compacts a folder that no process serves. The old file stays until the new one is complete. Throws DataFolderError. */
export async function engineCompact(dataDir: string): Promise<CompactReport> {
  const folder = resolve(dataDir);
  const file = join(folder, 'data.mdb');
  const copy = join(folder, 'data.mdb.compact');
  const report = { before: 0, after: 0 };
  const replace = (): void => {
    const copyFile = join(copy, 'data.mdb');
    Object.assign(report, { before: statSync(file).size, after: statSync(copyFile).size });
    forgetNote(folder);
    renameSync(copyFile, file);
    noteData(folder, 'closed');
    rmSync(copy, { recursive: true, force: true });
    rmSync(`${file}-lock`, { force: true });
  };
  const rewrite = async (engine: Engine) => {
    rmSync(copy, { recursive: true, force: true });
    const rebuilds = await rebuildFaultyIndexes(engine);
    engine.garbage.start();
    await engine.garbage.finished();
    await copyTo(engine, copy);
    return rebuilds;
  };
  const { rebuilt, incomplete } = await withFolder(folder, rewrite, { after: replace });
  return { ...report, rebuilt, incomplete };
}

/**
 * Copies all tables. Checks the free space first, because lmdb does not recover from a commit that fails on a full
 * disk. On failure, the old file stays.
 */
async function copyTo(engine: Engine, copy: string): Promise<void> {
  const { dataDir } = engine.options;
  try {
    const file = join(dataDir, DATA_FILE);
    if (diskBytes(dataDir) < statSync(file).size - freeBytes(file) + MIN_TO_WRITE) throw diskFull();
    mkdirSync(copy, { mode: 0o700 });
    const target = openEnvironment(copy);
    const { root, onRead: _, packed: __, ...tables } = engine.tables;
    for (const [name, from] of Object.entries(tables)) {
      await copyTable(from, target[name as TableName], target);
    }
    await target.root.flushed;
    await target.root.close();
    await root.flushed;
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw asFolderError(dataDir, error);
  }
}

type TableName = Exclude<keyof Tables, 'root' | 'onRead' | 'packed'>;

async function copyTable(from: Table, to: Table, target: Tables): Promise<void> {
  let last: Buffer | undefined;
  for (let more = true; more; ) {
    const rows = [...from.getRange({ limit: ROWS, ...(last && { start: last, exclusiveStart: true }) })];
    await target.root.transaction(() => {
      for (const { key, value } of rows) to.putSync(key, value, APPEND);
    });
    last = rows.at(-1)?.key;
    more = rows.length === ROWS;
  }
}
