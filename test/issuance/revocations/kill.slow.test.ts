// A gateway that is killed in the midst of a revocation by filter revokes nothing twice and leaves nothing out.
import type { Connection } from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/base/config/config.js';
import { openStore } from '../../../src/store/connection.js';
import { GatewayProcess } from '../../support/gateway-process.js';
import { registerIssuer, registerPartner } from '../../support/partner.js';
import { copiesOf, finished, holdBefore, listOf, preview, start } from './support.js';

const CHUNK = 250;

describe('A gateway that is killed in the midst of a job', () => {
  const gateway = new GatewayProcess({ CHAIN: 'off', ZK: 'off' });
  afterAll(() => gateway.remove());

  it('a gateway that was killed during a revocation job continues it after its restart', async () => {
    const count = 3 * CHUNK;
    await gateway.start();
    const issuerDid = await registerIssuer(gateway.asGateway, 'club');
    const partner = await registerPartner(gateway.asGateway, [issuerDid]);
    const request = { issuerDid, credentialId: 'club-credential', credentialSubject: { note: 'x' }, email: 'a@b.org' };
    const { coreClaimHash } = (await partner.rest('POST', '/v1/credentials/issue-on-behalf', request)).body;
    const inStore = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
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
    await gateway.stop('SIGTERM');
    const release = await inStore((connection) => holdBefore(connection, 2));
    await gateway.start();
    const { jobId } = (await start(partner.rest, token)).body;
    const doneOf = async () => (await partner.rest('GET', `/v1/revocations/${jobId}`)).body.done;
    await expect.poll(doneOf, { interval: 5 }).toBeGreaterThan(0);
    await gateway.stop('SIGKILL');
    await gateway.start();
    // It was in the midst, and nothing shows yet.
    expect(await doneOf()).toBeLessThan(count);
    expect((await listOf(gateway)).set).toBe(0);
    await gateway.stop('SIGTERM');
    await inStore(release);
    await gateway.start();
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
  });
});
