// The wallet written from the specifications takes offers of a gateway: what it refuses is a fault of ours.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_OPENSSL, pemOf, startAuthority } from '../certificates/openssl.js';
import { answerTo, heldBy, holderOf, proofFor, recordOf, startOf, worldOf } from '../verification/world.js';
import type { Credential } from './credential.js';
import { Issuance } from './issuance.js';
import { headerOf } from './jws.js';
import { fetchIssuerMetadata, fetchSignedMetadata } from './metadata.js';
import { fetchStatus } from './status-list.js';
import { RefusedByServer } from './strict-http.js';
import { fetchTypeMetadata } from './type-metadata.js';
import { SpecWallet } from './wallet.js';
import { SUBJECT, startWorld, type World } from './world.js';

let world: World;
let people = 0;
const person = () => `person${++people}@example.org`;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.gateway.close());

/** A wallet that has taken an offer. */
async function taken(changes: object = {}, options: object = {}) {
  const email = person();
  const offer = await world.offer({ email, ...changes });
  expect(offer.status, JSON.stringify(offer.body)).toBe(201);
  const wallet = new SpecWallet({ roots: world.roots, ...options });
  const issuance = await wallet.take(offer.body.offerUri, await world.codeFor(email));
  return { email, offer: offer.body, wallet, issuance };
}
const stateOf = async (offerId: string) => (await world.partner('GET', `/v1/offers/${offerId}`)).body;
const subjectOf = ({ claims }: Credential) => ({ level: claims.level, since: claims.since, note: claims.note });
/** The error that a server answers with. */
const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'accepted',
    (error) => {
      if (!(error instanceof RefusedByServer)) throw error;
      return `${error.status} ${error.error}`;
    },
  );

