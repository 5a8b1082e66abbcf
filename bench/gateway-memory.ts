// What one gateway keeps in memory over a large catalog, the engine apart, once its caches are full.
import { openBenchStore } from './bench-store.js';
import { LOAD_CORE } from './cores.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';

const CREDENTIALS = 100_000;
const MEGABYTE = 1024 * 1024;
const PAGE = 100;
/** Credentials that are walked: several times what the caches hold of them. */
const WALKED = 30_000;
const AT_ONCE = 4;
/** Details that are asked by REST, each an answer of its own. */
const DETAILS = 20_000;

/** Pages with what hangs on each credential: rows of every kind, relation lists, and an answer each. */
const WALK = `query Walk($after: String) {
  credentials(first: ${PAGE}, after: $after, orderBy: { field: CREATED }) {
    nodes {
      credentialId name category createdAt traction { holderCount }
      issuer { issuerId name traction { holderCount } } schema { schemaId title issuers(first: 5) { nodes { issuerId } } }
      dataPoints { name type }
      programs(first: 3) { nodes { programId name verifier { verifierId name } } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface WalkData {
  credentials: { pageInfo: { hasNextPage: boolean; endCursor: string } };
}

async function walk(gateway: GatewayProcess): Promise<void> {
  let after: string | null = null;
  for (let seen = 0; seen < WALKED; seen += PAGE) {
    const { credentials } = (await gateway.query(WALK, { after })) as WalkData;
    if (!credentials.pageInfo.hasNextPage) return;
    after = credentials.pageInfo.endCursor;
  }
}

async function readDetails(gateway: GatewayProcess): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < DETAILS) await gateway.get(`/v1/catalog/credentials/credential-${next++}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Asks for so many different rows, lists and responses that every cache of the gateway is full. */
export async function fillCaches(gateway: GatewayProcess): Promise<void> {
  await walk(gateway);
  await readDetails(gateway);
}

/** Fills a store with 100,000 credentials and a gateway's caches from it; its own memory then, MB (proc(5), RssAnon). */
export async function gatewayMemory(): Promise<number> {
  const store = await openBenchStore(CREDENTIALS, CREDENTIALS / 4);
  const gateway = await GatewayProcess.start(scratchFolder(), { mongodbUri: store.uri, core: 1 - LOAD_CORE });
  await fillCaches(gateway);
  const bytes = gateway.rssAnon();
  await gateway.stop();
  await store.stop();
  return bytes / MEGABYTE;
}
