// Two partners at once, over some hundred requests: neither ever sees, deletes, revokes or replays what is the other's.
// `ISOLATION_REQUESTS=1000` has more of them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { encrypt } from '../support/holder-device.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

const REQUESTS = Number(process.env.ISOLATION_REQUESTS ?? 240);
const AT_ONCE = 16;

interface Side {
  partner: TestPartner;
  headers: Record<string, string>;
  issuerDid: string;
  recipient: { did: string; publicKey: string; userId: string };
  /** What this side has made: claim hashes and ids of stored packages. */
  hashes: string[];
  stored: string[];
}

let gateway: TestGateway;
let sides: [Side, Side];

async function makeSide(name: string): Promise<Side> {
  const issuerDid = await registerIssuer(gateway, name);
  const partner = await registerPartner(gateway, [issuerDid]);
  const headers = { 'x-partner-auth': await partner.token() };
  const recipient = (await partner.rest('POST', '/v1/auth/initialize-user', { email: `${name}@example.org` })).body;
  return { partner, headers, issuerDid, recipient, hashes: [], stored: [] };
}

beforeAll(async () => {
  gateway = await startGateway();
  sides = [await makeSide('left'), await makeSide('right')];
});
afterAll(() => gateway.close());

const last = (list: readonly string[]): string => list.at(-1) ?? randomUUID();

/** What each request does, and what it must find; `round` makes both sides use the same idempotency keys. */
const ACTS: ((own: Side, other: Side, round: number) => Promise<void>)[] = [
  async (own, _other, round) => {
    const name = own.issuerDid === sides[0].issuerDid ? 'left' : 'right';
    const body = {
      issuerDid: own.issuerDid,
      credentialId: `${name}-credential`,
      credentialSubject: { note: name },
      userId: own.recipient.userId,
    };
    const headers = { ...own.headers, 'idempotency-key': `key-${round}` };
    const issued = await gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body, headers });
    expect([issued.status, issued.body.credentialId]).toEqual([200, `${name}-credential`]);
    own.hashes.push(issued.body.coreClaimHash);
  },
  async (own, _other, round) => {
    const schemaId = own.issuerDid === sides[0].issuerDid ? 'left-schema' : 'right-schema';
    const body = {
      holderDid: own.recipient.did,
      schemaId,
      expiresAt: null,
      ...encrypt('x', own.recipient.publicKey),
      externalId: `external-${round}`,
    };
    const stored = await gateway.rest('POST', '/v1/dstorage/vcs', { body, headers: own.headers });
    expect(stored.status).toBe(201);
    own.stored.push(stored.body.storagePath.split('/').at(-1));
  },
  async (own, other) => {
    const { status } = await gateway.rest('GET', `/v1/dstorage/vcs/${last(other.stored)}`, { headers: own.headers });
    expect(status).toBe(404);
  },
  async (own, other) => {
    const { status } = await gateway.rest('DELETE', `/v1/dstorage/vcs/${last(other.stored)}`, { headers: own.headers });
    expect(status).toBe(404);
  },
  async (own, other) => {
    const coreClaimHash = other.hashes.at(-1) ?? '0'.repeat(64);
    const { status } = await gateway.rest('POST', '/v1/credentials/revoke', {
      body: { coreClaimHash },
      headers: own.headers,
    });
    expect(status).toBe(404);
  },
  async (own) => {
    const { data } = await gateway.gql('{ issuances(first: 100) { nodes { issuerDid } } }', {}, own.headers);
    const strangers = data.issuances.nodes.filter(
      ({ issuerDid }: { issuerDid: string }) => issuerDid !== own.issuerDid,
    );
    expect(strangers).toEqual([]);
  },
];

it('two partners with interleaved requests see nothing of each other', async () => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < REQUESTS) {
      const at = next++;
      const [own, other] = at % 2 === 0 ? sides : [sides[1], sides[0]];
      const act = ACTS[Math.floor(at / 2) % ACTS.length];
      await act?.(own, other, Math.floor(at / 2));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const { data } = await gateway.gql('{ issuances { totalCount } }', {}, sides[0].headers);
  expect(data.issuances.totalCount).toBe(new Set(sides[0].hashes).size);
  expect(sides[0].hashes.length).toBeGreaterThan(REQUESTS / 20);
});
