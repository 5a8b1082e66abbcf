// Reads one state of a data folder, also while an engine serves it. Never through lmdb: a process that opens lmdb's files
// can undo a commit that another process makes at that moment (docs/decisions/0087-one-process-opens-lmdb.md).
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DATA_FILE } from '../store/data-file.js';
import { DataFolderError, damaged } from '../store/folder-error.js';
import { MARKER, requireFormat } from '../store/format.js';
import type { Meta } from '../store/page-file.js';
import { PageFault } from '../store/page-tree.js';
import { type FileState, newestMeta, readState, type RowVisitor, startingPoints } from '../store/pages.js';
import { holdSnapshot } from '../wire/hold.js';

const ATTEMPTS = 5;
const PAUSE_MS = 500;

/** Reads of one state. */
export interface StateReads<T> {
  /** Receives every row; a new one for each attempt. */
  visitor?: () => RowVisitor;
  /** Reads pages that do not change before it returns. */
  read(state: FileState): T;
}

/**
 * Reads the newest state of a folder. The engine that serves it holds that state meanwhile; if none does, the state is
 * read again when the folder was written meanwhile. Throws DataFolderError.
 */
export async function withState<T>(dataDir: string, reads: StateReads<T>): Promise<T> {
  const path = join(dataDir, DATA_FILE);
  if (!existsSync(join(dataDir, MARKER)) || !existsSync(path))
    throw new DataFolderError('Foreign', `There is no data of this engine in ${dataDir}.`);
  requireFormat(dataDir);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await delay(PAUSE_MS);
    const held = await holdSnapshot(dataDir);
    const file = openSync(path, 'r');
    try {
      const transaction = newestMeta(file).transaction;
      const outcome = outcomeOf(() => readFirst(held ? [newestMeta(file)] : startingPoints(file), file, reads));
      if (!(held ? await held.isHeld() : newestMeta(file).transaction === transaction)) continue;
      if (outcome instanceof PageFault) throw damaged(dataDir, outcome.message);
      return outcome.value;
    } finally {
      closeSync(file);
      held?.release();
    }
  }
  throw new DataFolderError('InUse', `Another process starts, stops or changes ${dataDir}: try again later.`);
}

function outcomeOf<T>(work: () => T): { value: T } | PageFault {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof PageFault) return error;
    throw error;
  }
}

/** Reads the first whole state. */
function readFirst<T>(metas: Meta[], file: number, { visitor, read }: StateReads<T>): T {
  let fault = new PageFault('it has no state');
  for (const meta of metas) {
    try {
      return read(readState(file, meta, visitor?.()));
    } catch (error) {
      if (!(error instanceof PageFault)) throw error;
      fault = error;
    }
  }
  throw fault;
}
