// A gateway killed with SIGKILL at random moments of its issuances: what was acknowledged is whole and counted once, nothing is there by half.
// Few by default; KILLS=50 ISSUANCES=500 takes some minutes.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { recount } from '../../src/cli/traction.js';
import { openStore, type Store } from '../../src/store/connection.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

const KILLS = Number(process.env.KILLS ?? 4);
const ISSUANCES = Number(process.env.ISSUANCES ?? 16);
const AT_ONCE = 4;

const gateway = new GatewayProcess({ CHAIN: 'off', ZK: 'off' });
afterAll(() => gateway.remove());

/** Issues until the process dies or enough is issued; answers the acknowledged hashes. */
async function issueSome(partner: TestPartner, issuerDid: string, from: number, acknowledged: string[]): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < from + ISSUANCES) {
      const email = `holder-${next++ % 20}@example.org`;
      const body = { issuerDid, credentialId: 'killed-credential', credentialSubject: { note: 'x' }, email };
      const answer = await partner.rest('POST', '/v1/credentials/issue-on-behalf', body).catch(() => undefined);
      if (!answer) return;
      if (answer.status === 200) acknowledged.push(answer.body.coreClaimHash);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function tractionOf(): Promise<{ issuanceCount: number; holderCount: number }> {
  return (await gateway.rest('GET', '/v1/catalog/credentials/killed-credential')).body.data.traction;
}

/** What the store holds of issuances, each with its package and its events. */
async function audit({ connection }: Store) {
  const issuances = await connection.collection('issuances').find().toArray();
  const stored = new Set(
    (await connection.collection('storedCredentials').find().toArray()).map(({ coreClaimHash }) => coreClaimHash),
  );
  const submitted = (await connection.collection('events').find({ type: 'submitted' }).toArray()).map(
    ({ payload }) => payload.coreClaimHash,
  );
  // What the last kill left without a place gets one at the next start.
  const stamped = await connection
    .collection('events')
    .find({ seq: { $exists: true } })
    .sort({ seq: 1 })
    .toArray();
  const places = stamped.map(({ seq }) => Number(seq));
  return { issuances, stored, submitted, places };
}

it('a killed gateway keeps every acknowledged issuance complete, and counts each once', async () => {
  await gateway.start();
  const issuerDid = await registerIssuer(gateway.asGateway, 'killed');
  const partner = await registerPartner(gateway.asGateway, [issuerDid]);
  const acknowledged: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const before = acknowledged.length;
    const issuing = issueSome(partner, issuerDid, round * ISSUANCES, acknowledged);
    // In the midst of issuing, however long the first one takes after a start; every other round kills before that.
    if (round % 2 === 0) await expect.poll(() => acknowledged.length).toBeGreaterThan(before);
    await delay(randomInt(5, 300));
    await gateway.stop('SIGKILL');
    await issuing;
    await gateway.start();
  }
  await issueSome(partner, issuerDid, KILLS * ISSUANCES, acknowledged);
  const issued = (await gateway.admin('GET', '/v1/admin/issuance-history?limit=1')).body.pagination.total;
  await expect.poll(async () => (await tractionOf()).issuanceCount).toBeGreaterThanOrEqual(issued);
  const traction = await tractionOf();
  await gateway.stop('SIGKILL');
  const store = await openStore(loadConfig({ DATA_DIR: gateway.dataDir }));
  await store.connected;
  try {
    const { issuances, stored, submitted, places } = await audit(store);
    const hashes = new Set(issuances.map(({ coreClaimHash }) => coreClaimHash));
    expect(acknowledged.filter((hash) => !hashes.has(hash))).toEqual([]);
    expect(stored).toEqual(hashes);
    expect(submitted.sort()).toEqual([...hashes].sort());
    expect(places).toEqual(places.map((_, index) => index + 1));
    expect(traction).toMatchObject({
      issuanceCount: issuances.length,
      holderCount: new Set(issuances.map(({ holderId }) => holderId)).size,
    });
    expect(await recount(store.connection)).toMatchObject({ sound: true });
    expect(acknowledged.length).toBeGreaterThanOrEqual(ISSUANCES + KILLS / 2);
  } finally {
    await store.close();
  }
});