describe('A wallet from the specifications', () => {
  it('takes an offer by the mailed code: ten copies, which nothing links, and one issuance', async () => {
    const { offer, wallet, issuance } = await taken();
    expect(wallet.credentials.map(subjectOf)).toEqual(Array.from({ length: 10 }, () => SUBJECT));
    const record = await stateOf(offer.offerId);
    expect(record).toMatchObject({ state: 'issued', walletEvent: 'credential_accepted' });
    await issuance.authorization.refresh();
    await wallet.receive(issuance, 2);
    expect(wallet.credentials).toHaveLength(12);
    expect(await stateOf(offer.offerId)).toMatchObject({ coreClaimHash: record.coreClaimHash });
  });

  it('has what proves in zero knowledge by our own flow, and is counted once', async () => {
    const { gateway } = world;
    const traction = async () => (await gateway.rest('GET', '/v1/catalog/credentials/member')).body.data.traction;
    // Each person of these tests has one, whatever copies its wallet has.
    const issued = await gateway.app.connection.collection('issuances').countDocuments({ credentialId: 'member' });
    await expect.poll(traction).toMatchObject({ holderCount: issued, issuanceCount: issued });
    const { email, offer } = await taken();
    const own = await worldOf(world);
    const holder = await holderOf(own, email);
    const credential = await heldBy(own, holder, (await stateOf(offer.offerId)).coreClaimHash);
    expect(credential.claim.credentialSubject).toMatchObject(SUBJECT);
    const id = await startOf(own);
    const answered = await answerTo(own, holder, id, await proofFor(own, holder, credential, id));
    expect(answered).toMatchObject({ status: 200, body: { result: { status: 'Pending' } } });
    expect(await recordOf(own, id)).toMatchObject({ state: 'proved', credentialId: 'member' });
    await expect.poll(traction).toMatchObject({ holderCount: issued + 1, issuanceCount: issued + 1 });
  });

  it('does not show which claims a credential has not, while others are shown', async () => {
    const { gateway, issuerDid } = world;
    const names = ['born', 'address.city', 'address.street', 'note'];
    const dataPoints = names.map((name) => ({ name, type: name === 'born' ? 'date' : 'string', isRequired: false }));
    const derived = [
      { name: 'age_equal_or_over.18', condition: 'born <= today - 18 years' },
      { name: 'age_equal_or_over.65', condition: 'born <= today - 65 years' },
    ];
    const credential = { name: 'Identity', category: 'Club', issuerId: 'club', schemaId: 'identity', derived };
    for (const [path, body] of [
      [
        'schemas/identity',
        { title: 'Identity', description: '', dataPoints: dataPoints.map((one) => ({ ...one, description: '' })) },
      ],
      ['credentials/identity', credential],
    ] as const)
      expect(await gateway.admin('PUT', `/v1/admin/${path}`, { body })).toMatchObject({ status: 200 });
    /** Digests of the signed part, by the object that has them. */
    const digestsOf = async (credentialSubject: object) => {
      const { wallet } = await taken({ issuerDid, credentialId: 'identity', credentialSubject });
      const [copy] = wallet.credentials;
      if (copy === undefined) throw new Error('nothing was received');
      await fetchTypeMetadata(copy);
      const payload = JSON.parse(Buffer.from(copy.sdJwt.jwt.split('.')[1] ?? '', 'base64url').toString());
      const { _sd, address, age_equal_or_over: age } = payload;
      return { claims: copy.claims, digests: [_sd, address?._sd, age?._sd].map((list) => list?.length) };
    };
    const adult = await digestsOf({ born: '1950-01-01', address: { city: 'Ulm', street: 'Am Markt' }, note: 'canary' });
    expect(adult.claims).toMatchObject({ age_equal_or_over: { 18: true, 65: true }, address: { city: 'Ulm' } });
    const child = await digestsOf({ born: `${new Date().getFullYear() - 8}-01-01` });
    expect(child.claims).toMatchObject({ age_equal_or_over: {}, address: {} });
    expect(child.digests).toEqual(adult.digests);
    expect(adult.digests).toEqual([2, 2, 2]);
  });

  it('hides the order of claims', async () => {
    const { wallet } = await taken();
    const orders = wallet.credentials.map(({ found }) => found.map(({ path }) => path.join('.')).join(' '));
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  it('reads signed metadata, type metadata and the status of each copy', async () => {
    const { wallet, issuance, offer } = await taken();
    const [first] = wallet.credentials;
    if (first === undefined) throw new Error('nothing was received');
    await fetchSignedMetadata(first.iss, world.roots);
    const type = await fetchTypeMetadata(first);
    expect(type).toMatchObject({ vct: first.vct });
    expect(issuance.configuration.vct).toBe(first.vct);
    for (const copy of wallet.credentials) expect((await fetchStatus(copy, world.roots)).status).toBe(0);
    const { coreClaimHash } = await stateOf(offer.offerId);
    const revoked = await world.partner('POST', '/v1/credentials/revoke', { coreClaimHash });
    expect(revoked.status, JSON.stringify(revoked.body)).toBe(200);
    await expect
      .poll(async () =>
        Promise.all(wallet.credentials.map(async (copy) => (await fetchStatus(copy, world.roots)).status)),
      )
      .toEqual(Array.from({ length: 10 }, () => 1));
    expect(await refusal(issuance.credentials(1))).toBe('400 credential_request_denied');
  });

  it.each([
    ['with authorization_details', { details: true }, {}],
    ['with tokens that are bound to no key', {}, { bearer: true }],
    ['with a client id', {}, { clientId: 'https://wallet.example' }],
  ])('takes an offer %s', async (_way, asked, options) => {
    const email = person();
    const { body } = await world.offer({ email });
    const issuance = await Issuance.open(body.offerUri, { roots: world.roots, ...options });
    await issuance.authorization.requestToken(await world.codeFor(email), asked);
    expect((await issuance.credentials(1)).map(subjectOf)).toEqual([SUBJECT]);
    await issuance.notify('credential_failure');
    expect((await stateOf(body.offerId)).walletEvent).toBe('credential_failure');
  });

  it('is refused in the words of the specifications', async () => {
    const email = person();
    const { body } = await world.offer({ email });
    const issuance = await Issuance.open(body.offerUri, { roots: world.roots });
    const { authorization } = issuance;
    const code = await world.codeFor(email);
    expect(await refusal(authorization.requestToken(code === '000000' ? '111111' : '000000'))).toBe(
      '400 invalid_grant',
    );
    await authorization.requestToken(code);
    const wanted = authorization.credential();
    expect(await refusal(issuance.request(wanted, 1))).toBe('400 invalid_proof');
    expect(await refusal(issuance.request({ ...wanted, proofs: { jwt: [] } }, 1))).toBe('400 invalid_proof');
    expect(await refusal(issuance.request({ credential_configuration_id: 'none', proofs: {} }, 1))).toBe(
      '400 unknown_credential_configuration',
    );
    await issuance.credentials(1);
    expect(await refusal(authorization.requestToken(code))).toBe('400 invalid_grant');
    authorization.token.access_token = 'none';
    expect(await refusal(issuance.credentials(1))).toBe('401 invalid_token');
  });

  it.skipIf(!HAS_OPENSSL)('sends chains that openssl verifies', async () => {
    const { wallet } = await taken();
    const [first] = wallet.credentials;
    if (first?.status === undefined) throw new Error('nothing was received');
    const text = async (url: string, accept: string) => (await fetch(url, { headers: { accept } })).text();
    const metadata = first.iss.replace('/oid4vci/', '/.well-known/openid-credential-issuer/oid4vci/');
    const signed = [
      first.sdJwt.jwt,
      await text(first.status.uri, 'application/statuslist+jwt'),
      await text(metadata, 'application/jwt'),
    ];
    await fetchIssuerMetadata(first.iss);
    const authority = startAuthority();
    for (const jwt of signed)
      expect(authority.verify(pemOf(headerOf(jwt).x5c ?? []), world.root)).toBe('chain.pem: OK');
    authority.close();
  });
});
