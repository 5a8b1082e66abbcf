// A response with tokens may be lost, for one because the gateway was killed: the wallet that spent a code, or a refresh token, can exchange it again
// for a minute, and nobody else can.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeFor } from './authorizing.js';
import { type AuthorizingWorld, errorOf, startAuthorizingWorld } from './authorizing-world.js';
import { type Answer, type Key, newKey, TestWallet } from './wallet.js';

let at: AuthorizingWorld;
let wallet: TestWallet;
/** The same wallet at another gateway. */
let elsewhere: TestWallet;
beforeAll(async () => {
  at = await startAuthorizingWorld();
  wallet = at.first.wallet;
  elsewhere = at.second.wallet;
});
afterAll(() => at?.close());
beforeEach(() => {
  at.ahead(0);
  return at.resetLimits();
});

let people = 0;
async function offered(txCode: 'partner' | 'none' = 'partner') {
  const { body } = await at.world.partner('POST', '/v1/offers', {
    ...{ issuerDid: at.world.issuerDid, credentialId: 'member', email: `bo.${++people}@example.org`, txCode },
    ...{ expiresIn: 600, credentialSubject: { level: 7, since: '2024-01-01' } },
  });
  return { ...body, offer: (await TestWallet.offerAt(body.offerUri, at.first.own)).body };
}

async function credential(token: Answer, dpop?: Key): Promise<Answer> {
  const proofs = { jwt: [await wallet.proof(await newKey(), await wallet.nonce())] };
  return wallet.credential(token.body.access_token, { credential_identifier: 'member', proofs }, dpop);
}

/** A second response replaces the first one, and brings one issuance. */
async function expectReplaced(first: Answer, second: Answer, offerId: string, dpop?: Key): Promise<void> {
  expect(second).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
  expect(second.body.access_token).not.toBe(first.body.access_token);
  expect(errorOf(await credential(first, dpop))).toBe('401 invalid_token');
  expect((await credential(second, dpop)).status).toBe(200);
  const { body } = await at.world.partner('GET', `/v1/offers/${offerId}`);
  expect(body).toMatchObject({ state: 'issued' });
}

