// Opens a data folder for care: nobody may be serving it meanwhile.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Engine } from '../engine.js';
import { DataFolderError } from '../store/env.js';
import { answers, socketPathFor } from '../wire/listener.js';

/** Runs work over the engine of a folder that no process serves. Throws DataFolderError (InUse, Damaged, …). */
export async function withFolder<T>(
  dataDir: string,
  work: (engine: Engine) => Promise<T>,
  options: { create?: boolean } = {},
): Promise<T> {
  const folder = resolve(dataDir);
  if (!options.create && !existsSync(join(folder, 'data.mdb'))) {
    throw new DataFolderError('Foreign', `There is no data of this engine in ${folder}.`);
  }
  if (await answers(socketPathFor(folder))) {
    throw new DataFolderError('InUse', `The data folder ${folder} is in use by another process.`);
  }
  const engine = new Engine({ dataDir: folder });
  try {
    await engine.begin();
    return await work(engine);
  } finally {
    await engine.close();
  }
}
