// Which wallets get the credentials of an issuer: the profiles of its record, and OPENID4VC=off.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.js';
import { EMAIL, type Membership, startMembership } from '../support/membership.js';
import { send } from './wallet.js';

let world: Membership;
let off: Membership;
let root: string;
beforeAll(async () => {
  [world, off] = await Promise.all([startMembership(), startMembership({ env: { OPENID4VC: 'off' } })]);
  root = await (await fetch(`${world.gateway.url}/v1/sandbox/root.pem`)).text();
});
afterAll(() => Promise.all([world?.gateway.close(), off?.gateway.close()]));

const CLUB = { name: 'Club', issuerFrom: 'test', managed: true };
const putClub = (wallets: unknown, { gateway }: { gateway: TestGateway } = world) =>
  gateway.admin('PUT', '/v1/admin/issuers/club', { body: { ...CLUB, wallets } });
const offer = ({ partner, issuerDid }: Membership = world) => {
  const about = { issuerDid, credentialId: 'member', credentialSubject: { level: 1, since: '2024-01-01' } };
  return partner('POST', '/v1/offers', { ...about, email: EMAIL, txCode: 'partner' });
};
const PATHS = [
  ['GET', '/.well-known/openid-credential-issuer/oid4vci/club'],
  ['GET', '/.well-known/oauth-authorization-server/oid4vci/club'],
  ['GET', '/oid4vci/club/offers/x'],
  ['POST', '/oid4vci/club/token'],
  ['POST', '/oid4vci/club/nonce'],
  ['POST', '/oid4vci/club/credential'],
  ['POST', '/oid4vci/club/notification'],
] as const;
const statuses = ({ gateway }: Membership = world) =>
  Promise.all(PATHS.map(async ([method, path]) => (await fetch(gateway.url + path, { method })).status));

describe('The profile of an issuer', () => {
  it('is open without a word in its record', async () => {
    const { body } = await world.gateway.admin('GET', '/v1/admin/issuers/club');
    expect(body.wallets).toBeNull();
    expect((await offer()).body.offerUri).toMatch(/^openid-credential-offer:\/\/\?/);
    expect((await statuses())[0]).toBe(200);
  });

  it('off: wallets find no such issuer, and there are no offers; keys stay, for what was issued', async () => {
    const before = (await offer()).body;
    expect((await putClub({ profile: 'off' })).status).toBe(200);
    expect(await statuses()).toEqual(PATHS.map(() => 404));
    expect((await offer()).body).toMatchObject({
      error: 409,
      message: expect.stringContaining('no credentials for wallets'),
    });
    const { pathname } = new URL(new URL(before.offerUri).searchParams.get('credential_offer_uri') ?? '');
    const address = world.gateway.url + pathname;
    expect((await fetch(address)).status).toBe(404);
    const keys = await send(`${world.gateway.url}/.well-known/jwt-vc-issuer/oid4vci/club`);
    expect([keys.status, keys.body.jwks.keys.length]).toEqual([200, 1]);
    expect((await world.gateway.rest('GET', '/v1/credentials/token-status-lists/club.w1')).status).toBe(200);
    expect((await putClub(null)).status).toBe(200);
    expect((await fetch(address)).status).toBe(200);
  });

  it('haip: offers have its own scheme', async () => {
    const providers = [root];
    const wallets = { profile: 'haip', walletProviders: providers, keyProviders: providers };
    expect((await putClub(wallets)).body.wallets).toEqual(wallets);
    // The sandbox gives every issuer a certificate.
    expect((await offer()).body.offerUri).toMatch(/^haip-vci:\/\/\?/);
    await putClub(null);
  });

  it.each([
    ['a profile that is unknown', { profile: 'strict' }, 'profile'],
    ['a provider that is no certificate', { walletProviders: ['x'] }, 'walletProviders'],
    ['a public key', { keyProviders: ['-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----'] }, 'keyProviders'],
    ['eleven providers', { keyProviders: Array.from({ length: 11 }, () => '') }, 'keyProviders'],
    ['an unknown member', { providers: [] }, 'providers'],
  ])('%s is refused', async (_name, wallets, field) => {
    const { status, body } = await putClub(wallets);
    expect([status, body.message]).toEqual([400, expect.stringContaining(`"wallets.${field}`)]);
  });

  it('two certificates in one text are refused', async () => {
    const { status } = await putClub({ walletProviders: [root + root] });
    expect(status).toBe(400);
  });

  it('is changed by keys of the role all only', async () => {
    const { body } = await world.gateway.admin('GET', '/v1/admin/issuers/club');
    const key = 'mutation { createOperatorKey(input: { name: "catalog", role: CATALOG }) { key } }';
    const { data } = await world.gateway.gql(key, {}, { 'x-admin-api-key': world.gateway.operatorKey });
    const headers = { 'x-admin-api-key': data.createOperatorKey.key };
    const put = (wallets: unknown) =>
      world.gateway.rest('PUT', '/v1/admin/issuers/club', { body: { ...CLUB, wallets }, headers });
    expect((await put({ profile: 'off' })).status).toBe(403);
    expect((await put(body.wallets)).status).toBe(200);
  });
});

describe('OPENID4VC=off', () => {
  it('wallets find nothing, and offers are refused', async () => {
    expect(await statuses(off)).toEqual(PATHS.map(() => 404));
    const { status, body } = await offer(off);
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { message: 'Wallets of others are not served here.' },
    });
    for (const [method, path] of [
      ['GET', '/v1/offers'],
      ['GET', '/v1/offers/5f0c1c64-1c6f-4f5e-9d8e-6a3f0f6f2b11'],
      ['DELETE', '/v1/offers/5f0c1c64-1c6f-4f5e-9d8e-6a3f0f6f2b11'],
    ] as const)
      expect((await off.partner(method, path)).status).toBe(503);
    const { errors } = await off.gateway.gql(
      '{ offers { nodes { offerId } } }',
      {},
      { 'x-partner-auth': await off.token() },
    );
    expect(errors?.[0]?.extensions.code).toBe('OPENID4VC_OFF');
  });
});
