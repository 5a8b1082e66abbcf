// The page for wallets against pages of others: whoever opens a page for another person gets no code, and no step redirects for another site.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Membership } from '../support/membership.js';
import { type Authorizing, codeFor, ISSUER, type Shown } from './authorizing.js';
import { type AuthorizingWorld, errorOf, startAuthorizingWorld } from './authorizing-world.js';
import { newKey, send } from './wallet.js';

let at: AuthorizingWorld;
let world: Membership;
let first: Authorizing;
let second: Authorizing;
beforeAll(async () => {
  at = await startAuthorizingWorld();
  ({ world, first, second } = at);
});
afterAll(() => at?.close());
beforeEach(() => at.resetLimits());

const step = (query: string, headers: Record<string, string> = {}) =>
  fetch(first.own(`${ISSUER}/authorize?${query}`), { redirect: 'manual', headers });

describe('Whoever opened a page that another person logs in on', () => {
  it.each(['agree', 'decline'])('cannot %s, nor go on, at either gateway', async (which) => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    const agreed = await first.logIn(world, page, email);
    expect(agreed.links.some((href) => href.startsWith('authorize?agree='))).toBe(true);
    for (const gateway of [first, second]) {
      const link = [`authorize?${which}=${page.secret}`];
      await expect(gateway.follow({ ...agreed, links: link }, which as 'agree')).rejects.toThrow('410');
      expect((await gateway.fill({ page: page.secret, again: '1' })).status).toBe(410);
      expect((await gateway.fill({ page: page.secret, email })).status).toBe(410);
    }
    const address = await second.follow(agreed, 'agree');
    expect(address.searchParams.get('code')).toBeTruthy();
  });

  it('learns nothing by codes that it tries afterwards, and five are tried', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    await first.fill({ page: page.secret, email });
    const code = await codeFor(world, email);
    await first.fill({ page: page.secret, code });
    const wrong = [1, 2, 3, 4, 5].map((more) => String((Number(code) + more) % 1_000_000).padStart(6, '0'));
    for (const guess of wrong) expect((await second.fill({ page: page.secret, code: guess })).status).toBe(410);
    expect((await first.fill({ page: page.secret, code })).status).toBe(410);
  });
});

describe('A login that is repeated, by a second click or a reload', () => {
  it('gets the same page, at either gateway, at once and later', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    await first.fill({ page: page.secret, email });
    const code = await codeFor(world, email);
    const login = (gateway: Authorizing) => gateway.fill({ page: page.secret, code });
    const shown = [...(await Promise.all([first, second, first].map(login))), await login(second)];
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const agreeLinks = shown.map(({ links }) => links.find((href) => href.startsWith('authorize?agree=')));
    expect(new Set(agreeLinks).size).toBe(1);
    const address = await second.follow(shown[3] as Shown, 'agree');
    expect(address.searchParams.get('code')).toBeTruthy();
  });
});

describe('A mail to another address, after the user has agreed', () => {
  it('voids the code', async () => {
    const { email, verifier, parameters } = await at.requested();
    const agreed = await first.logIn(world, await first.open(parameters), email);
    const code = (await first.follow(agreed, 'agree')).searchParams.get('code') ?? '';
    const [, secret = ''] = /agree=(.+)/.exec(agreed.links.find((href) => href.includes('agree=')) ?? '') ?? [];
    const again = await second.logIn(world, { ...agreed, secret }, email);
    expect((await first.token(code, verifier)).body.error).toBe('invalid_grant');
    const newer = (await second.follow(again, 'agree')).searchParams.get('code') ?? '';
    expect((await first.token(newer, verifier)).status).toBe(200);
  });
});

