// Maintenance of a data folder: check, compact, dump and restore while no process serves it, backup and stats at any time.
import { resolve } from 'node:path';
import type { BackupReport } from './backup.js';
import type { CollectionReport } from './check.js';
import { inChild } from './child.js';
import type { DumpReport } from './dump.js';
import type { StatsReport } from './stats.js';

export type { BackupReport } from './backup.js';
export type { CollectionReport } from './check.js';
export { type CompactReport, engineCompact } from './compact.js';
export { type DumpReport, engineRestore } from './dump.js';
export type { CollectionBytes, StatsReport } from './stats.js';

/** Checks a folder that no process serves, in a separate process. Throws DataFolderError when it cannot be opened or crashes that process. */
export async function engineCheck(dataDir: string): Promise<CollectionReport[]> {
  return (await inChild('check', resolve(dataDir))) as CollectionReport[];
}

/**
 * Writes every collection of a folder that no process serves to `out`, in a separate process; of a damaged folder, the readable documents.
 * Throws DataFolderError when it cannot be opened or crashes that process.
 */
export async function engineDump(dataDir: string, out: string): Promise<DumpReport[]> {
  return (await inChild('dump', resolve(dataDir), resolve(out))) as DumpReport[];
}

/**
 * Copies a folder's data to a new folder, in a separate process; a gateway may serve it meanwhile. Throws
 * DataFolderError if it has no data or crashes that process.
 */
export async function engineBackup(dataDir: string, out: string): Promise<BackupReport> {
  return (await inChild('backup', resolve(dataDir), resolve(out))) as BackupReport;
}

/** Measures a folder, in a separate process; a gateway may serve it meanwhile. Throws DataFolderError if it has no data. */
export async function engineStats(dataDir: string): Promise<StatsReport> {
  return (await inChild('stats', resolve(dataDir))) as StatsReport;
}
