// Two gateways and a chain: a partner starts on one, the holder answers on the other, and either is killed with SIGKILL in the midst of it. Each
// verification ends once, with its events, and is counted once. Few by default; 200 verifications and 50 kills take some minutes:
// VERIFICATIONS=200 VERIFICATION_KILLS=50 npx vitest run test/verification/kill.slow.test.ts
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain } from '../support/anvil.js';
import { openDatabase } from '../support/database.js';
import { databaseUri } from '../support/gateway.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { holdersOf, reachOf, verifyByWallet, verifyOne } from './processes.js';
import { PUBLIC, walletsOf } from './wallets/world.js';
import type { HeldCredential, Holder, Reach } from './world.js';

const KILLS = Number(process.env.VERIFICATION_KILLS ?? 1);
const VERIFICATIONS = Number(process.env.VERIFICATIONS ?? 4);
/** Answers of a holder in ten minutes are 30. */
const OF_HOLDER = 20;
const AT_ONCE = Math.max(2, Math.floor(VERIFICATIONS / 25));

/** One verification: started at one gateway, answered at the other; resolves with how it ends. */
type Verify = (one: Reach, two: Reach, at: number) => Promise<string>;

const FLOWS: [string, (world: Reach) => Promise<Verify>][] = [
  [
    'a holder answers',
    async (world) => {
      const holders = await holdersOf(world, Math.ceil(VERIFICATIONS / OF_HOLDER));
      return (one, two, at) => {
        const [holder, credential] = holders[at % holders.length] as [Holder, HeldCredential];
        return verifyOne(one, two, holder, credential);
      };
    },
  ],
  [
    'a wallet answers',
    async (world) => {
      const { held } = await walletsOf(world, PUBLIC, () => world.gateway.url).walletWith();
      return (one, two) => verifyByWallet(one, two, held);
    },
  ],
];

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('Gateways that are killed', () => {
  it.each(FLOWS)(
    'after kills, each verification that %s has one end, counted once',
    async (_who, prepare) => {
      const database = await openDatabase(registerModels);
      ends.push(() => database.close());
      const shared = {
        MONGODB_URI: databaseUri(database.connection.name),
        KEYSTORE_KEY: randomBytes(32).toString('base64'),
        PUBLIC_URL: PUBLIC,
      };
      const chain = await startChain();
      ends.push(() => chain.close());
      const env = { ...shared, ...(await chainEnvOf(chain)).env };
      const gateways = [new GatewayProcess(env), new GatewayProcess(env)] as const;
      ends.push(async () => {
        for (const gateway of gateways) gateway.remove();
      });
      for (const gateway of gateways) await gateway.start();
      const world = await reachOf(gateways[0]);
      const other = { ...world, gateway: gateways[1] };
      const verify = await prepare(world);

      const statuses: string[] = [];
      let next = 0;
      const lane = async (): Promise<void> => {
        while (next < VERIFICATIONS) {
          const at = next++;
          const [one, two] = at % 2 === 0 ? [world, other] : [other, world];
          statuses.push(await verify(one, two, at));
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
      await expect.poll(() => recount(database.connection), { interval: 500 }).toMatchObject({ sound: true });
    },
    3_600_000,
  );
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
