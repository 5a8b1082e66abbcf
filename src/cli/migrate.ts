// `migrate`: builds every index of the configured store, and brings rows of earlier versions up to date.
import type { Config } from '../base/config.js';
import { migrateAll, registerModels } from '../compose/domains.js';
import type { Report } from './output.js';
import { openStoreBeside } from './store-beside.js';

/** Builds the indexes of every collection and migrates its rows, beside running gateways too. */
export async function runMigrate(config: Config): Promise<Report> {
  const collections: string[] = [];
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    registerModels(store.connection);
    await migrateAll(store.connection, (name) => collections.push(name));
  } finally {
    await store.close();
  }
  return { json: { collections }, lines: collections.map((name) => `indexes of ${name} are built`) };
}
