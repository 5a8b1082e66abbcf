// The job of a revocation by filter: the status list changes once, and several processes revoke nothing twice and leave nothing out. What a kill
// leaves: kill.slow.test.ts.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { databaseUri, startGateway } from '../../support/gateway.js';
import { type Membership, startMembership } from '../../support/membership.js';
import { until } from '../../support/eventually.js';
import { copiesOf, finished, holdBefore, listOf, preview, start } from './support.js';

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
  it('the status list changes once for a whole job, however many chunks it has', async () => {
    world = await startMembership({ env: LESS });
    const count = 3 * CHUNK;
    await copiesOf(world.gateway.app.connection, await issueOne(world), count - 1);
    const seen = new Set([(await listOf(world.gateway)).set]);
    const { token } = await preview(world.partner, { credentialId: 'member' });
    const release = await holdBefore(world.gateway.app.connection, 2);
    const { jobId } = (await start(world.partner, token)).body;
    const done = async (): Promise<number> => (await world?.partner('GET', `/v1/revocations/${jobId}`))?.body.done;
    const isDone = (least: number) => async (): Promise<boolean> => {
      if (world) seen.add((await listOf(world.gateway)).set);
      return (await done()) >= least;
    };
    await until(isDone(2 * CHUNK));
    // In the midst of it.
    expect([await done(), (await listOf(world.gateway)).set]).toEqual([2 * CHUNK, 0]);
    await release(world.gateway.app.connection);
    await until(isDone(count));
    seen.add((await listOf(world.gateway)).set);
    expect([...seen].sort()).toEqual([0, count]);
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
  it('several gateways share a job, and revoke each issuance once', async () => {
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
