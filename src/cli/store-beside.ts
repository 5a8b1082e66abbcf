// Opens the store for commands that may run next to a gateway: the embedded engine of a data folder is shared through its socket.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import { openStore, type Store, type StoreOptions } from '../store/connection.js';

/** The data file of the embedded engine. */
export const DATA_FILE = 'data.mdb';

/** Whether there is a store: one at MONGODB_URI, or data in DATA_DIR. */
export const hasStore = ({ mongodbUri, dataDir }: Config): boolean =>
  mongodbUri !== undefined || existsSync(join(dataDir, DATA_FILE));

/** Requires a store, so that the command does not create one. @throws DomainError BAD_USER_INPUT. */
export function requireStore(config: Config): void {
  if (hasStore(config)) return;
  throw badInput(`There is no store in ${config.dataDir}: set DATA_DIR to the gateway's folder, or MONGODB_URI.`);
}

/** Opens the configured store, through the process that serves the data folder if there is one. @throws as `openStore`. */
export async function openStoreBeside(config: Config, options: StoreOptions = {}): Promise<Store> {
  const engineUri = config.mongodbUri === undefined ? await runningEngine(config) : undefined;
  return openStore({ ...config, engineUri }, options);
}

async function runningEngine({ dataDir }: Config): Promise<string | undefined> {
  const { engineAt } = await import('../engine/index.js');
  return engineAt(dataDir);
}

/** Whether no collection has a document. (`migrate` may have built indexes.) */
export async function isEmptyStore(connection: Connection): Promise<boolean> {
  for (const { name } of await connection.listCollections())
    if ((await connection.collection(name).estimatedDocumentCount()) > 0) return false;
  return true;
}
