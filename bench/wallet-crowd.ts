// Many open offers, and many wallets that take one at the same moment: each gets its credential, the gateway's memory is bounded, and its other
// routes respond. CROWD_OFFERS and CROWD_WALLETS set how many.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GatewayProcess } from './gateway-process.js';
import { holders, many, registered, type Setting, withSetting } from './issuance.js';
import type { Bar } from './report.js';
import { PRE_AUTHORIZED } from './wallet-requests.js';

const OFFERS = Number(process.env.CROWD_OFFERS ?? 1_000);
const WALLETS = Number(process.env.CROWD_WALLETS ?? 100);
/** A partner makes 600 a minute. */
const OFFERS_OF_PARTNER = 500;
const PROBE_MS = 100;
const PROBED = ['/health/live', '/v1/catalog/credentials/bench-0', '/v1/catalog/credentials?limit=20'];
const MB = 1_000_000;

type Json = Record<string, unknown>;

/** What a recipient has: the link, and the code that came another way. */
interface Offer {
  offerUri: string;
  txCode: string;
}

/** Repeats what the gateway refuses for its load, after as long as it says; counts the refusals. */
async function persistent(url: string, init: RequestInit, refused: { count: number }): Promise<Json> {
  for (;;) {
    const response = await fetch(url, init);
    const body = (await response.json()) as Json;
    if (response.ok) return body;
    if (response.status !== 503) throw new Error(`${url} failed: ${response.status} ${JSON.stringify(body)}`);
    refused.count += 1;
    await delay(Number(response.headers.get('retry-after') ?? 1) * 1_000 * (1 + Math.random()));
  }
}

/** Takes an offer: document, token, nonce, credential. */
async function take(
  gateway: GatewayProcess,
  { offerUri, txCode }: Offer,
  at: number,
  refused: { count: number },
): Promise<void> {
  const here = (url: string): string => gateway.url + new URL(url).pathname;
  const headers = { 'x-forwarded-for': `10.1.${at >> 8}.${at & 255}` };
  const ask = (url: string, init: RequestInit = {}): Promise<Json> =>
    persistent(url, { ...init, headers: { ...headers, ...(init.headers as object) } }, refused);
  const offer = await ask(here(new URL(offerUri).searchParams.get('credential_offer_uri') ?? ''));
  const issuer = here(String(offer.credential_issuer));
  const { 'pre-authorized_code': code } = (offer.grants as Record<string, Json>)[PRE_AUTHORIZED] ?? {};
  const grant = new URLSearchParams({
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': String(code),
    tx_code: txCode,
  });
  const { access_token: token } = await ask(`${issuer}/token`, { method: 'POST', body: grant });
  const { c_nonce: nonce } = await ask(`${issuer}/nonce`, { method: 'POST' });
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const proof = await new SignJWT({ aud: String(offer.credential_issuer), iat: Math.floor(Date.now() / 1_000), nonce })
    .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: await exportJWK(publicKey) })
    .sign(privateKey);
  const body = JSON.stringify({ credential_identifier: 'bench-0', proofs: { jwt: [proof] } });
  const asked = { 'content-type': 'application/json', authorization: `Bearer ${String(token)}` };
  const { credentials } = await ask(`${issuer}/credential`, { method: 'POST', headers: asked, body });
  if (!Array.isArray(credentials) || credentials.length !== 1) throw new Error('the credential is missing');
}

interface Probes {
  ms: number[];
  statuses: Map<number, number>;
  mostMemory: number;
}

/** Asks other routes, one after another, until the work is over. */
async function probed(gateway: GatewayProcess, work: Promise<unknown>): Promise<Probes> {
  const probes: Probes = { ms: [], statuses: new Map(), mostMemory: 0 };
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  for (let at = 0; !isOver; at += 1) {
    const from = performance.now();
    const response = await fetch(gateway.url + PROBED[at % PROBED.length]);
    await response.arrayBuffer();
    probes.ms.push(performance.now() - from);
    probes.statuses.set(response.status, (probes.statuses.get(response.status) ?? 0) + 1);
    probes.mostMemory = Math.max(probes.mostMemory, gateway.rssAnon());
    await delay(PROBE_MS);
  }
  return probes;
}

async function* bars(setting: Setting, gateway: GatewayProcess): AsyncIterable<Bar> {
  const people = await holders(setting, WALLETS);
  const partners: Pick<Setting, 'post'>[] = [];
  while (partners.length * OFFERS_OF_PARTNER < OFFERS)
    partners.push(await registered(gateway, setting.issuerDid, randomUUID()));
  const taken: Offer[] = [];
  await many(OFFERS, async (at) => {
    const { userId } = people[at % WALLETS] ?? {};
    const about = {
      issuerDid: setting.issuerDid,
      credentialId: 'bench-0',
      userId,
      txCode: 'partner',
      expiresIn: 3_600,
    };
    const { post } = partners[at % partners.length] ?? setting;
    const { offerUri, txCode } = await post('/v1/offers', {
      ...about,
      credentialSubject: { note: `offer ${at}` },
    });
    if (at >= OFFERS - WALLETS) taken.push({ offerUri: String(offerUri), txCode: String(txCode) });
  });
  const before = gateway.rssAnon();
  const refused = { count: 0 };
  const from = performance.now();
  const work = Promise.allSettled(taken.map((offer, at) => take(gateway, offer, at, refused)));
  const { ms, statuses, mostMemory } = await probed(gateway, work);
  const ended = (await work).flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  const seconds = (performance.now() - from) / 1_000;
  const issued = await setting.client.db('bench').collection('offers').countDocuments({ state: 'issued' });
  const size = `${OFFERS} open offers, ${WALLETS} wallets at once`;
  yield {
    ...{ name: `wallets with their credential; ${size}`, measured: (100 * issued) / WALLETS, limit: 99, unit: '%' },
    ...{
      holds: 'at least',
      detail: `${seconds.toFixed(1)} s; ${refused.count} requests were refused and repeated${failures(ended)}`,
    },
  };
  const served = statuses.get(200) ?? 0;
  const shown = [...statuses].map(([status, count]) => `${count} times ${status}`).join(', ');
  const sorted = ms.sort((a, b) => a - b);
  const [half, most] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  yield {
    ...{ name: 'requests to other routes meanwhile: served, or refused at once', unit: '%', limit: 100 },
    ...{ measured: (100 * (served + (statuses.get(503) ?? 0))) / ms.length, holds: 'at least' },
    detail: `${shown}; median ${half.toFixed(0)} ms, slowest ${most.toFixed(0)} ms`,
  };
  yield { name: 'memory added', measured: (mostMemory - before) / MB, limit: 200, holds: 'at most', unit: 'MB' };
}

/** A repeat may come after the minute in which a lost token response can be repeated: the wallet is refused for good. */
const failures = ([first, ...others]: readonly string[]): string =>
  first === undefined ? '' : `; ${1 + others.length} wallets were refused, such as: ${first}`;

/** Bars of a crowd of wallets. */
export const walletCrowdBars = (): AsyncIterable<Bar> => withSetting(bars, { TRUST_PROXY: '1' });