describe('A wallet that did not get its token exchanges its pre-authorized code again', () => {
  it.each([
    ['with its DPoP key', 'partner', true],
    ['with its transaction code', 'partner', false],
    ['with its DPoP key, for an offer without a transaction code', 'none', true],
  ] as const)('%s, at another gateway', async (_name, mode, isBound) => {
    const { offer, offerId, txCode } = await offered(mode);
    const dpop = isBound ? await newKey() : undefined;
    const first = await wallet.tokenFor(offer, txCode, dpop);
    const second = await elsewhere.tokenFor(offer, txCode, dpop);
    await expectReplaced(first, second, offerId, dpop);
    if (dpop === undefined) return;
    const refresh = (refresh_token: string) => wallet.token({ grant_type: 'refresh_token', refresh_token }, dpop);
    expect(errorOf(await refresh(first.body.refresh_token))).toBe('400 invalid_grant');
    expect((await refresh(second.body.refresh_token)).status).toBe(200);
  });

  it('and of repeats at once, the tokens of one are good', async () => {
    const { offer, offerId, txCode } = await offered();
    const dpop = await newKey();
    await wallet.tokenFor(offer, txCode, dpop);
    const one = (index: number) => (index % 2 ? wallet : elsewhere).tokenFor(offer, txCode, dpop);
    const answers = await Promise.all(Array.from({ length: 4 }, (_, index) => one(index)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status !== 200) expect(errorOf(answer)).toBe('400 invalid_grant');
    const rows = at.world.gateway.app.connection.collection('walletTokens').find({ offerId } as never);
    expect((await rows.toArray()).map(({ kind }) => kind).sort()).toEqual(['access', 'refresh']);
  });

  it.each([
    ['with another DPoP key', true, 'another'],
    ['without the DPoP key', true, 'none'],
    ['with a DPoP key that the first request did not have', false, 'another'],
    ['with a wrong transaction code', true, 'wrong code'],
    ['with a wrong transaction code, and no key', false, 'wrong code'],
    ['after a minute', true, 'late'],
    ['after a minute, by its transaction code', false, 'late'],
  ] as const)('but not %s: the tokens of the first stay', async (_name, isBound, how) => {
    const { offer, offerId, txCode } = await offered();
    const dpop = isBound ? await newKey() : undefined;
    const first = await wallet.tokenFor(offer, txCode, dpop);
    expect(first.status).toBe(200);
    if (how === 'late') at.ahead(61_000);
    const key = how === 'another' ? await newKey() : how === 'none' ? undefined : dpop;
    const wrong = txCode === '000000' ? '000001' : '000000';
    const sent = how === 'wrong code' ? wrong : txCode;
    const proof = key && (await wallet.dpop(key, `${wallet.issuer}/token`, late(how)));
    const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
    const body = { grant_type: grant, 'pre-authorized_code': offer.grants[grant]['pre-authorized_code'] };
    expect(errorOf(await elsewhere.token({ ...body, tx_code: sent }, undefined, proof))).toBe('400 invalid_grant');
    at.ahead(0);
    expect((await credential(first, dpop)).status).toBe(200);
    expect((await at.world.partner('GET', `/v1/offers/${offerId}`)).body.state).toBe('issued');
  });

  it('but not without any: an offer that whoever sees it can take is taken once', async () => {
    const { offer } = await offered('none');
    const first = await wallet.tokenFor(offer);
    expect(errorOf(await wallet.tokenFor(offer))).toBe('400 invalid_grant');
    expect((await credential(first)).status).toBe(200);
  });

  it.each([true, false])('but not once it has its credential (DPoP: %s)', async (isBound) => {
    const { offer, txCode } = await offered();
    const dpop = isBound ? await newKey() : undefined;
    const first = await wallet.tokenFor(offer, txCode, dpop);
    expect((await credential(first, dpop)).status).toBe(200);
    expect(errorOf(await wallet.tokenFor(offer, txCode, dpop))).toBe('400 invalid_grant');
    expect((await credential(first, dpop)).status).toBe(200);
  });

  it('and wrong transaction codes after that take nothing from it', async () => {
    const { offer, offerId, txCode } = await offered();
    const first = await wallet.tokenFor(offer, txCode);
    const wrong = txCode === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 6; tries += 1)
      expect(errorOf(await wallet.tokenFor(offer, wrong))).toBe('400 invalid_grant');
    // All tries are used, so that nobody guesses the code.
    expect(errorOf(await wallet.tokenFor(offer, txCode))).toBe('400 invalid_grant');
    expect((await at.world.partner('GET', `/v1/offers/${offerId}`)).body.state).toBe('claimed');
    expect((await credential(first)).status).toBe(200);
  });

  it('but not the code of a withdrawn offer', async () => {
    const { offer, offerId, txCode } = await offered();
    const dpop = await newKey();
    await wallet.tokenFor(offer, txCode, dpop);
    expect((await at.world.partner('DELETE', `/v1/offers/${offerId}`)).status).toBe(204);
    expect(errorOf(await wallet.tokenFor(offer, txCode, dpop))).toBe('400 invalid_grant');
  });
});

const late = (how: string) => (how === 'late' ? { payload: { iat: Math.floor(Date.now() / 1_000) + 61 } } : {});

