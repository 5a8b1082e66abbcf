// What webhooks cost an issuance run, and how fast 1,000 endpoints are told of an event while some of them hang.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GatewayProcess } from './gateway-process.js';
import { holders, issue, many, type Setting, withSetting } from './issuance.js';
import { type Bar, median, timed } from './report.js';

const PARTNERS = 50;
const ENDPOINTS_EACH = 20;
const HANGING_EVERY = 100;
/** Rounds whose latencies count, after others in which the endpoints are met. */
const ROUNDS = 8;
const WARM = 3;
const ROUND_MS = 4_000;
const ISSUANCES = 1_200;
const BLOCKS = 4;

/** All receivers in one: a path each. */
class Receivers {
  readonly latencies: number[] = [];
  count = 0;
  readonly #server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url?.startsWith('/hang')) return;
      this.count += 1;
      this.latencies.push(Date.now() - Date.parse((body as { timestamp: string }).timestamp));
      response.writeHead(204).end();
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', 4_096, resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits until so many have come in all. */
  async reached(count: number): Promise<void> {
    while (this.count < count) await delay(20);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const callerOf =
  (url: string, token: string): Call =>
  async (method, path, body) => {
    const headers = { 'x-partner-auth': token, ...(body ? { 'content-type': 'application/json' } : {}) };
    const answer = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`${method} ${path} failed: ${await answer.text()}`);
    return answer.status === 204 ? {} : ((await answer.json()) as Record<string, unknown>);
  };

/** A thousand endpoints of fifty partners, which want to know of catalog changes; one in a hundred hangs. */
async function registerAll(gateway: GatewayProcess, receivers: string): Promise<void> {
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const rights = { scopes: ['issue'], issuerDids: [], issueOnBehalf: false, allowedOrigins: [], requireTyp: true };
  for (let partner = 0; partner < PARTNERS; partner += 1) {
    const partnerId = randomUUID();
    await gateway.put(`partners/${partnerId}`, { name: 'Bench', jwks: { keys: [jwk] }, ...rights });
    const token = await new SignJWT({ partnerId, scope: 'issue' })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
      .setExpirationTime('14m')
      .sign(keys.privateKey);
    const call = callerOf(gateway.url, token);
    for (let at = 0; at < ENDPOINTS_EACH; at += 1) {
      const index = partner * ENDPOINTS_EACH + at;
      const path = index % HANGING_EVERY === 0 ? `/hang/${index}` : `/${index}`;
      await call('POST', '/v1/webhooks', { url: receivers + path, types: ['catalog_entry_changed'] });
    }
  }
}

async function* thousand(gateway: GatewayProcess): AsyncIterable<Bar> {
  const receivers = new Receivers();
  await registerAll(gateway, await receivers.start());
  const credential = { name: 'Bench', category: 'Bench', issuerId: 'bench', schemaId: 'bench' };
  const working = PARTNERS * ENDPOINTS_EACH * (1 - 1 / HANGING_EVERY);
  for (let round = 0; round < WARM + ROUNDS; round += 1) {
    if (round === WARM) receivers.latencies.length = 0;
    await gateway.put('credentials/bench-0', { ...credential, name: `Bench ${round}` });
    await Promise.all([receivers.reached((round + 1) * working), delay(ROUND_MS)]);
  }
  receivers.stop();
  const sorted = [...receivers.latencies].sort((a, b) => a - b);
  yield {
    name: '1,000 endpoints of which 10 hang: median time from an event to the others',
    measured: median(sorted),
    limit: 1_000,
    holds: 'at most',
    unit: ' ms',
    detail: `99 of 100 within ${sorted[Math.floor(sorted.length * 0.99)]} ms, the last after ${sorted.at(-1)} ms`,
  };
}

async function* issuing(setting: Setting, gateway: GatewayProcess): AsyncIterable<Bar> {
  const receivers = new Receivers();
  const url = await receivers.start();
  const call = callerOf(gateway.url, setting.token);
  const people = await holders(setting, ISSUANCES);
  const user = (i: number): string => people[i % people.length]?.userId ?? '';
  await many(64, (i) => issue(setting, user(i), 99));
  const perBlock = ISSUANCES / BLOCKS;
  let [without, told, arrived] = [0, 0, 0];
  for (let block = 0; block < BLOCKS; block += 1) {
    const issueBlock = (credential: number) =>
      many(perBlock, (i) => issue(setting, user(block * perBlock + i), credential));
    without += await timed(() => issueBlock(1 + block));
    await delay(2_000);
    const { webhookId } = await call('POST', '/v1/webhooks', { url, types: ['submitted', 'stored'] });
    const before = receivers.count;
    const began = performance.now();
    told += await timed(() => issueBlock(20 + block));
    await receivers.reached(before + 2 * perBlock);
    arrived += performance.now() - began;
    await call('DELETE', `/v1/webhooks/${webhookId}`);
    await delay(2_000);
  }
  receivers.stop();
  const rate = (ms: number): string => `${Math.round((ISSUANCES / ms) * 1_000)}/s`;
  yield {
    name: 'what an endpoint that is told of every issuance costs an issuance run',
    measured: 100 * (1 - without / told),
    limit: 20,
    holds: 'at most',
    unit: '%',
    detail: `${rate(told)} against ${rate(without)}; all ${2 * ISSUANCES} delivered at ${rate(arrived / 2)}`,
  };
}

/** The bars of webhooks. */
export const webhookBars = (): AsyncIterable<Bar> =>
  withSetting(async function* (setting, gateway) {
    yield* issuing(setting, gateway);
    yield* thousand(gateway);
  });
