// `migrate`: builds every index of the configured store.
import type { Config } from '../base/config.js';
import { registerModels } from '../compose/domains.js';
import { migrate } from '../store/connection.js';
import type { Report } from './output.js';
import { openStoreBeside } from './store-beside.js';

/** Builds the indexes of every collection, beside running gateways too. */
export async function runMigrate(config: Config): Promise<Report> {
  const collections: string[] = [];
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    registerModels(store.connection);
    await migrate(store.connection, (name) => collections.push(name));
  } finally {
    await store.close();
  }
  return { json: { collections }, lines: collections.map((name) => `indexes of ${name} are built`) };
}
