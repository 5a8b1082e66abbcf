// A gateway killed with SIGKILL while accounts are deployed and core ids minted, its devnet with it: each is on the chain once and told of once.
// Few by default; KILLS=10 has more of them.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import type { JobRow } from '../../src/chain/models.js';
import { openStore } from '../../src/store/connection.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { logIn, registerPartner } from '../support/partner.js';
import { makeKey, register } from './support.js';

const KILLS = Number(process.env.KILLS ?? 2);
const HOLDERS = 2;

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('A gateway that is killed', () => {
  const gateway = new GatewayProcess({ ZK: 'off' });
  afterAll(() => gateway.remove());

  it('a killed gateway loses no deployment and no core id, and repeats none', async () => {
    await gateway.start();
    const at = gateway.asGateway;
    const partner = await registerPartner(at);
    const sessions: Record<string, string>[] = [];
    for (let kill = 0; kill <= KILLS; kill += 1) {
      for (let holder = 0; holder < HOLDERS; holder += 1) {
        const headers = { authorization: `Bearer ${await logIn(at, partner, `${randomUUID()}@example.org`)}` };
        const key = await makeKey();
        const gql = async (query: string, variables?: Record<string, unknown>) =>
          (await at.rest('POST', '/graphql', { body: { query, variables }, headers })).body;
        await register({ gql }, key.address, (message) => key.sign(message));
        const claim = await at.rest('POST', '/v1/holders/me/core-id', { headers });
        expect(claim.status).toBe(202);
        sessions.push(headers);
        // The kill may come before the answer: the job is written or it is not.
        void at.rest('POST', '/v1/holders/me/account/deploy', { headers }).catch(() => {});
      }
      if (kill === KILLS) break;
      await delay(randomInt(2_000));
      await gateway.stop('SIGKILL');
      await gateway.start();
    }
    for (const headers of sessions) {
      await until(async () => {
        const account = await at.rest('GET', '/v1/holders/me/account', { headers });
        // 409 once it is deployed; under way it is the same one.
        if (account.body.deployed !== true) await at.rest('POST', '/v1/holders/me/account/deploy', { headers });
        const { coreId } = (await at.rest('GET', '/v1/holders/me', { headers })).body;
        return account.body.deployed === true && coreId?.status === 'minted';
      });
    }
    // An account is there before its job has ended.
    const query = '{ chainJobs(states: [QUEUED, SIGNED, SENT, MINED]) { jobId } }';
    await until(async () => {
      const { body } = await at.admin('POST', '/graphql', { body: { query } });
      return body.data.chainJobs.length === 0;
    });
    await gateway.stop('SIGTERM');
    const store = await openStore(loadConfig({ DATA_DIR: gateway.dataDir }));
    const { connection } = store;
    const jobs = (await connection.collection('chainJobs').find().toArray()) as unknown as JobRow[];
    const minted = await connection.collection('events').find({ type: 'core_id_minted' }).toArray();
    const takings = await connection.collection('gasTakings').countDocuments();
    // The partner's row, and one of each holder.
    const [spending] = await connection.collection('gasSpending').find().sort({ gas: -1 }).toArray();
    await store.close();
    expect(new Set(minted.map(({ viewers }) => viewers.holderId)).size).toBe(sessions.length);
    expect(minted).toHaveLength(sessions.length);
    expect(jobs.filter(({ kind }) => kind === 'account')).toHaveLength(sessions.length);
    expect(jobs.every(({ state }) => state === 'confirmed')).toBe(true);
    const nonces = jobs.map(({ nonce = -1 }) => nonce).sort((a, b) => a - b);
    expect(nonces).toEqual(jobs.map((_, place) => place));
    // What was taken for each came back but for what it used.
    expect(takings).toBe(0);
    const sponsored = jobs.filter(({ kind }) => kind === 'account' || kind === 'mint');
    expect(spending?.gas).toBe(sponsored.reduce((sum, { gasUsed = 0 }) => sum + gasUsed, 0));
  });
});
