// Claims that issuers state with credentials for wallets (contract §35), and that are refused; whose issuances they are.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logIn, registerPartner } from '../support/partner.js';
import { errorOf } from './authorizing-world.js';
import { claimsWorld, newClaim, somebody } from './claims-world.js';
import { OFFICE } from './without-offer-world.js';

const here = await claimsWorld();
const { gateway, world, rows, tokenFor, ask, states, issuanceOf, put } = here;
afterAll(() => here.close());
beforeEach(() => here.calm());

describe('A claim that is not right', () => {
  const taken = newClaim();
  beforeAll(async () => {
    states(taken);
    await ask(await tokenFor());
  });

  it.each<[string, () => object | null | string, string]>([
    ['of another issuer', () => newClaim({ issuerDid: world.issuerDid }), '503 temporarily_unavailable'],
    ['of another credential', () => newClaim({ credentialId: 'member' }), '503 temporarily_unavailable'],
    ['with half a hash', () => newClaim({ coreClaimHash: 'ab'.repeat(16) }), '503 temporarily_unavailable'],
    ['with a hash in capitals', () => newClaim({ coreClaimHash: 'AB'.repeat(32) }), '503 temporarily_unavailable'],
    ['with a nonce of 65 bits', () => newClaim({ revocationNonce: String(2n ** 64n) }), '503 temporarily_unavailable'],
    ['with a nonce that is a number', () => newClaim({ revocationNonce: 7 }), '503 temporarily_unavailable'],
    ['that is null', () => null, '503 temporarily_unavailable'],
    ['that is a text', () => 'claim', '503 temporarily_unavailable'],
    [
      'with a hash of somebody else',
      () => newClaim({ coreClaimHash: taken.coreClaimHash }),
      '400 credential_request_denied',
    ],
    [
      'with a nonce of somebody else',
      () => newClaim({ revocationNonce: taken.revocationNonce }),
      '400 credential_request_denied',
    ],
    ['that somebody else has', () => taken, '400 credential_request_denied'],
    ['of no version of the schema', () => newClaim({ schemaVersion: 9 }), '400 credential_request_denied'],
  ])('%s: nothing is issued, and the credentials are not passed on', async (_name, claimOf, error) => {
    const before = await rows('issuances').countDocuments({});
    states(claimOf());
    const answer = await ask(await tokenFor());
    expect(errorOf(answer)).toBe(error);
    expect(Object.keys(answer.body).sort()).toEqual(['error', 'error_description']);
    expect(await rows('issuances').countDocuments({})).toBe(before);
    expect(await issuanceOf(taken)).toMatchObject({ live: true });
  });

  it('is not issued for a holder who has declined the partner', async () => {
    const email = somebody();
    const token = await tokenFor(email);
    const headers = { authorization: `Bearer ${await logIn(gateway, world.partner, email)}` };
    const path = `/v1/holders/me/partners/${world.partner.partnerId}`;
    expect((await gateway.rest('PUT', path, { headers, body: { consent: 'declined' } })).status).toBe(200);
    const claim = newClaim();
    states(claim);
    expect(errorOf(await ask(token))).toBe('400 credential_request_denied');
    expect(await issuanceOf(claim)).toBeNull();
    expect(errorOf(await ask(token))).toBe('401 invalid_token');
  });

  it.each([
    ['after its window', { accessibleEnd: '2020-01-01T00:00:00Z' }],
    ['beyond its maximum', { maximumIssuance: 1 }],
  ])('is not issued %s', async (_name, more) => {
    const { body: record } = await gateway.admin('GET', '/v1/admin/credentials/identity');
    const { name, category, issuerId, schemaId, vct } = record;
    await put('credentials/identity', { name, category, issuerId, schemaId, vct, ...more });
    const claim = newClaim();
    states(claim);
    expect(errorOf(await ask(await tokenFor()))).toBe('400 credential_request_denied');
    expect(await issuanceOf(claim)).toBeNull();
    await put('credentials/identity', { name, category, issuerId, schemaId, vct });
  });
});