describe('A wallet that did not get its token exchanges its authorization code again', () => {
  /** A code, and its first exchange. */
  async function exchanged(dpop?: Key) {
    const { email, verifier, parameters, offerId } = await at.requested();
    const page = await at.first.openPushed(await at.first.push(parameters));
    await at.first.fill({ page: page.id, email });
    const agreed = await at.first.fill({ page: page.id, code: await codeFor(at.world, email) });
    const code = (await at.first.follow(agreed, 'agree')).searchParams.get('code') ?? '';
    const first = await at.first.token(code, verifier, {}, dpop);
    expect(first.status).toBe(200);
    return { code, verifier, first, offerId, agreed };
  }

  it('with its DPoP key, at another gateway; its page is over', async () => {
    const dpop = await newKey();
    const { code, verifier, first, offerId, agreed } = await exchanged(dpop);
    await expect(at.second.follow(agreed, 'agree')).rejects.toThrow('the page goes on');
    await expectReplaced(first, await at.second.token(code, verifier, {}, dpop), offerId, dpop);
    expect(errorOf(await at.second.token(code, verifier, {}, dpop))).toBe('400 invalid_grant');
  });

  it('but not with another key, without one, with another verifier, or address', async () => {
    const dpop = await newKey();
    const { code, verifier, first } = await exchanged(dpop);
    const refused = [
      await at.second.token(code, verifier, {}, await newKey()),
      await at.second.token(code, verifier),
      await at.second.token(code, 'x'.repeat(43), {}, dpop),
      await at.second.token(code, verifier, { redirect_uri: 'https://other.example/cb' }, dpop),
      await at.second.token(code, verifier, { client_id: 'other.example' }, dpop),
    ];
    expect(refused.map(errorOf)).toEqual(Array(5).fill('400 invalid_grant'));
    expect((await credential(first, dpop)).status).toBe(200);
  });

  it('without a key, by the verifier that only it has, at another gateway', async () => {
    const { code, verifier, first, offerId, agreed } = await exchanged();
    await expect(at.second.follow(agreed, 'agree')).rejects.toThrow('the page goes on');
    await expectReplaced(first, await at.second.token(code, verifier), offerId);
    expect(errorOf(await at.second.token(code, verifier))).toBe('400 invalid_grant');
  });

  it('without a key: of repeats at once, the tokens of one are good', async () => {
    const { code, verifier, offerId } = await exchanged();
    const one = (index: number) => (index % 2 ? at.first : at.second).token(code, verifier);
    const answers = await Promise.all(Array.from({ length: 4 }, (_, index) => one(index)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status !== 200) expect(errorOf(answer)).toBe('400 invalid_grant');
    const rows = at.world.gateway.app.connection.collection('walletTokens').find({ offerId } as never);
    expect((await rows.toArray()).map(({ kind }) => kind)).toEqual(['access']);
  });

  it('without a key: but not with a key, another verifier, address, or client, and not after a minute', async () => {
    const { code, verifier, first } = await exchanged();
    const refused = [
      await at.second.token(code, verifier, {}, await newKey()),
      await at.second.token(code, 'x'.repeat(43)),
      await at.second.token(code, verifier, { redirect_uri: 'https://other.example/cb' }),
      await at.second.token(code, verifier, { client_id: 'other.example' }),
    ];
    at.ahead(61_000);
    refused.push(await at.second.token(code, verifier));
    at.ahead(0);
    expect(refused.map(errorOf)).toEqual(Array(5).fill('400 invalid_grant'));
    expect((await credential(first)).status).toBe(200);
  });

  it('but not after a minute', async () => {
    const dpop = await newKey();
    const { code, verifier, first } = await exchanged(dpop);
    at.ahead(61_000);
    const proof = await wallet.dpop(dpop, `${wallet.issuer}/token`, late('late'));
    const body = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const client = { redirect_uri: 'https://wallet.example/cb?tenant=1', client_id: 'wallet.example' };
    expect(errorOf(await wallet.token({ ...body, ...client }, undefined, proof))).toBe('400 invalid_grant');
    at.ahead(0);
    expect((await credential(first, dpop)).status).toBe(200);
  });
});

describe('A wallet that did not get its new tokens refreshes again', () => {
  const refreshed = (refresh_token: string, dpop: Key, at_ = wallet) =>
    at_.token({ grant_type: 'refresh_token', refresh_token }, dpop);
  async function renewed() {
    const { offer, txCode } = await offered();
    const dpop = await newKey();
    const { token } = await wallet.take(offer, { txCode, dpop });
    const first = await refreshed(token.refresh_token, dpop);
    expect(first.status).toBe(200);
    return { dpop, token, first };
  }

  it('with its key, and gets others instead of those that were lost', async () => {
    const { dpop, token, first } = await renewed();
    const second = await refreshed(token.refresh_token, dpop, elsewhere);
    expect(second.status).toBe(200);
    expect(errorOf(await credential(first, dpop))).toBe('401 invalid_token');
    expect(errorOf(await refreshed(first.body.refresh_token, dpop))).toBe('400 invalid_grant');
    expect((await credential(second, dpop)).status).toBe(200);
    expect((await refreshed(second.body.refresh_token, dpop)).status).toBe(200);
    // The new refresh token was used, so its response was not lost.
    expect(errorOf(await refreshed(token.refresh_token, dpop))).toBe('400 invalid_grant');
  });

  it('but not with another key, and not after a minute', async () => {
    const { dpop, token, first } = await renewed();
    expect(errorOf(await refreshed(token.refresh_token, await newKey()))).toBe('400 invalid_grant');
    at.ahead(61_000);
    const proof = await wallet.dpop(dpop, `${wallet.issuer}/token`, late('late'));
    const body = { grant_type: 'refresh_token', refresh_token: token.refresh_token };
    expect(errorOf(await wallet.token(body, undefined, proof))).toBe('400 invalid_grant');
    at.ahead(0);
    expect((await credential(first, dpop)).status).toBe(200);
  });
});
