// Why a data folder cannot be used, as one sentence for the person who started the program.
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Why a data folder was refused. */
export type FolderFault = 'InUse' | 'Unwritable' | 'Full' | 'Damaged' | 'Foreign' | 'Outdated';

/** A data folder that cannot be used; the message is one sentence for the person who started the program. */
export class DataFolderError extends Error {
  constructor(
    readonly code: FolderFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DataFolderError';
  }
}

/** The error for a folder with damaged data; `fault` describes the damage in a few words. */
export function damaged(dataDir: string, fault: string, cause?: unknown): DataFolderError {
  return new DataFolderError(
    'Damaged',
    `The data in ${dataDir} is damaged (${fault}): restore a backup, or save what can be read with \`engine dump\`.`,
    cause === undefined ? undefined : { cause },
  );
}

/** The error for a folder that another process serves or has claimed. */
export const inUse = (dataDir: string): DataFolderError =>
  new DataFolderError(
    'InUse',
    `The data folder ${dataDir} is in use by another process: stop that first, or use another folder.`,
  );

/** The error for a folder that this user may not use: which file of it, and whose that is. `fault` is the system's own text. */
export function unwritable(dataDir: string, fault: string, cause: unknown): DataFolderError {
  const path = refusedIn(dataDir);
  const why = path === undefined ? fault : `${path} belongs to ${ownerOf(path)}. Give it to the user of this process`;
  return new DataFolderError('Unwritable', `The data folder ${dataDir} cannot be written: ${why}.`, { cause });
}

/** The folder, or the first of its files, that is there and refused to this user. */
function refusedIn(dataDir: string): string | undefined {
  const folder = constants.R_OK | constants.W_OK | constants.X_OK;
  if (isRefused(dataDir, folder)) return dataDir;
  const files = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dataDir) : [];
  return files.map((name) => join(dataDir, name)).find((path) => isRefused(path, constants.R_OK | constants.W_OK));
}

function isRefused(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
  }
}

function ownerOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'somebody else';
  const mode = (stat.mode & 0o777).toString(8).padStart(3, '0');
  return `${stat.uid === 0 ? 'root' : `the user ${stat.uid}`}, mode ${mode}`;
}