async function change(partnerId: string | undefined, changes: object): Promise<void> {
  const { body: record } = await gateway.admin('GET', `/v1/admin/partners/${partnerId}`);
  const { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp, allowedOrigins } = record;
  const body = { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp, allowedOrigins, ...changes };
  await put(`partners/${partnerId}`, body);
}

describe('The partner of what an issuer answers', () => {
  it('is the first, by id, that may issue for it; without one, a claim is refused', async () => {
    const partners = rows('partners');
    const ids = [world.partner, await registerPartner(gateway, [OFFICE]), await registerPartner(gateway, [OFFICE])].map(
      ({ partnerId }) => partnerId,
    );
    const sorted = [...ids].sort();
    const partnerOf = async () => {
      const claim = newClaim();
      states(claim);
      const { status } = await ask(await tokenFor());
      return status === 200 ? (await issuanceOf(claim))?.partnerId : status;
    };
    expect(await partners.countDocuments({ issuerDids: OFFICE })).toBe(3);
    expect(await partnerOf()).toBe(sorted[0]);
    // Signing is not on behalf.
    await change(sorted[0], { issueOnBehalf: false });
    expect(await partnerOf()).toBe(sorted[0]);
    await change(sorted[0], { scopes: ['verify'] });
    expect(await partnerOf()).toBe(sorted[1]);
    await change(sorted[1], { issuerDids: [] });
    expect(await partnerOf()).toBe(sorted[2]);
    await change(sorted[2], { issuerDids: [] });
    expect(await partnerOf()).toBe(400);
    world.officeGives();
    expect((await ask(await tokenFor())).status).toBe(200);
  });
});

describe('The partner of what a managed issuer says', () => {
  it('is the first, by id, that may issue on its behalf', async () => {
    await registerPartner(gateway, [world.issuerDid]);
    const rights = { issuerDids: [world.issuerDid], issueOnBehalf: true, scopes: ['issue', 'verify'] };
    await change(world.partner.partnerId, rights);
    const acting = await rows('partners').find({ issuerDids: world.issuerDid }).toArray();
    const ids = acting.map(({ _id }) => String(_id)).sort();
    const ofClub = async () => {
      world.backEnd.answer = () => [200, { credentialSubject: { level: 7, since: '2024-01-01' } }];
      const at = world.at('club');
      const { body } = await world.token(at, 'member', somebody());
      const { status } = await world.ask(at, body.access_token, 'member');
      const [row] = await rows('issuances').find({ credentialId: 'member' }).sort({ createdAt: -1 }).limit(1).toArray();
      return status === 200 ? row?.partnerId : status;
    };
    expect(await ofClub()).toBe(ids[0]);
    await change(ids[0], { issueOnBehalf: false });
    expect(await ofClub()).toBe(ids[1]);
    await change(ids[1], { scopes: ['verify'] });
    expect(await ofClub()).toBe(400);
  });
});

describe('The metadata of an issuer that signs for itself', () => {
  it('has no grant of offers, which it does not have', async () => {
    const server = async (issuerId: string) => {
      const path = `/.well-known/oauth-authorization-server/oid4vci/${issuerId}`;
      return (await gateway.rest('GET', path)).body;
    };
    const [office, club] = [await server('office'), await server('club')];
    const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
    expect(office.grant_types_supported).toEqual(['authorization_code', 'refresh_token']);
    expect(office).not.toHaveProperty('pre-authorized_grant_anonymous_access_supported');
    expect(club.grant_types_supported).toContain(grant);
    const { wallet } = world.at('office');
    const answer = await wallet.token({ grant_type: grant, 'pre-authorized_code': 'x' });
    expect(errorOf(answer)).toBe('400 unsupported_grant_type');
  });
});
