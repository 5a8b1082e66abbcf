// Rewrites a data folder's file without its free pages, with every index complete.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { forgetNote, noteData } from '../store/data-file.js';
import type { Engine } from '../engine.js';
import { asFolderError, stampFormat } from '../store/env.js';
import { mendIndexes } from './mend.js';
import { withFolder } from './open.js';

/** Sizes of the data file in bytes. */
export interface CompactReport {
  before: number;
  after: number;
  /** Names of indexes that were rebuilt. */
  rebuilt: string[];
  /** A sentence for each index that is still incomplete. */
  left: string[];
}

/** Compacts a folder that no process serves. The old file stays until the new one is complete. Throws DataFolderError. */
export async function engineCompact(dataDir: string): Promise<CompactReport> {
  const folder = resolve(dataDir);
  const file = join(folder, 'data.mdb');
  const copy = join(folder, 'data.mdb.compact');
  rmSync(copy, { recursive: true, force: true });
  const { rebuilt, left } = await withFolder(folder, async (engine) => {
    const mended = await mendIndexes(engine);
    stampFormat(folder);
    engine.garbage.start();
    await engine.garbage.finished();
    await backUp(engine, copy);
    return mended;
  });
  const copyFile = existsSync(join(copy, 'data.mdb')) ? join(copy, 'data.mdb') : copy;
  const report = { before: statSync(file).size, after: statSync(copyFile).size, rebuilt, left };
  forgetNote(folder);
  renameSync(copyFile, file);
  noteData(folder, 'closed');
  rmSync(copy, { recursive: true, force: true });
  rmSync(`${file}-lock`, { force: true });
  return report;
}

/** Without room for the copy, the old file stays. */
async function backUp(engine: Engine, copy: string): Promise<void> {
  try {
    await engine.tables.root.backup(copy, true);
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw asFolderError(engine.options.dataDir, error);
  }
}
