// Copies a data folder, also while an engine serves it.
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { DATA_FILE } from '../store/data-file.js';
import { DataFolderError, damaged } from '../store/folder-error.js';
import { MARKER } from '../store/format.js';
import { copyState } from '../store/page-copy.js';
import { type FileState, pageFault } from '../store/pages.js';
import { RowTally } from '../store/row-tally.js';
import { withState } from './state.js';

/** Bytes of the copy. */
export interface BackupReport {
  bytes: number;
}

/** Copies the data of a folder to a new data folder, `out`, and verifies the copy. Throws DataFolderError. */
export async function backupFolder(dataDir: string, out: string): Promise<BackupReport> {
  const copy = join(out, DATA_FILE);
  if (existsSync(copy)) throw new DataFolderError('InUse', `The folder ${out} has data already.`);
  const unfinished = join(out, 'unfinished');
  const pages = join(unfinished, 'pages.mdb');
  const compact = join(unfinished, DATA_FILE);
  const read = (state: FileState): void => {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true, mode: 0o700 });
    copyState(state, pages);
  };
  try {
    await withState(dataDir, { read });
    await compactTo(pages, compact);
    const fault = pageFault(compact, () => new RowTally());
    if (fault !== undefined) throw damaged(dataDir, fault);
    copyFileSync(join(dataDir, MARKER), join(out, MARKER));
    renameSync(compact, copy);
    return { bytes: statSync(copy).size };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Copies a data file that no process writes, without its free pages. */
async function compactTo(from: string, to: string): Promise<void> {
  const root = open<Buffer, Buffer>({ path: from, readOnly: true, maxDbs: 8, encoding: 'binary' });
  try {
    await root.backup(to, true);
  } finally {
    await root.close();
  }
  chmodSync(to, 0o600);
}
