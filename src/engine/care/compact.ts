// Rewrites a data folder's file without its free pages.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withFolder } from './open.js';

/** Sizes of the data file in bytes. */
export interface CompactReport {
  before: number;
  after: number;
}

/** Compacts a folder that nobody serves. The old file stays until the new one is whole. Throws DataFolderError. */
export async function engineCompact(dataDir: string): Promise<CompactReport> {
  const folder = resolve(dataDir);
  const file = join(folder, 'data.mdb');
  const copy = join(folder, 'data.mdb.compact');
  rmSync(copy, { recursive: true, force: true });
  await withFolder(folder, async (engine) => {
    engine.garbage.start();
    await engine.garbage.finished();
    await engine.tables.root.backup(copy, true);
  });
  const made = existsSync(join(copy, 'data.mdb')) ? join(copy, 'data.mdb') : copy;
  const report = { before: statSync(file).size, after: statSync(made).size };
  renameSync(made, file);
  rmSync(copy, { recursive: true, force: true });
  rmSync(`${file}-lock`, { force: true });
  return report;
}
