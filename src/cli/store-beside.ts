// The store for commands that may run beside a gateway: the embedded engine of a data folder is shared through its socket.
import type { Config } from '../base/config.js';
import { openStore, type Store } from '../store/connection.js';

/** Opens the configured store, through the process that serves the data folder if there is one. @throws as `openStore`. */
export async function openStoreBeside(config: Config): Promise<Store> {
  return openStore({ ...config, engineUri: config.mongodbUri === undefined ? await runningEngine(config) : undefined });
}

async function runningEngine({ dataDir }: Config): Promise<string | undefined> {
  const { engineAt } = await import('../engine/index.js');
  return engineAt(dataDir);
}
