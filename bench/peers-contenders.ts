// Who is measured by `npm run bench -- peers`: our gateway in its modes, and what people would pick instead, over the same rows.
import { createHash } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { BenchStore } from './bench-store.js';
import { MODES, type Mode, startGateway } from './graphql-contenders.js';
import type { Contender } from './graphql-load.js';
import { FIRST, type PageData, pageBody } from './graphql-query.js';
import { type PeerProcess, startInstalledPeer } from './peer-process.js';
import { INDEXES, rowsAsSql, TABLES } from './peers/relational.js';
import { HOW_TO_INSTALL, type Postgres, startPostgres } from './postgres.js';

export const NAMES = {
  cached: 'ours, cached response',
  fragments: 'ours, row texts',
  dynamic: 'ours, warm',
  cold: 'ours, from the store',
} as const satisfies Record<Mode, string>;
export const POSTGRAPHILE = 'PostGraphile 5';
const YOGA_MEMORY = 'yoga + JIT, rows in memory';
const YOGA_STORE = 'yoga + JIT, from the store';

/** As many as the load keeps requests under way (graphql-load.ts). */
const POOL = 10;

/** The page in PostGraphile's schema: our fields, but that counts lie beside the other columns and orders are named otherwise. */
const POSTGRAPHILE_PAGE = `query Page($first: Int!) {
  credentials: allCredentials(first: $first, orderBy: [POPULARITY_DESC, CREDENTIAL_ID_DESC]) {
    nodes {
      credentialId name category
      issuer { issuerId name issuerDid }
      schema { schemaId title }
      holderCount issuanceCount verificationCount demandCount
      programs(first: 2) { nodes { programId name pricingModel verifier { verifierId name } } }
    }
    pageInfo { hasNextPage }
  }
}`;

interface FlatPage {
  credentials: { nodes: Record<string, unknown>[]; pageInfo: object };
}

function withTraction({ credentials: { nodes, pageInfo } }: FlatPage): object {
  const shaped = nodes.map(({ holderCount, issuanceCount, verificationCount, demandCount, ...rest }) => ({
    ...rest,
    traction: { holderCount, issuanceCount, verificationCount, demandCount },
  }));
  return { credentials: { nodes: shaped, pageInfo } };
}

export interface PeerContenders {
  all: Contender[];
  /** Which PostgreSQL; undefined where there is none. */
  postgres?: string;
  stop(): Promise<void>;
}

async function pageOf(url: string): Promise<PageData> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: pageBody() });
  return ((await answer.json()) as { data: PageData }).data;
}

/** The rows of the store in PostgreSQL. */
async function fillPostgres(postgres: Postgres, store: BenchStore): Promise<void> {
  const client = await MongoClient.connect(store.uri);
  postgres.run(TABLES);
  postgres.run(await rowsAsSql(client.db()));
  postgres.run(INDEXES);
  await client.close();
}

function postgraphileContender({ url, pid }: PeerProcess, postgres: Postgres, expected: PageData): Contender {
  const documentId = createHash('sha256').update(POSTGRAPHILE_PAGE).digest('hex');
  return {
    name: POSTGRAPHILE,
    url,
    pid,
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ documentId, variables: { first: FIRST } }),
    expected,
    shaped: withTraction,
    storeSeconds: postgres.cpuSeconds,
  };
}

/** Starts everybody; PostGraphile only where PostgreSQL is installed. */
export async function startPeerContenders(store: BenchStore): Promise<PeerContenders> {
  const modes = Object.keys(NAMES) as Mode[];
  const gateways = await Promise.all(modes.map((mode) => startGateway(store, MODES[mode])));
  const expected = await pageOf(gateways[modes.indexOf('cold')]?.url ?? '');
  const over = {
    method: 'POST',
    path: '/graphql',
    body: pageBody(),
    expected,
    storeSeconds: store.cpuSeconds,
  } as const;
  const ours = gateways.map(({ url, pid }, at) => ({ ...over, name: NAMES[modes[at] as Mode], url, pid }));
  const memory = await startInstalledPeer('yoga', [store.uri, 'memory']);
  const fromStore = await startInstalledPeer('yoga', [store.uri, 'store']);
  const yoga = [
    { ...over, name: YOGA_MEMORY, url: new URL(memory.url).origin, pid: memory.pid },
    { ...over, name: YOGA_STORE, url: new URL(fromStore.url).origin, pid: fromStore.pid },
  ];
  const postgres = await startPostgres();
  if (postgres) await fillPostgres(postgres, store);
  else console.error(`PostgreSQL is not installed, so PostGraphile is left out: ${HOW_TO_INSTALL}`);
  const postgraphile =
    postgres &&
    (await startInstalledPeer('postgraphile', [postgres.uri, JSON.stringify([POSTGRAPHILE_PAGE]), String(POOL)]));
  const relational = postgres && postgraphile ? [postgraphileContender(postgraphile, postgres, expected)] : [];
  return {
    all: [...ours, ...relational, ...yoga],
    postgres: postgres?.version,
    stop: async () => {
      for (const peer of [memory, fromStore, postgraphile]) peer?.stop();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await postgres?.stop();
    },
  };
}
