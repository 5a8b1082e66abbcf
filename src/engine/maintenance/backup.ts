// Copies a data folder, also while an engine serves it: lmdb copies a consistent snapshot, and readers in other processes do not block writers.
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { DATA_FILE } from '../store/data-file.js';
import { dataFault } from '../store/env.js';
import { MARKER } from '../store/format.js';
import { DataFolderError, damaged } from '../store/folder-error.js';

/** Bytes of the copy. */
export interface BackupReport {
  bytes: number;
}

/** Copies of a folder that is written meanwhile, until one is whole. */
const ATTEMPTS = 3;

/** Copies the data of a folder to a new data folder, `out`, and verifies the copy. Throws DataFolderError. */
export async function backupFolder(dataDir: string, out: string): Promise<BackupReport> {
  if (!existsSync(join(dataDir, MARKER)) || !existsSync(join(dataDir, DATA_FILE)))
    throw new DataFolderError('Foreign', `There is no data of this engine in ${dataDir}.`);
  const copy = join(out, DATA_FILE);
  if (existsSync(copy)) throw new DataFolderError('InUse', `The folder ${out} has data already.`);
  mkdirSync(out, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    await copyTo(dataDir, out, copy);
    const fault = dataFault(out, { everyPage: true });
    if (fault === undefined) return { bytes: statSync(copy).size };
    rmSync(copy);
    if (attempt === ATTEMPTS) throw damaged(dataDir, fault);
  }
}

async function copyTo(dataDir: string, out: string, copy: string): Promise<void> {
  const unfinished = `${copy}.backup`;
  rmSync(unfinished, { recursive: true, force: true });
  const root = open<Buffer, Buffer>({ path: join(dataDir, DATA_FILE), readOnly: true, maxDbs: 8, encoding: 'binary' });
  try {
    // Compacts the copy: free pages are left out.
    await root.backup(unfinished, true);
  } finally {
    await root.close();
  }
  const file = statSync(unfinished).isDirectory() ? join(unfinished, DATA_FILE) : unfinished;
  chmodSync(file, 0o600);
  copyFileSync(join(dataDir, MARKER), join(out, MARKER));
  renameSync(file, copy);
  rmSync(unfinished, { recursive: true, force: true });
}
