// A gateway killed with SIGKILL while its claims go onto the chain, its devnet with it: each claim is there once, and no nonce is missing.
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
import { registerIssuer, registerPartner } from '../support/partner.js';

const KILLS = Number(process.env.KILLS ?? 2);
const ISSUANCES = 5;

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('A sender that is killed', () => {
  const gateway = new GatewayProcess({ ANCHOR_INTERVAL_S: '1', ZK: 'off' });
  afterAll(() => gateway.remove());

  it('a killed sender leaves nothing half done: the next one continues with what is stored', async () => {
    await gateway.start();
    const issuerDid = await registerIssuer(gateway.asGateway, 'killed');
    const partner = await registerPartner(gateway.asGateway, [issuerDid]);
    const hashes: string[] = [];
    for (let kill = 0; kill <= KILLS; kill += 1) {
      for (let at = 0; at < ISSUANCES; at += 1) {
        const body = { issuerDid, credentialId: 'killed-credential', credentialSubject: { note: 'x' } };
        const email = `${randomUUID()}@example.org`;
        const answer = await partner.rest('POST', '/v1/credentials/issue-on-behalf', { ...body, email });
        hashes.push(answer.body.coreClaimHash);
      }
      if (kill === KILLS) break;
      await delay(randomInt(3_000));
      await gateway.stop('SIGKILL');
      await gateway.start();
    }
    const roots = new Set<string>();
    for (const hash of hashes)
      await until(async () => {
        const { body } = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`);
        if (body.anchor) roots.add(body.anchor.root);
        return body.vcStatus === 'ONCHAIN';
      });
    await gateway.stop('SIGTERM');
    const store = await openStore(loadConfig({ DATA_DIR: gateway.dataDir }));
    const jobs = (await store.connection.collection('chainJobs').find().toArray()) as unknown as JobRow[];
    const events = await store.connection.collection('events').find({ type: 'anchored' }).toArray();
    await store.close();
    expect(events.map(({ payload }) => payload.coreClaimHash).sort()).toEqual([...hashes].sort());
    expect(jobs.every(({ state }) => state === 'confirmed')).toBe(true);
    const nonces = jobs.map(({ nonce = -1 }) => nonce).sort((a, b) => a - b);
    expect(nonces).toEqual(jobs.map((_, at) => at));
    expect(roots.size).toBe(jobs.filter(({ kind }) => kind === 'anchor').length);
  });
});
