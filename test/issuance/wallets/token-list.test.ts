// Token status lists, read by nothing but jose and node:zlib: the vectors of the draft, and the bit of each copy.
import { inflateSync } from 'node:zlib';
import { compactVerify, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodedBits, maskOf } from '../../../src/issuance/wallets/token-list.js';
import { send, TestWallet } from '../../openid4vci/wallet.js';
import { databaseUri, startGateway } from '../../support/gateway.js';
import { EMAIL, type Membership, startMembership } from '../../support/membership.js';
import { copiesOf, finished, listOf, preview, start } from '../revocations/support.js';

const PUBLIC = 'http://wallets.localhost:4000';
let world: Membership;
let wallet: TestWallet;
/** The places of all copies that were issued. */
const taken = new Set<number>();
const own = (url: string): string => url.replace(PUBLIC, world.gateway.url);
beforeAll(async () => {
  world = await startMembership({ env: { PUBLIC_URL: PUBLIC } });
  wallet = new TestWallet(`${PUBLIC}/oid4vci/club`, own);
});
afterAll(() => world?.gateway.close());

const json = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString());

/** Issues copies of one credential; returns its claim hash, and the places of the copies. */
async function issue(email: string, copies: number) {
  const offer = {
    ...{ issuerDid: world.issuerDid, credentialId: 'member', credentialSubject: { level: 7, since: '2024-01-01' } },
    ...{ email, txCode: 'none', expiresIn: 600 },
  };
  const { body } = await world.partner('POST', '/v1/offers', offer);
  const { answer } = await wallet.take((await TestWallet.offerAt(body.offerUri, own)).body, { copies });
  const places: { uri: string; idx: number }[] = answer.body.credentials.map(
    ({ credential }: { credential: string }) => json(credential.split('.')[1]).status.status_list,
  );
  for (const { idx } of places) taken.add(idx);
  const { coreClaimHash } = (await world.partner('GET', `/v1/offers/${body.offerId}`)).body;
  return { coreClaimHash, places };
}

/** The list, checked as a verifier does. */
async function read(uri: string): Promise<Buffer> {
  const response = await fetch(own(uri));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/statuslist+jwt']);
  const jwt = await response.text();
  const metadata = await send(own(`${PUBLIC}/.well-known/jwt-vc-issuer/oid4vci/club`));
  const { keys } = metadata.body.jwks;
  const { protectedHeader, payload } = await compactVerify(jwt, ({ kid }) =>
    importJWK(keys.find((key: { kid: string }) => key.kid === kid)),
  );
  expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'statuslist+jwt', x5c: [expect.any(String)] });
  const { sub, iat, exp, ttl, status_list: list } = JSON.parse(Buffer.from(payload).toString());
  expect([sub, exp - iat, ttl, list.bits]).toEqual([uri, 86_400, 60, 1]);
  const bits = inflateSync(Buffer.from(list.lst, 'base64url'));
  expect(bits).toHaveLength(131_072 / 8);
  return bits;
}
const bitAt = (bits: Buffer, index: number): number => ((bits[index >> 3] ?? 0) >> (index & 7)) & 1;
const count = (bits: Buffer): number =>
  bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);

describe('The encoding of a list', () => {
  // §4.1 and the appendix "Test vectors for Status List encoding" of draft-ietf-oauth-status-list.
  it.each([
    ['the example of 16 bits', 16, [0, 3, 4, 5, 7, 8, 9, 13, 15], 'eNrbuRgAAhcBXQ'],
    [
      'the vector of 2^20 bits',
      2 ** 20,
      [0, 1993, 25460, 159495, 495669, 554353, 645645, 723232, 854545, 934534, 1000345],
      'eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAAAJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb',
    ],
  ])('is that of %s', async (_name, size, indexes, lst) => {
    const bits = Buffer.alloc(size / 8);
    for (const index of indexes) bits[index >> 3] = (bits[index >> 3] ?? 0) | maskOf(index);
    expect(inflateSync(Buffer.from(lst, 'base64url')).equals(bits)).toBe(true);
    expect(inflateSync(Buffer.from(await encodedBits(bits), 'base64url')).equals(bits)).toBe(true);
  });
});

