// Two gateways on one store issue, revoke, verify, mint and deploy while whichever of them sends is killed with SIGKILL at random points, and
// the chain is reorganised: everything is on the chain once, every status and event is right, no nonce is missing. A small run by default; the
// whole one (1,000 issuances, 50 kills) takes a quarter of an hour or more:
// CHAIN_CHAOS_SCALE=1 npx vitest run test/chain/chaos.slow.test.ts
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { afterEach, describe, expect, it } from 'vitest';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { openDatabase } from '../support/database.js';
import { until } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { reachOf } from '../verification/processes.js';
import { claimFaults, isSettled, jobFaults, rootFaults, verificationFaults, walletFaults } from './chaos-audit.js';
import { ChaosLoad, type Counts } from './chaos-load.js';
import { chainEnvOf } from './support.js';

const SCALE = Number(process.env.CHAIN_CHAOS_SCALE ?? 0);
const scaled = (whole: number, least: number): number => Math.max(least, Math.round(whole * SCALE));
const COUNTS: Counts = {
  issuances: scaled(1_000, 10),
  revocations: scaled(300, 3),
  verifications: scaled(200, 2),
  wallets: scaled(20, 2),
  kills: scaled(50, 2),
  reorganisations: scaled(10, 1),
};
const DEEPEST = 5;
const HOURS_MS = 3 * 3_600_000;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Two gateways on a store and a chain whose blocks come every second. */
async function stage() {
  const database = await openDatabase(registerModels);
  ends.push(() => database.close());
  const chain = await startChain();
  ends.push(() => chain.close());
  const { relayer, env } = await chainEnvOf(chain);
  await chain.rpc('evm_setAutomine', false);
  await chain.rpc('evm_setIntervalMining', 1);
  const shared = {
    ...env,
    CHAIN_CONFIRMATIONS: '2',
    MONGODB_URI: databaseUri(database.connection.name),
    KEYSTORE_KEY: randomBytes(32).toString('base64'),
  };
  const gateways = [new GatewayProcess(shared), new GatewayProcess(shared)] as const;
  ends.push(async () => {
    for (const gateway of gateways) gateway.remove();
  });
  for (const gateway of gateways) await gateway.start();
  return { connection: database.connection, chain, relayer, gateways };
}

/** Kills the sender again and again. Only the first time either may be it: later it is the one that was left. */
class Killer {
  killed = 0;
  #next = 0;
  #starting: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: Connection,
    private readonly chain: TestChain,
    private readonly gateways: readonly GatewayProcess[],
    private readonly load: ChaosLoad,
  ) {}

  /** What may be under way before the next kill, as a share of the load. */
  get released(): number {
    return (this.killed + 1) / COUNTS.kills;
  }

  async run(): Promise<void> {
    const { kills, reorganisations } = COUNTS;
    const every = Math.ceil(kills / reorganisations);
    while (this.killed < kills) {
      const isReorganised = this.killed % every === 0;
      // However slow the machine is, both run, and each kill meets work.
      await this.#starting;
      await until(async () => this.load.done >= this.killed / kills - 0.1);
      await delay(randomInt(4_000));
      if (isReorganised && randomInt(2) === 0) await this.#reorganise();
      else if (isReorganised) void delay(randomInt(4_000)).then(() => this.#reorganise());
      if (await this.#kill()) this.killed += 1;
    }
    await this.#starting;
  }

  /** Returns whether it was the sender: then the lease gets another token. */
  async #kill(): Promise<boolean> {
    const gateway = this.gateways[this.#next] as GatewayProcess;
    await gateway.stop('SIGKILL');
    const before = await this.#lease();
    this.#next = 1 - this.#next;
    await until(async () => (await this.#lease()).until !== before.until);
    const wasSender = (await this.#lease()).token !== before.token;
    this.#starting = gateway.start();
    return wasSender;
  }

  async #lease(): Promise<{ token: number; until: number }> {
    const row = await this.connection.collection('leases').findOne({ _id: 'chain' as never });
    return { token: Number(row?.token), until: Number(row?.expiresAt) };
  }

  #reorganise(): Promise<unknown> {
    return this.chain.rpc('anvil_reorg', randomInt(1, DEEPEST + 1), []);
  }
}

describe.skipIf(ANVIL === undefined || process.platform === 'win32')(
  'Senders that are killed while the chain is reorganised',
  () => {
    it(
      'killed senders and reorganisations leave everything on the chain once, with the right statuses and events',
      async () => {
        const { connection, chain, relayer, gateways } = await stage();
        const load = new ChaosLoad(await reachOf(gateways[0]), gateways, COUNTS);
        await load.prepare();
        const killer = new Killer(connection, chain, gateways, load);
        await Promise.all([killer.run(), load.run(() => killer.released)]);
        const [gateway] = gateways;
        await until(() => isSettled(connection, chain));
        const recounted = () => recount(connection);
        await expect.poll(recounted, { interval: 500 }).toMatchObject({ sound: true });

        expect(load.refused).toEqual([]);
        const { contracts } = (await gateway.rest('GET', '/v1/chain')).body;
        const statusOf = async (hash: string) =>
          (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body;
        expect(await jobFaults(connection, chain, relayer)).toEqual([]);
        expect(await rootFaults(connection, chain, contracts.anchorRegistry)).toEqual([]);
        expect(await claimFaults(connection, chain, load, statusOf)).toEqual([]);
        expect(await verificationFaults(connection, chain, COUNTS.verifications)).toEqual([]);
        expect(await walletFaults(connection, chain, contracts.coreId, COUNTS.wallets)).toEqual([]);
        for (const headers of load.wallets) {
          const account = (await gateway.rest('GET', '/v1/holders/me/account', { headers })).body;
          const { coreId } = (await gateway.rest('GET', '/v1/holders/me', { headers })).body;
          expect([account.deployed, coreId.status]).toEqual([true, 'minted']);
        }
        expect(load.verified).toEqual(Array.from({ length: COUNTS.verifications }, () => 'Compliant'));
      },
      HOURS_MS,
    );
  },
);
