// Why a data folder cannot be used, as one sentence for the person who started the program.

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