describe('A token status list', () => {
  it('has the bit of each copy of a revoked issuance, and of no other', async () => {
    const [one, other] = [await issue(EMAIL, 3), await issue('grace@example.org', 2)];
    const [{ uri = '' } = {}] = one.places;
    expect(uri).toBe(`${PUBLIC}/v1/credentials/token-status-lists/club.w1`);
    expect(count(await read(uri))).toBe(0);
    await world.partner('POST', '/v1/credentials/revoke', { coreClaimHash: one.coreClaimHash });
    const bits = await read(uri);
    expect(one.places.map(({ idx }) => bitAt(bits, idx))).toEqual([1, 1, 1]);
    expect(other.places.map(({ idx }) => bitAt(bits, idx))).toEqual([0, 0]);
    expect(count(bits)).toBe(3);
  });

  it('shows a revocation by filter of 1,000 when the bitstring does, whole', async () => {
    const { connection } = world.gateway.app;
    const { coreClaimHash, places } = await issue('hedy@example.org', 2);
    const [{ uri = '' } = {}] = places;
    const others = Array.from({ length: 1_024 }, (_, copy) => copy * 128)
      .filter((index) => !taken.has(index))
      .slice(0, 1_000);
    await copiesOf(connection, coreClaimHash, others.length, (copy) => {
      const [index = 0] = others.slice(copy);
      return { instances: [{ key: `key ${index}`, list: 'club.w1', index }] };
    });
    const [set, before] = [(await listOf(world.gateway)).set, count(await read(uri))];
    const { token, count: previewed } = await preview(world.partner, { credentialId: 'member' });
    expect(previewed).toBeGreaterThanOrEqual(1_000);
    const { jobId } = (await start(world.partner, token)).body;
    const seen = new Set<string>();
    for (let state = ''; state !== 'finished'; ) {
      ({ state } = (await world.partner('GET', `/v1/revocations/${jobId}`)).body);
      // Read before and after, so that the lists are of one moment.
      const early = (await listOf(world.gateway)).set;
      const tokens = count(await read(uri));
      const late = (await listOf(world.gateway)).set;
      if (early === late) seen.add(`${late - set} ${tokens - before}`);
    }
    await finished(world.partner, jobId);
    const bits = await read(uri);
    expect([...places.map(({ idx }) => idx), ...others].filter((index) => bitAt(bits, index) === 0)).toEqual([]);
    expect(seen).toEqual(new Set(['0 0', `${previewed} ${count(bits) - before}`]));
    expect(count(bits) - before).toBeGreaterThanOrEqual(1_001);
  });

  it('is not sent again unchanged, and changes with the next revocation', async () => {
    const { coreClaimHash, places } = await issue('lin@example.org', 1);
    const [{ uri = '' } = {}] = places;
    const first = await fetch(own(uri));
    const etag = first.headers.get('etag') ?? '';
    const again = async () => (await fetch(own(uri), { headers: { 'if-none-match': etag } })).status;
    expect(first.headers.get('cache-control')).toBe('public, max-age=60');
    expect(await again()).toBe(304);
    await world.partner('POST', '/v1/credentials/revoke', { coreClaimHash });
    expect(await again()).toBe(200);
  });

  it.each([
    ['/v1/credentials/token-status-lists/club.w1', 'application/statuslist+jwt'],
    ['/v1/credentials/status-lists/club.1', 'application/vc+jwt'],
    ['/v1/credentials/status-lists/club.1', 'application/json'],
  ])('%s as %s is not sent again by another gateway, until a revocation', async (path, accept) => {
    const MONGODB_URI = databaseUri(world.gateway.app.connection.name);
    const other = await startGateway({ env: { MONGODB_URI, PUBLIC_URL: PUBLIC } });
    const { coreClaimHash } = await issue('mia@example.org', 1);
    const ask = (url: string, tag = '') => fetch(url + path, { headers: { accept, 'if-none-match': tag } });
    const tag = (await ask(world.gateway.url)).headers.get('etag') ?? '';
    const again = await ask(other.url, tag);
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
    await world.partner('POST', '/v1/credentials/revoke', { coreClaimHash });
    const changed = await ask(other.url, tag);
    expect([changed.status, (await ask(world.gateway.url, changed.headers.get('etag') ?? '')).status]).toEqual([
      200, 304,
    ]);
    await other.app.close();
  });

  it('has no earlier state, and is of a managed issuer', async () => {
    const at = '/v1/credentials/token-status-lists';
    const ask = async (path: string) => (await world.gateway.rest('GET', `${at}/${path}`)).status;
    expect(await ask('club.w1?time=1700000000')).toBe(501);
    for (const path of ['club', 'club.1', 'club.w0', 'club.w2', 'club.w1.w1', 'north.w1'])
      expect(await ask(path)).toBe(404);
  });
});