describe('A step of the page', () => {
  it.each(['cross-site', 'same-site', 'none'])('is refused when a browser says that it comes from %s', async (site) => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    const own = { 'sec-fetch-site': 'same-origin' };
    const headers = { 'sec-fetch-site': site };
    for (const [name, value] of Object.entries({ again: '1', email, code: '123456' })) {
      const body = new URLSearchParams({ page: page.secret, [name]: value });
      const { status } = await send(first.own(`${ISSUER}/authorize`), { method: 'POST', body, headers });
      expect(status).toBe(403);
    }
    const declined = await step(`decline=${page.secret}`, headers);
    expect([declined.status, declined.headers.get('location')]).toEqual([403, null]);
    const agreed = await first.logIn(world, page, email);
    const agree = agreed.links.find((href) => href.includes('agree=')) ?? '';
    const refused = await step(agree.slice(agree.indexOf('?') + 1), headers);
    expect([refused.status, refused.headers.get('location')]).toEqual([403, null]);
    expect((await step(agree.slice(agree.indexOf('?') + 1), own)).status).toBe(303);
  });

  it.each(['agree', 'decline'])(
    'ends with a link, not a redirect, in browsers that do not say where they come from: %s',
    async (which) => {
      const { email, verifier, parameters } = await at.requested();
      const agreed = await first.logIn(world, await first.open(parameters), email);
      const link = agreed.links.find((href) => href.startsWith(`authorize?${which}=`)) ?? '';
      const response = await step(link.slice(link.indexOf('?') + 1));
      expect([response.status, response.headers.get('location')]).toEqual([200, null]);
      const [, href = ''] = /<a class="main" href="([^"]+)">Open wallet\.example</.exec(await response.text()) ?? [];
      const { searchParams } = new URL(href.replaceAll('&amp;', '&'));
      expect(Object.fromEntries(searchParams)).toMatchObject({ state: 'st&te', iss: ISSUER });
      if (which === 'decline') expect(searchParams.get('error')).toBe('access_denied');
      else expect((await first.token(searchParams.get('code') ?? '', verifier)).status).toBe(200);
    },
  );

  it('starts from the pages of others, as wallets send a browser', async () => {
    const { parameters } = await at.requested();
    expect((await step(`${new URLSearchParams(parameters)}`, { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });
});

describe('A member of another type', () => {
  const post = (path: string, body: object) =>
    send(first.own(`${ISSUER}/${path}`), {
      ...{ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    });
  const odd = { toString: 1, valueOf: 1 };

  it('is refused with one sentence on the page', async () => {
    const { email, parameters } = await at.requested();
    expect((await post('authorize', { page: odd })).status).toBe(410);
    const { secret } = await first.open(parameters);
    await first.fill({ page: secret, email });
    expect((await post('authorize', { page: secret, code: odd })).status).toBe(400);
    expect((await post('authorize', { page: secret, email: odd })).status).toBe(400);
  });

  it('is refused as a transaction code, and counts as no try', async () => {
    const { parameters, offerId } = await at.requested();
    const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
    const members = { grant_type: grant, 'pre-authorized_code': parameters.issuer_state };
    for (const tx_code of [odd, 123456, ['1', '2'], null])
      expect(errorOf(await post('token', { ...members, tx_code }))).toBe('400 invalid_request');
    expect((await world.partner('GET', `/v1/offers/${offerId}`)).body.state).toBe('open');
    for (const member of [odd, 1, ['x']])
      expect(errorOf(await post('token', { ...members, 'pre-authorized_code': member }))).toBe('400 invalid_request');
  });

  it('is refused in proofs, and a notification that comes again is one event', async () => {
    const { email, verifier, parameters } = await at.requested();
    const address = await first.codeOf(world, parameters, email);
    const token = await first.token(address.searchParams.get('code') ?? '', verifier);
    const { access_token } = token.body;
    const key = await newKey();
    const ask = (jwt: string) =>
      first.wallet.credential(access_token, { credential_identifier: 'member', proofs: { jwt: [jwt] } });
    const nonce = await first.wallet.nonce();
    const named = await first.wallet.proof(key, nonce, { header: { jwk: undefined, kid: odd } });
    expect(errorOf(await ask(named))).toBe('400 invalid_proof');
    expect(errorOf(await ask(await first.wallet.proof(key, nonce, { payload: { nonce: odd } })))).toBe(
      '400 invalid_nonce',
    );
    const { body } = await ask(await first.wallet.proof(key, nonce));
    const event = { notification_id: body.notification_id, event: 'credential_accepted' };
    for (const wallet of [first.wallet, second.wallet, first.wallet])
      expect((await wallet.notify(access_token, event)).status).toBe(204);
    const { connection } = world.gateway.app;
    const events = await connection.collection('events').find({ type: 'wallet_notified' }).toArray();
    expect(events).toHaveLength(1);
  });
});
