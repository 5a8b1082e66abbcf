// Whether all gateways show the same, from their caches and from the store, once nothing is written any more.
import { setTimeout as delay } from 'node:timers/promises';
import { OPERATOR_KEY } from '../gateway-process.js';

const LIMIT_MS = 30_000;
const PAUSE_MS = 200;
const FIELDS =
  'name traction { holderCount issuanceCount } issuer { name credentials(first: 5) { totalCount nodes { name } } }';
const QUERY = `{ credentials(first: 50, orderBy: { field: NAME }) { totalCount nodes { credentialId ${FIELDS} } } }`;

/** Reads whose responses must be equal. */
function questions(hashes: readonly string[]): string[] {
  return [
    '/v1/catalog/credentials?limit=100',
    '/v1/catalog/credentials/chaos-credential',
    '/v1/catalog/credentials/entry-0',
    '/v1/catalog/issuers/chaos',
    `/graphql?query=${encodeURIComponent(QUERY)}`,
    '/v1/catalog/search?q=entry&limit=50',
    '/v1/admin/issuance-history?limit=100',
    '/v1/events?limit=100',
    ...hashes.slice(0, 50).map((hash) => `/v1/credentials/status?coreClaimHash=${hash}`),
  ];
}

async function ask(url: string, path: string): Promise<string> {
  const headers: Record<string, string> = /admin|events/.test(path) ? { 'x-admin-api-key': OPERATOR_KEY } : {};
  if (path.startsWith('/graphql')) headers['content-type'] = 'application/json';
  const answer = await fetch(url + path, { headers });
  const text = (await answer.text()).replace(/"timestamp":\d+|"requestId":"[^"]*"/g, '');
  return `${answer.status} ${answer.status < 500 ? text : `of ${url}: ${text}`}`;
}

/** Reads that have different responses even after half a minute. */
export async function disagreements(urls: readonly string[], hashes: readonly string[]): Promise<string[]> {
  const until = performance.now() + LIMIT_MS;
  for (let open = questions(hashes); ; await delay(PAUSE_MS)) {
    const differ: string[] = [];
    for (const path of open) {
      const answers = new Set(await Promise.all(urls.map((url) => ask(url, path))));
      if (answers.size > 1 || [...answers].some((answer) => answer.startsWith('5'))) differ.push(path);
    }
    if (differ.length === 0 || performance.now() > until) return differ;
    open = differ;
  }
}
