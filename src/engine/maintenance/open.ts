// Opens a data folder for maintenance; no process may serve it meanwhile.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Engine, openEngine } from '../engine.js';
import { prepareFolder } from '../store/env.js';
import { DataFolderError } from '../store/folder-error.js';
import { claimFolder } from '../wire/claim.js';

/** How a folder is opened. */
export interface FolderOptions {
  create?: boolean;
  salvage?: boolean;
  everyPage?: boolean;
  /** Runs after the engine is closed, while no other process can open the folder. */
  after?: () => Promise<void> | void;
}

/** Runs work with an engine opened on a folder that no process serves. Throws DataFolderError (InUse, Damaged, …). */
export async function withFolder<T>(
  dataDir: string,
  work: (engine: Engine) => Promise<T>,
  { create, salvage, everyPage, after }: FolderOptions = {},
): Promise<T> {
  const folder = resolve(dataDir);
  if (!create && !existsSync(join(folder, 'engine.json'))) {
    throw new DataFolderError('Foreign', `There is no data of this engine in ${folder}.`);
  }
  prepareFolder(folder);
  const claim = await claimFolder(folder);
  try {
    const value = await withEngine(folder, work, { salvage, everyPage });
    await after?.();
    return value;
  } finally {
    await claim.release();
  }
}

async function withEngine<T>(
  dataDir: string,
  work: (engine: Engine) => Promise<T>,
  options: Pick<FolderOptions, 'salvage' | 'everyPage'>,
): Promise<T> {
  const engine = await openEngine({ dataDir, ...options });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
