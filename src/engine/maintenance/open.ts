// Opens a data folder for maintenance; no process may serve it meanwhile.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Engine, openEngine } from '../engine.js';
import { DataFolderError } from '../store/folder-error.js';
import { isListening, socketPathFor } from '../wire/listener.js';

/** Runs work with an engine opened on a folder that no process serves. Throws DataFolderError (InUse, Damaged, …). */
export async function withFolder<T>(
  dataDir: string,
  work: (engine: Engine) => Promise<T>,
  options: { create?: boolean; salvage?: boolean; everyPage?: boolean } = {},
): Promise<T> {
  const folder = resolve(dataDir);
  if (!options.create && !existsSync(join(folder, 'engine.json'))) {
    throw new DataFolderError('Foreign', `There is no data of this engine in ${folder}.`);
  }
  if (await isListening(socketPathFor(folder))) {
    throw new DataFolderError('InUse', `The data folder ${folder} is in use by another process.`);
  }
  const { salvage, everyPage } = options;
  const engine = await openEngine({ dataDir: folder, salvage, everyPage });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
