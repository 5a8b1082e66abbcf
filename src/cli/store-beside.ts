// The store for commands that may run beside a gateway: the embedded engine of a data folder is shared through its socket.
import type { Config } from '../base/config.js';
import { engineAt } from '../engine/index.js';
import { openStore, type Store } from '../store/connection.js';

/** Opens the configured store, through the process that serves the data folder if there is one. @throws as `openStore`. */
export async function openStoreBeside(config: Config): Promise<Store> {
  const engineUri = config.mongodbUri === undefined ? await engineAt(config.dataDir) : undefined;
  return openStore({ ...config, engineUri });
}
