// Offers that a wallet takes by a pre-authorized code: one issuance, as many copies as the wallet has keys.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMAIL, type Membership, startMembership } from '../support/membership.js';
import { newKey, TestWallet } from './wallet.js';

const SUBJECT = { level: 7, since: '2024-01-01', note: 'canary note' };
let world: Membership;
/** A time at which the clock stands. */
let standing: number | undefined;
let wallet: TestWallet;
const PUBLIC = 'http://wallets.localhost:4000';
const own = (url: string): string => url.replace(PUBLIC, world.gateway.url);
beforeAll(async () => {
  world = await startMembership({ env: { PUBLIC_URL: PUBLIC }, clock: () => standing ?? Date.now() });
  wallet = new TestWallet(`${PUBLIC}/oid4vci/club`, own);
});
afterAll(() => world?.gateway.close());

const create = async (more: object = {}) => {
  const body = {
    issuerDid: world.issuerDid,
    credentialId: 'member',
    credentialSubject: SUBJECT,
    email: EMAIL,
    txCode: 'partner',
    ...more,
  };
  return world.partner('POST', '/v1/offers', body);
};
const offerAt = async (uri: string) => (await TestWallet.offerAt(uri, own)).body;

describe('A wallet takes an offer', () => {
  it('with its transaction code, and gets a credential for each of its keys', async () => {
    const { status, body } = await create();
    expect({ status, body }).toMatchObject({ status: 201 });
    expect(body.txCode).toMatch(/^\d{6}$/);
    const offer = await offerAt(body.offerUri);
    expect(offer).toMatchObject({ credential_issuer: wallet.issuer, credential_configuration_ids: ['member'] });
    const { answer, keys } = await wallet.take(offer, { txCode: body.txCode, copies: 10 });
    expect(answer.status).toBe(200);
    const payloads = answer.body.credentials.map(({ credential }: { credential: string }) =>
      JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString()),
    );
    expect(payloads.map(({ cnf }: { cnf: { jwk: object } }) => cnf.jwk)).toEqual(keys.map(({ jwk }) => jwk));
    expect(new Set(payloads.map(({ status: { status_list: place } }: never) => JSON.stringify(place))).size).toBe(10);
    const read = await world.partner('GET', `/v1/offers/${body.offerId}`);
    expect(read.body).toMatchObject({
      state: 'issued',
      reason: null,
      coreClaimHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const { body: status2 } = await world.gateway.rest(
      'GET',
      `/v1/credentials/status?coreClaimHash=${read.body.coreClaimHash}`,
    );
    expect(status2.vcStatus).toBe('WAIT_ONCHAIN');
    expect(
      await world.gateway.app.connection
        .collection('issuances')
        .countDocuments({ coreClaimHash: read.body.coreClaimHash }),
    ).toBe(1);
  });

  it('once: of twenty at once one gets a token that is good', async () => {
    const { body } = await create();
    const offer = await offerAt(body.offerUri);
    const answers = await Promise.all(Array.from({ length: 20 }, () => wallet.tokenFor(offer, body.txCode)));
    // Each try counts, so most are refused before the code is compared.
    expect(
      answers.filter(({ status }) => status !== 200).every(({ body: { error } }) => error === 'invalid_grant'),
    ).toBe(true);
    const tokens = world.gateway.app.connection.collection('walletTokens');
    expect(await tokens.countDocuments({ offerId: body.offerId })).toBeLessThanOrEqual(1);
  });

  it('with DPoP, and later gets more copies by its refresh token', async () => {
    const { body } = await create();
    const dpop = await newKey();
    const { token, answer } = await wallet.take(await offerAt(body.offerUri), { txCode: body.txCode, dpop });
    expect(token).toMatchObject({ token_type: 'DPoP', refresh_token: expect.any(String) });
    expect(answer.status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token };
    expect((await wallet.token(refresh, await newKey())).body.error).toBe('invalid_grant');
    expect((await wallet.token(refresh)).body.error).toBe('invalid_grant');
    const again = await wallet.token(refresh, dpop);
    expect(again.status).toBe(200);
    const proofs = { jwt: [await wallet.proof(await newKey(), await wallet.nonce())] };
    const more = await wallet.credential(again.body.access_token, { credential_identifier: 'member', proofs }, dpop);
    expect(more.status).toBe(200);
  });

  it('and says what it did with the credential', async () => {
    const { body } = await create();
    const { token, answer } = await wallet.take(await offerAt(body.offerUri), { txCode: body.txCode });
    const note = { notification_id: answer.body.notification_id, event: 'credential_accepted' };
    expect((await wallet.notify(token.access_token, note)).status).toBe(204);
    expect((await world.partner('GET', `/v1/offers/${body.offerId}`)).body.walletEvent).toBe('credential_accepted');
  });

  it.each([
    ['of another port', (url: URL) => `http://${url.hostname}${url.pathname}`, 400],
    ['with a query', (url: URL) => `${url}?x=1#y`, 200],
    ['in capitals', (url: URL) => `HTTP://${url.host.toUpperCase()}${url.pathname}`, 200],
    ['with dots', (url: URL) => `${url.origin}/x/..${url.pathname}`, 200],
    ['of another path', (url: URL) => `${url}/`, 400],
    ['of another host', (url: URL) => `http://other.example${url.pathname}`, 400],
    ['that is none', () => 'token', 400],
  ])('with a DPoP proof for the address %s', async (_name, spelled, status) => {
    const { body } = await create();
    const { grants } = await offerAt(body.offerUri);
    const grant_type = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
    const members = {
      grant_type,
      'pre-authorized_code': grants[grant_type]['pre-authorized_code'],
      tx_code: body.txCode,
    };
    const htu = spelled(new URL(`${wallet.issuer}/token`));
    const answer = await wallet.token(members, undefined, await wallet.dpop(await newKey(), htu));
    expect([answer.status, answer.body.error]).toEqual([status, status === 200 ? undefined : 'invalid_dpop_proof']);
  });

  it.each([
    ['is good in five seconds', (now: number) => ({ nbf: now + 5 }), 200],
    ['ended five seconds ago', (now: number) => ({ exp: now - 5 }), 200],
    ['is good in a minute', (now: number) => ({ nbf: now + 60 }), 400],
    ['ended a minute ago', (now: number) => ({ exp: now - 60 }), 400],
  ])('with a proof that %s', async (_name, times, status) => {
    standing = Date.now();
    const payload = times(Math.floor(standing / 1_000));
    const { body } = await create();
    const { body: token } = await wallet.tokenFor(await offerAt(body.offerUri), body.txCode);
    const proofs = { jwt: [await wallet.proof(await newKey(), await wallet.nonce(), { payload })] };
    const [{ credential_identifiers: names }] = token.authorization_details;
    const answer = await wallet.credential(token.access_token, { credential_identifier: names[0], proofs });
    standing = undefined;
    expect([answer.status, answer.body.error]).toEqual([status, status === 200 ? undefined : 'invalid_proof']);
  });

  it.each([
    [29, 200],
    [31, 400],
  ])('with a nonce of a gateway whose clock is %i s ahead: %i', async (seconds, status) => {
    const { body } = await create();
    const { body: token } = await wallet.tokenFor(await offerAt(body.offerUri), body.txCode);
    const now = Date.now();
    standing = now + seconds * 1_000;
    const nonce = await wallet.nonce();
    standing = now;
    const [
      {
        credential_identifiers: [identifier],
      },
    ] = token.authorization_details;
    const asked = { credential_identifier: identifier, proofs: { jwt: [await wallet.proof(await newKey(), nonce)] } };
    const answer = await wallet.credential(token.access_token, asked);
    standing = undefined;
    expect([answer.status, answer.body.error]).toEqual([status, status === 200 ? undefined : 'invalid_nonce']);
  });

  it('and is refused after 20 changes of what it did in a day; the same again is no change', async () => {
    standing = Date.now();
    const { body } = await create();
    const { token, answer } = await wallet.take(await offerAt(body.offerUri), { txCode: body.txCode });
    const { notification_id } = answer.body;
    const notify = async (event: string) =>
      (await wallet.notify(token.access_token, { notification_id, event })).status;
    const alternating = Array.from({ length: 20 }, (_, at) =>
      at % 2 === 0 ? 'credential_failure' : 'credential_accepted',
    );
    for (const event of alternating) expect([await notify(event), await notify(event)]).toEqual([204, 204]);
    for (const event of ['credential_failure', 'credential_deleted']) expect(await notify(event)).toBe(429);
    expect(await notify('credential_accepted')).toBe(204);
    standing = undefined;
    const { coreClaimHash } = (await world.partner('GET', `/v1/offers/${body.offerId}`)).body;
    const told = { type: 'wallet_notified', 'payload.coreClaimHash': coreClaimHash };
    expect(await world.gateway.app.connection.collection('events').countDocuments(told)).toBe(20);
  });
});

describe('Of an open offer, the store and KEYSTORE_KEY together read nothing', () => {
  it('no row has its subject, its code, or its token', async () => {
    const { body } = await create({ credentialSubject: { ...SUBJECT, note: 'very secret note' } });
    const token = new URL(new URL(body.offerUri).searchParams.get('credential_offer_uri') ?? '').pathname
      .split('/')
      .at(-1);
    const offer = await offerAt(body.offerUri);
    const code = offer.grants['urn:ietf:params:oauth:grant-type:pre-authorized_code']['pre-authorized_code'];
    const { connection, services } = world.gateway.app;
    void services;
    for (const { name } of await connection.listCollections()) {
      const text = JSON.stringify(await connection.collection(name).find({}).toArray());
      for (const secret of ['very secret note', token, code, body.txCode])
        expect(text.includes(secret), name).toBe(false);
    }
  });
});
