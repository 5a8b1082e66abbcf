// What status lists cost: their revoked entries are read for each list once at a time, and one of the requests pays for it.
import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../src/base/callers/caller.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

const NOW = Date.now();
const FULL = 10_000;
const ENTRIES = 400;
const PATHS = ['/v1/credentials/status-lists/lists.1', '/v1/credentials/token-status-lists/lists.w1'] as const;
/** The request, and a GET. */
const READ = 1 + 4;

let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;
let addresses = 0;
let address = '';
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '1', REQUEST_POINTS: String(FULL / 5) }, clock: () => NOW });
  issuerDid = await registerIssuer(gateway, 'lists');
  partner = await registerPartner(gateway, [issuerDid]);
  const row = (index: number) => ({
    ...{ _id: randomUUID() as never, coreClaimHash: randomUUID(), revocationNonce: `of list ${index}` },
    ...{ statusListId: 'lists.1', statusListIndex: index, instances: [{ list: 'lists.w1', index, key: randomUUID() }] },
    ...{
      issuerId: 'lists',
      holderId: randomUUID(),
      revokedAt: new Date(NOW),
      createdAt: new Date(NOW),
      expiresAt: null,
    },
  });
  await gateway.app.connection.collection('issuances').insertMany(Array.from({ length: ENTRIES }, (_, at) => row(at)));
});
afterAll(() => gateway.close());
beforeEach(() => {
  addresses += 1;
  address = `198.51.100.${addresses}`;
});

const get = async (path: string, from = address): Promise<string> => {
  const answer = await fetch(gateway.url + path, { headers: { 'x-forwarded-for': from } });
  expect(answer.status).toBe(200);
  return answer.text();
};
const paid = (from = address): number => FULL - (gateway.app.points.of(ANONYMOUS, from)?.left ?? 0);
const ones = (jwt: string): number => {
  const { encodedList } = decodeJwt(jwt).credentialSubject as { encodedList: string };
  const bits = gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'));
  return bits.reduce((count, byte) => count + byte.toString(2).replaceAll('0', '').length, 0);
};

describe('A status list', () => {
  it.each(PATHS)('costs a point for 20 revoked entries: %s', async (path) => {
    await get(path);
    expect(paid()).toBeCloseTo(READ + ENTRIES / 20, 6);
  });

  it.each([
    ['bitstring', () => gateway.app.services.statusLists.signed('lists.1')],
    ['token', () => gateway.app.services.tokenLists.signed('lists.w1')],
  ])('is read twice for 20 requests at once, of which two pay: %s', async (_name, signed) => {
    const lists = await Promise.all(Array.from({ length: 20 }, signed));
    expect(new Set(lists.map(({ jwt }) => jwt)).size).toBe(1);
    expect(lists.map(({ points }) => points).filter((points) => points > 0)).toEqual([ENTRIES / 20, ENTRIES / 20]);
  });

  it('never lacks a revocation from before the request, whoever else reads it', async () => {
    const { userId } = (await partner.rest('POST', '/v1/auth/initialize-user', { email: 'lists@example.org' })).body;
    for (let round = 1; round <= 5; round += 1) {
      const body = { issuerDid, credentialId: 'lists-credential', credentialSubject: { note: 'n' }, userId };
      const { coreClaimHash } = (await partner.rest('POST', '/v1/credentials/issue-on-behalf', body)).body;
      const row = await gateway.app.connection.collection('issuances').findOne({ coreClaimHash });
      expect(row?.statusListId).toBe('lists.1');
      const meanwhile = Array.from({ length: 10 }, () => get(PATHS[0], '192.0.2.1'));
      await partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });
      expect(ones(await get(PATHS[0]))).toBe(ENTRIES + round);
      await Promise.all(meanwhile);
    }
  });
});
