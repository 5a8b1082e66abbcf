// Three gateways on one store: two with the default caches, and one without any, which reads everything from the store.
import { registerModels } from '../../../src/compose/domains.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { databaseUri } from '../../support/gateway.js';
import { GatewayProcess } from '../../support/gateway-process.js';

const KEYSTORE_KEY = Buffer.alloc(32, 5).toString('base64');
const NO_CACHES = { ENTITY_CACHE_MB: '0', RESPONSE_CACHE_MB: '0', ROW_TEXT_CACHE_MB: '0' };

export interface Gateways {
  database: TestDatabase;
  /** With caches. */
  cached: readonly [GatewayProcess, GatewayProcess];
  uncached: GatewayProcess;
  all: readonly GatewayProcess[];
  close(): Promise<void>;
}

/** Starts them with an empty catalog. */
export async function startGateways(): Promise<Gateways> {
  const database = await openDatabase(registerModels);
  const env = { MONGODB_URI: databaseUri(database.connection.name), KEYSTORE_KEY, PUBLIC_URL: 'http://localhost:1' };
  const cached = [new GatewayProcess(env), new GatewayProcess(env)] as const;
  const uncached = new GatewayProcess({ ...env, ...NO_CACHES });
  const all = [...cached, uncached];
  await Promise.all(all.map((gateway) => gateway.start()));
  const close = async () => {
    await Promise.all(all.map((gateway) => gateway.stop('SIGTERM')));
    for (const gateway of all) gateway.remove();
    await database.close();
  };
  return { database, cached, uncached, all, close };
}
