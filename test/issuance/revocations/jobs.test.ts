// The job of a revocation by filter: the status list changes once, and neither a kill nor several processes revoke anything twice or leave
// anything out.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/base/config.js';
import { openStore } from '../../../src/store/connection.js';
import { databaseUri, startGateway } from '../../support/gateway.js';
import { GatewayProcess } from '../../support/gateway-process.js';
import { type Membership, startMembership } from '../../support/membership.js';
import { registerIssuer, registerPartner } from '../../support/partner.js';
import { copiesOf, finished, listOf, preview, start } from './support.js';

const CHUNK = 250;
/** What the gateways can do without. */
const LESS = { CHAIN: 'off', ZK: 'off' };
let world: Membership | undefined;
afterEach(async () => {
  await world?.gateway.close();
  world = undefined;
});

async function issueOne({ partner, issuerDid }: Membership): Promise<string> {
  const credentialSubject = { level: 1, since: '2024-01-01' };
  const body = { issuerDid, credentialId: 'member', credentialSubject, email: `${randomUUID()}@example.org` };
  return (await partner('POST', '/v1/credentials/issue-on-behalf', body)).body.coreClaimHash;
}

describe('The status list', () => {
  it('changes once for a whole job, however many chunks it has', async () => {
    world = await startMembership({ env: LESS });
    const count = 3 * CHUNK;
    await copiesOf(world.gateway.app.connection, await issueOne(world), count - 1);
    const seen = new Set([(await listOf(world.gateway)).set]);
    const { token } = await preview(world.partner, { credentialId: 'member' });
    const { jobId } = (await start(world.partner, token)).body;
    let done = 0;
    const progress = new Set<number>();
    while (done < count) {
      seen.add((await listOf(world.gateway)).set);
      ({ done } = (await world.partner('GET', `/v1/revocations/${jobId}`)).body);
      progress.add(done);
      await delay(100);
    }
    seen.add((await listOf(world.gateway)).set);
    expect([...seen].sort()).toEqual([0, count]);
    // The list was read while the job was in the midst of it.
    expect(progress.size).toBeGreaterThan(2);
  });
});

/** Counts of what one job has left behind. */
async function traces({ gateway }: Membership, jobId: string) {
  const { connection } = gateway.app;
  const jobs = connection.collection<{ _id: string; state: string; done: number; revoked: number }>('revocationJobs');
  const job = await jobs.findOne({ _id: jobId });
  return {
    job: [job?.state, job?.done, job?.revoked],
    revoked: await connection.collection('issuances').countDocuments({ revocationJob: jobId }),
    events: await connection.collection('events').countDocuments({ type: 'revoked' }),
    ends: await connection.collection('events').countDocuments({ type: 'revocation_finished' }),
    entries: await connection.collection('auditEntries').countDocuments({ operation: 'issuance.revoke' }),
  };
}
const whole = (count: number) => ({
  job: ['finished', count, count],
  revoked: count,
  events: count,
  ends: 1,
  entries: count,
});

describe('Several gateways', () => {
  it('share a job, and revoke each issuance once', async () => {
    const env = { ...LESS, MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
    const count = 2 * CHUNK;
    world = await startMembership({ env });
    const second = await startGateway({ env });
    try {
      const { connection } = world.gateway.app;
      await copiesOf(connection, await issueOne(world), count - 1);
      const { token } = await preview(world.partner, { credentialId: 'member' });
      const { jobId } = (await start(world.partner, token)).body;
      const asOther = async (method: string, path: string) =>
        second.rest(method, path, { headers: { 'x-partner-auth': (await world?.token()) ?? '' } });
      expect(await finished(asOther, jobId)).toMatchObject({ revoked: count });
      expect(await traces(world, jobId)).toEqual(whole(count));
      expect((await listOf(second)).bits).toBe((await listOf(world.gateway)).bits);
    } finally {
      await second.app.close();
    }
  });
});

describe('A gateway that is killed in the midst of a job', () => {
  const gateway = new GatewayProcess(LESS);
  afterAll(() => gateway.remove());

  it('goes on where it was when it is started again', async () => {
    const count = 2 * CHUNK;
    await gateway.start();
    const issuerDid = await registerIssuer(gateway.asGateway, 'club');
    const partner = await registerPartner(gateway.asGateway, [issuerDid]);
    const request = { issuerDid, credentialId: 'club-credential', credentialSubject: { note: 'x' }, email: 'a@b.org' };
    const { coreClaimHash } = (await partner.rest('POST', '/v1/credentials/issue-on-behalf', request)).body;
    const inStore = async <T>(
      work: (connection: Membership['gateway']['app']['connection']) => Promise<T>,
    ): Promise<T> => {
      const store = await openStore(loadConfig({ DATA_DIR: gateway.dataDir }));
      await store.connected;
      try {
        return await work(store.connection);
      } finally {
        await store.close();
      }
    };
    await gateway.stop('SIGTERM');
    await inStore((connection) => copiesOf(connection, coreClaimHash, count - 1));
    await gateway.start();
    const { token, count: previewed } = await preview(partner.rest, { credentialId: 'club-credential' });
    expect(previewed).toBe(count);
    const { jobId } = (await start(partner.rest, token)).body;
    const doneOf = async () => (await partner.rest('GET', `/v1/revocations/${jobId}`)).body.done;
    await expect.poll(doneOf, { interval: 5, timeout: 60_000 }).toBeGreaterThan(0);
    await gateway.stop('SIGKILL');
    await gateway.start();
    // It was in the midst, and nothing shows yet.
    expect(await doneOf()).toBeLessThan(count);
    expect((await listOf(gateway)).set).toBe(0);
    expect(await finished(partner.rest, jobId)).toMatchObject({ count, done: count, revoked: count });
    expect((await listOf(gateway)).set).toBe(count);
    await gateway.stop('SIGTERM');
    const left = await inStore(async (connection) => ({
      revoked: await connection.collection('issuances').countDocuments({ revocationJob: jobId }),
      events: await connection.collection('events').countDocuments({ type: 'revoked' }),
      ends: await connection.collection('events').countDocuments({ type: 'revocation_finished' }),
      entries: await connection.collection('auditEntries').countDocuments({ operation: 'issuance.revoke' }),
    }));
    expect(left).toEqual({ revoked: count, events: count, ends: 1, entries: count });
  }, 300_000);
});
