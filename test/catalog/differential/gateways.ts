// Three gateways on one store: two with caches, large ones or so small ones that they are always full, and one without any, which reads
// everything from the store. FIRST_GATEWAY names the folder of another build, which the first of them is then.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/base/config/config.js';
import { createApp } from '../../../src/compose/app.js';
import { registerModels } from '../../../src/compose/domains.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { callsOf, databaseUri, UNLIMITED } from '../../support/gateway.js';
import { GatewayProcess, OPERATOR_KEY } from '../../support/gateway-process.js';

const KEYSTORE_KEY = Buffer.alloc(32, 5).toString('base64');
/** The address in offers and requests for wallets; nobody listens there. */
export const PUBLIC_URL = 'https://gateways.example';
const NO_CACHES = { ENTITY_CACHE_MB: '0', RESPONSE_CACHE_MB: '0', ROW_TEXT_CACHE_MB: '0' };
/** Room for some rows and lists, and for some responses: less than a megabyte cannot be set. */
const SMALL_CACHES = { entityCacheMb: 1 / 32, rowTextCacheMb: 1 / 64, responseCacheMb: 1 / 16 };

/** What reads and writes need of a gateway. */
export type Gateway = Pick<GatewayProcess, 'url' | 'rest' | 'admin' | 'asGateway'>;

export interface Gateways<Second extends Gateway = GatewayProcess> {
  database: TestDatabase;
  /** With caches. */
  cached: readonly [GatewayProcess, Second];
  uncached: GatewayProcess;
  all: readonly (GatewayProcess | Second)[];
  close(): Promise<void>;
}

/** A gateway with small caches, in this process. */
async function startSmall(env: Record<string, string>): Promise<Started<Gateway>> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'gateway-'));
  const settings = { DATA_DIR, PORT: '0', LOG_LEVEL: 'silent', ADMIN_API_KEY: OPERATOR_KEY, SAMPLE_CATALOG: 'false' };
  const config = loadConfig({ ...settings, ...UNLIMITED, ...env });
  const app = await createApp({ ...config, ...SMALL_CACHES });
  const calls = callsOf((await app.listen()).url);
  const admin: Gateway['admin'] = (method, path, { body, headers } = {}) =>
    calls.rest(method, path, { body, headers: { 'x-admin-api-key': OPERATOR_KEY, ...headers } });
  const gateway = { ...calls, admin };
  const close = async () => {
    await app.close();
    rmSync(DATA_DIR, { recursive: true, force: true });
  };
  return { second: { ...gateway, asGateway: gateway as unknown as Gateway['asGateway'] }, close };
}

/** Starts three processes with an empty catalog. The second has the default caches too. */
export function startGateways(): Promise<Gateways> {
  return startWith(async (env) => {
    const second = new GatewayProcess(env);
    await second.start();
    const close = async () => {
      await second.stop('SIGTERM');
      second.remove();
    };
    return { second, close };
  });
}

/** The same, but the second has small caches. */
export const startGatewaysWithSmallCaches = (): Promise<Gateways<Gateway>> => startWith(startSmall);

interface Started<G> {
  second: G;
  close(): Promise<void>;
}

async function startWith<G extends Gateway>(
  startSecond: (env: Record<string, string>) => Promise<Started<G>>,
): Promise<Gateways<G>> {
  const database = await openDatabase(registerModels);
  const MONGODB_URI = databaseUri(database.connection.name);
  const env = { MONGODB_URI, KEYSTORE_KEY, PUBLIC_URL, CHAIN: 'off', ZK: 'off' };
  const first = new GatewayProcess(env, process.env.FIRST_GATEWAY);
  const uncached = new GatewayProcess({ ...env, ...NO_CACHES });
  const [{ second, close: closeSecond }] = await Promise.all([startSecond(env), first.start(), uncached.start()]);
  const close = async () => {
    await Promise.all([closeSecond(), first.stop('SIGTERM'), uncached.stop('SIGTERM')]);
    for (const gateway of [first, uncached]) gateway.remove();
    await database.close();
  };
  return { database, cached: [first, second], uncached, all: [first, second, uncached], close };
}
