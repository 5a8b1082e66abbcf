// Two gateways and a chain: a partner starts on one, the holder answers on the other, and either is killed with SIGKILL in the midst of it. Each
// verification ends once, with its events, and is counted once. Few by default; 200 verifications and 50 kills take some minutes:
// VERIFICATIONS=200 VERIFICATION_KILLS=50 npx vitest run test/verification/kill.test.ts
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Hex } from '../../src/chain/rpc.js';
import { viem } from '../../src/chain/viem.js';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { deployFor } from '../chain/support.js';
import { ANVIL, startChain } from '../support/anvil.js';
import { openDatabase } from '../support/database.js';
import { databaseUri, type RestAnswer } from '../support/gateway.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { SCHEMA } from '../support/membership.js';
import { registerPartner } from '../support/partner.js';
import {
  asVerifier,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  PROGRAM,
  pointsOf,
  proofOf,
  putProgram,
  type Reach,
  termsOf,
} from './world.js';

const KILLS = Number(process.env.VERIFICATION_KILLS ?? 1);
const VERIFICATIONS = Number(process.env.VERIFICATIONS ?? 4);
/** Answers of a holder in ten minutes are 30. */
const OF_HOLDER = 20;
const AT_ONCE = Math.max(2, Math.floor(VERIFICATIONS / 25));
const PLENTY = '0xd3c21bcecceda1000000';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An environment for gateways on one store and one chain. */
async function chainEnv(): Promise<Record<string, string>> {
  const chain = await startChain();
  ends.push(() => chain.close());
  const relayerKey: Hex = `0x${randomBytes(32).toString('hex')}`;
  const relayer = (await viem()).privateKeyToAccount(relayerKey).address;
  await chain.rpc('anvil_setBalance', relayer, PLENTY);
  await deployFor(chain, relayer);
  return {
    CHAIN_RPC_URL: chain.url,
    CHAIN_ID: '31337',
    RELAYER_PRIVATE_KEY: relayerKey,
    CHAIN_CONFIRMATIONS: '1',
    ANCHOR_INTERVAL_S: '1',
  };
}

/** Sends a request until it is answered; killed gateways and those that start answer nothing, or 503. */
async function persistently(send: () => Promise<RestAnswer>): Promise<RestAnswer> {
  for (;;) {
    const answer = await send().catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429 && !isUnderWay(answer)) return answer;
    await delay(100);
  }
}

/** What a killed process had begun under an idempotency-key or a lease. */
const isUnderWay = ({ status, headers }: RestAnswer): boolean => status === 409 && headers.has('retry-after');

async function verifyOne(one: Reach, two: Reach, holder: Holder, credential: HeldCredential): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  const start = () => asVerifier(one, 'POST', '/v1/verifications', { programId: PROGRAM }, key);
  const { verificationId: id } = (await persistently(start)).body;
  const { headers } = holder;
  const path = `/v1/verifications/${id}`;
  const { body: request } = await persistently(() => two.gateway.rest('GET', `${path}/request`, { headers }));
  const proof = proofOf(await termsOf(two, request, credential), credential);
  const answer = await persistently(() => two.gateway.rest('POST', `${path}/answer`, { body: proof, headers }));
  // 409: the answer was taken by a process that died before it said so.
  expect([200, 409]).toContain(answer.status);
  for (;;) {
    const { body } = await persistently(() => asVerifier(one, 'GET', `${path}?wait=5`));
    if (body.state === 'closed') return body.result.status;
  }
}

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('Gateways that are killed', () => {
  it('leave each verification with one end, counted once', async () => {
    const database = await openDatabase(registerModels);
    ends.push(() => database.close());
    const shared = {
      MONGODB_URI: databaseUri(database.connection.name),
      KEYSTORE_KEY: randomBytes(32).toString('base64'),
    };
    const env = { ...shared, ...(await chainEnv()) };
    const gateways = [new GatewayProcess(env), new GatewayProcess(env)] as const;
    ends.push(async () => {
      for (const gateway of gateways) gateway.remove();
    });
    for (const gateway of gateways) await gateway.start();
    const world = await reachOf(gateways[0]);
    const other = { ...world, gateway: gateways[1] };
    const holders = await holdersOf(world, Math.ceil(VERIFICATIONS / OF_HOLDER));

    const statuses: string[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < VERIFICATIONS) {
        const at = next++;
        const [holder, credential] = holders[at % holders.length] as [Holder, HeldCredential];
        const [one, two] = at % 2 === 0 ? [world, other] : [other, world];
        statuses.push(await verifyOne(one, two, holder, credential));
      }
    };
    const verifying = Promise.all(Array.from({ length: AT_ONCE }, lane));
    let isOver = false;
    void verifying.finally(() => {
      isOver = true;
    });
    for (let kill = 0; kill < KILLS && !isOver; kill += 1) {
      await delay(randomInt(100, 2_500));
      const killed = gateways[randomInt(2)] ?? gateways[0];
      await killed.stop('SIGKILL');
      await killed.start();
    }
    await verifying;
    expect(statuses).toEqual(Array.from({ length: VERIFICATIONS }, () => 'Compliant'));
    await auditOf(database.connection as never);
    await expect
      .poll(() => recount(database.connection), { timeout: 60_000, interval: 500 })
      .toMatchObject({ sound: true });
  }, 3_600_000);
});

/** What the store holds of it: no second of anything. */
async function auditOf(connection: Parameters<typeof recount>[0]): Promise<void> {
  const rows = await connection.collection('verifications').find().toArray();
  expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'Compliant'));
  expect(rows).toHaveLength(VERIFICATIONS);
  const events = await connection
    .collection('events')
    .find({ 'payload.verificationId': { $exists: true } })
    .toArray();
  const told = events.map(({ type, payload }) => `${payload.verificationId} ${type}`).sort();
  const steps = ['closed', 'proved', 'started'].map((step) => `verification_${step}`);
  expect(told).toEqual(rows.flatMap(({ _id }) => steps.map((step) => `${_id} ${step}`)).sort());
  const nullifiers = await connection.collection('nullifiers').find().toArray();
  expect(nullifiers.reduce((sum, { count }) => sum + count, 0)).toBe(VERIFICATIONS);
}

/** A partner, an issuer, its credential and the program, over a gateway of its own process. */
async function reachOf(gateway: GatewayProcess): Promise<Reach> {
  const put = (path: string, body: object) => gateway.admin('PUT', `/v1/admin/${path}`, { body });
  const { issuerDid } = (await put('issuers/club', { name: 'Club', issuerFrom: 'test', managed: true })).body;
  await put(`schemas/${encodeURIComponent(SCHEMA.$id)}`, { jsonSchema: SCHEMA });
  await put('credentials/member', { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id });
  const partner = await registerPartner(gateway.asGateway, [issuerDid]);
  await putProgram({ gateway }, PROGRAM, ['level = 3']);
  return { gateway, partner, issuerDid };
}

async function holdersOf(world: Reach, count: number): Promise<[Holder, HeldCredential][]> {
  const holders: [Holder, HeldCredential][] = [];
  for (let at = 0; at < count; at += 1) {
    const holder = await holderOf(world, `holder-${at}@example.org`);
    const credential = await issueTo(world, holder);
    await pointsOf(world, credential);
    holders.push([holder, credential]);
  }
  return holders;
}
