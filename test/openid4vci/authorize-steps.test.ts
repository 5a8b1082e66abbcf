// The page for wallets against pages of others: whoever opens a page for another person gets no code, and no step redirects for another site.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProtocolRequest } from '../../src/http/protocols/protocol-routes.js';
import { newPageId, pageCookie, pageSecretOf } from '../../src/openid4vci/authorization/page-cookie.js';
import type { Membership } from '../support/membership.js';
import { Authorizing, codeFor, ISSUER, mailsOf } from './authorizing.js';
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

const step = (path: string, headers: Record<string, string> = {}) => first.visit(path, { headers });

/** A browser with the cookies that the user's has now: whoever opened the page. */
const stranger = (gateway: Authorizing) => new Authorizing(gateway.url, ISSUER, new Map(first.cookies));

describe('Whoever opened a page that another person logs in on', () => {
  it.each(['agree', 'decline'] as const)('cannot %s, nor go on, at either gateway', async (which) => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    const strangers = [stranger(first), stranger(second)];
    const agreed = await first.logIn(world, page, email);
    expect(agreed.text).toContain('Agree, and open');
    for (const gateway of strangers) {
      await expect(gateway.follow(page, which)).rejects.toThrow('the page goes on');
      for (const shown of [await gateway.reload(page), await gateway.fill({ page: page.id, email: 'a@example.org' })]) {
        expect(shown.text).toContain('name="code"');
        expect(shown.text).not.toContain(email);
        expect(shown.text).not.toContain('agree=');
      }
    }
    expect(await mailsOf(world, 'a@example.org')).toBe(0);
    const address = await second.follow(agreed, 'agree');
    expect(address.searchParams.get('code')).toBeTruthy();
  });

  it('learns nothing by codes that it tries afterwards, and five are tried', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    const other = stranger(second);
    await first.fill({ page: page.id, email });
    const code = await codeFor(world, email);
    await first.fill({ page: page.id, code });
    const [last = '', ...wrong] = [1, 2, 3, 4, 5].map((more) =>
      String((Number(code) + more) % 1_000_000).padStart(6, '0'),
    );
    for (const guess of wrong) expect((await other.fill({ page: page.id, code: guess })).text).toContain('is wrong');
    expect((await other.fill({ page: page.id, code: last })).status).toBe(410);
    const late = await other.fill({ page: page.id, code });
    expect([late.status, late.text.includes('agree=')]).toEqual([410, false]);
    expect((await first.reload(page)).text).toContain('Agree, and open');
  });
});

describe('The address of a page', () => {
  it('is of no use in another browser, at any step', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    const other = new Authorizing(second.url, ISSUER, new Map());
    const expectUseless = async () => {
      for (const does of ['', '&again=1', '&agree=1', '&decline=1']) {
        const shown = await other.shown(`authorize?page=${page.id}${does}`);
        expect([shown.status, shown.text.includes(email), shown.text.includes('Member')]).toEqual([410, false, false]);
      }
      for (const [name, value] of Object.entries({ email: 'a@example.org', code: '123456' }))
        expect((await other.fill({ page: page.id, [name]: value })).status).toBe(410);
    };
    await expectUseless();
    await first.fill({ page: page.id, email });
    await expectUseless();
    const agreed = await first.fill({ page: page.id, code: await codeFor(world, email) });
    await expectUseless();
    expect((await first.follow(agreed, 'agree')).searchParams.get('code')).toBeTruthy();
    await expectUseless();
    expect(await mailsOf(world, 'a@example.org')).toBe(0);
  });

  it('and its HTML do not have the secret, which is in a cookie that no script and no form of another site can use', async () => {
    const { email, parameters } = await at.requested();
    const opened = await first.visit(`authorize?${new URLSearchParams(parameters)}`);
    expect(opened.headers.get('set-cookie')).toMatch(
      /^page-[\w-]{22}=[\w-]{43}; Path=\/; Max-Age=1200; HttpOnly; SameSite=Lax$/,
    );
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
    expect(opened.headers.get('cache-control')).toBe('no-store');
    const page = await first.shown(opened.headers.get('location') ?? '');
    const agreed = await first.logIn(world, page, email);
    for (const secret of first.cookies.values())
      for (const { text } of [page, agreed]) expect(text).not.toContain(secret);
  });
});

describe('The cookie of a page', () => {
  it('cannot be set by another host where the gateway has https, and is found among others', () => {
    const [id, secret] = [newPageId(), 's'.repeat(43)];
    const [cookie = '', ...attributes] = pageCookie(id, secret, 'https://gateway.example').split('; ');
    expect(cookie).toBe(`__Host-page-${id}=${secret}`);
    expect(attributes).toEqual(['Path=/', 'Max-Age=1200', 'HttpOnly', 'SameSite=Lax', 'Secure']);
    const foundIn = (header: string) =>
      pageSecretOf({ headers: { cookie: header } } as unknown as ProtocolRequest, id, 'https://gateway.example');
    expect(foundIn(`a=b; ${cookie}; page-${id}=x`)).toBe(secret);
    expect(foundIn(`page-${id}=${secret}`)).toBeUndefined();
  });
});

describe('A mail to another address, after the user has agreed', () => {
  it('voids the code', async () => {
    const { email, verifier, parameters } = await at.requested();
    const agreed = await first.logIn(world, await first.open(parameters), email);
    const code = (await first.follow(agreed, 'agree')).searchParams.get('code') ?? '';
    const again = await second.logIn(world, agreed, email);
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
    for (const [name, value] of Object.entries({ email, code: '123456' })) {
      const body = new URLSearchParams({ page: page.id, [name]: value });
      expect((await first.visit('authorize', { method: 'POST', body, headers })).status).toBe(403);
    }
    expect(await mailsOf(world, email)).toBe(0);
    const declined = await step(`authorize?page=${page.id}&decline=1`, headers);
    expect([declined.status, declined.headers.get('location')]).toEqual([403, null]);
    await first.logIn(world, page, email);
    const refused = await step(`authorize?page=${page.id}&agree=1`, headers);
    expect([refused.status, refused.headers.get('location')]).toEqual([403, null]);
    expect((await step(`authorize?page=${page.id}`, headers)).status).toBe(200);
    expect((await step(`authorize?page=${page.id}&agree=1`, own)).status).toBe(303);
  });

  it.each(['agree', 'decline'])(
    'ends with a link, not a redirect, in browsers that do not say where they come from: %s',
    async (which) => {
      const { email, verifier, parameters } = await at.requested();
      const { id } = await first.logIn(world, await first.open(parameters), email);
      const response = await step(`authorize?page=${id}&${which}=1`);
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
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await first.shown(`authorize?${new URLSearchParams(parameters)}`, { headers })).status).toBe(200);
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
    const { id } = await first.open(parameters);
    const fill = (body: object) =>
      first.shown('authorize', {
        ...{ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
      });
    await first.fill({ page: id, email });
    expect((await fill({ page: id, code: odd })).text).toContain('The code is wrong');
    expect((await fill({ page: id, email: odd, mails: odd })).text).toContain('not an e-mail address');
  });

  it('is refused as a transaction code, and counts as no try', async () => {
    const { offer, offerId } = await at.requested();
    const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
    const members = { grant_type: grant, 'pre-authorized_code': offer.grants[grant]['pre-authorized_code'] };
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
