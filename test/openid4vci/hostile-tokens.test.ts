// Token requests of an attacker who has seen parts of others' exchanges: none gets a token, and the wallet keeps its own.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REDIRECT_URI } from './authorizing.js';
import { type AuthorizingWorld, errorOf, startAuthorizingWorld } from './authorizing-world.js';
import { type Answer, type Key, newKey, send, TestWallet } from './wallet.js';

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

let at: AuthorizingWorld;
let wallet: TestWallet;
let other: TestWallet;
beforeAll(async () => {
  at = await startAuthorizingWorld();
  ({ wallet } = at.first);
  const body = { name: 'Other', issuerFrom: 'test', managed: true };
  await at.world.gateway.admin('PUT', '/v1/admin/issuers/other', { body });
  other = new TestWallet(wallet.issuer.replace('/club', '/other'), at.first.own);
});
afterAll(() => at?.close());
beforeEach(() => at.resetLimits());

const credential = async (token: Answer, dpop?: Key, from = wallet): Promise<Answer> => {
  const proofs = { jwt: [await from.proof(await newKey(), await from.nonce())] };
  return from.credential(token.body.access_token, { credential_identifier: 'member', proofs }, dpop);
};
/** An offer, and all that a wallet and its user have of it. */
async function offered() {
  const { email, verifier, parameters } = await at.requested();
  const { body } = await at.world.partner('POST', '/v1/offers', {
    ...{ issuerDid: at.world.issuerDid, credentialId: 'member', email, txCode: 'partner' },
    credentialSubject: { level: 7, since: '2024-01-01' },
  });
  const offer = (await TestWallet.offerAt(body.offerUri, at.first.own)).body;
  const request = { ...parameters, issuer_state: offer.grants.authorization_code.issuer_state };
  return { offer, txCode: body.txCode as string, email, verifier, request };
}

describe('An offer that was taken by one grant', () => {
  it('by an authorization code cannot be taken again by its pre-authorized code, with the same key either', async () => {
    const { offer, txCode, email, verifier, request } = await offered();
    const dpop = await newKey();
    const code = (await at.first.codeOf(at.world, request, email)).searchParams.get('code') ?? '';
    const token = await at.first.token(code, verifier, {}, dpop);
    expect(token.status).toBe(200);
    expect(errorOf(await wallet.tokenFor(offer, txCode, dpop))).toBe('400 invalid_grant');
    expect(errorOf(await wallet.tokenFor(offer, txCode))).toBe('400 invalid_grant');
    expect((await credential(token, dpop)).status).toBe(200);
  });

  it('by its pre-authorized code cannot be taken again by an authorization code that is out', async () => {
    const { offer, txCode, email, verifier, request } = await offered();
    const dpop = await newKey();
    const code = (await at.first.codeOf(at.world, request, email)).searchParams.get('code') ?? '';
    const token = await wallet.tokenFor(offer, txCode, dpop);
    for (const key of [dpop, undefined])
      expect(errorOf(await at.second.token(code, verifier, {}, key))).toBe('400 invalid_grant');
    expect((await credential(token, dpop)).status).toBe(200);
  });

  it('by both at once is taken once', async () => {
    const { offer, txCode, email, verifier, request } = await offered();
    const code = (await at.first.codeOf(at.world, request, email)).searchParams.get('code') ?? '';
    const answers = await Promise.all([
      at.second.token(code, verifier, {}, await newKey()),
      wallet.tokenFor(offer, txCode),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('What a wallet got is good for nothing', () => {
  it('at another issuer: code, refresh token, access token, nonce', async () => {
    const { offer, txCode } = await offered();
    const dpop = await newKey();
    expect(errorOf(await other.tokenFor(offer, txCode, dpop))).toBe('400 invalid_grant');
    const token = await wallet.tokenFor(offer, txCode, dpop);
    expect(errorOf(await other.tokenFor(offer, txCode, dpop))).toBe('400 invalid_grant');
    const refresh = { grant_type: 'refresh_token', refresh_token: token.body.refresh_token };
    expect(errorOf(await other.token(refresh, dpop))).toBe('400 invalid_grant');
    expect(errorOf(await credential(token, dpop, other))).toBe('401 invalid_token');
    expect((await wallet.token(refresh, dpop)).status).toBe(200);
  });

  it('as another kind of token: an access token does not refresh, and a refresh token or a code is no access token', async () => {
    const { offer, txCode } = await offered();
    const dpop = await newKey();
    const { body } = await wallet.tokenFor(offer, txCode, dpop);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.access_token };
    expect(errorOf(await wallet.token(refresh, dpop))).toBe('400 invalid_grant');
    for (const access_token of [body.refresh_token, offer.grants[PRE_AUTHORIZED]['pre-authorized_code']])
      expect(errorOf(await credential({ body: { access_token } } as Answer, dpop))).toBe('401 invalid_token');
    const code = { grant_type: 'authorization_code', code: body.refresh_token, code_verifier: 'x'.repeat(43) };
    const client = { redirect_uri: REDIRECT_URI, client_id: 'wallet.example' };
    expect(errorOf(await wallet.token({ ...code, ...client }, dpop))).toBe('400 invalid_grant');
  });
});

describe('Members of other types', () => {
  it.each([
    [{ 'pre-authorized_code': { $ne: '' } }],
    [{ 'pre-authorized_code': ['x'] }],
    [{ grant_type: ['refresh_token'] }],
    [{ grant_type: 'refresh_token', refresh_token: { $gt: '' } }],
    [{ tx_code: { $ne: '' } }],
    [{ tx_code: 123_456 }],
    [{ tx_code: '' }],
  ])('are refused: %j', async (members) => {
    const { offer, txCode } = await offered();
    const good = { grant_type: PRE_AUTHORIZED, ...offer.grants[PRE_AUTHORIZED], tx_code: txCode };
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ ...good, ...members });
    const answer = await send(at.first.own(`${wallet.issuer}/token`), { method: 'POST', headers, body });
    expect(errorOf(answer)).toMatch(/^400 invalid_(request|grant)$/);
    expect((await wallet.tokenFor(offer, txCode)).status).toBe(200);
  });
});
