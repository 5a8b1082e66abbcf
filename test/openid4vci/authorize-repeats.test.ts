// The page for wallets on a phone: tabs that are discarded and come back, reloads, the way back, second clicks, over two gateways.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Membership } from '../support/membership.js';
import { type Authorizing, codeFor, mailsOf, type Shown } from './authorizing.js';
import { type AuthorizingWorld, startAuthorizingWorld } from './authorizing-world.js';

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

const own = { 'sec-fetch-site': 'same-origin' };
const post = (gateway: Authorizing, members: Record<string, string>) =>
  gateway.visit('authorize', { method: 'POST', body: new URLSearchParams(members), headers: own });
const locations = (responses: Response[]) => responses.map(({ headers }) => headers.get('location'));
const isAgreement = ({ text }: Shown) => text.includes('Agree, and open');

describe('A page that is loaded again', () => {
  it('shows its step, at either gateway, and mails nothing; every form ends in a redirect to it', async () => {
    const { email, verifier, parameters } = await at.requested();
    const page = await first.openPushed(await first.push(parameters));
    at.ahead(91_000);
    expect((await second.reload(page)).text).toContain('name="email"');
    at.ahead(0);
    const mailed = await post(first, { page: page.id, mails: '0', email });
    expect([mailed.status, mailed.headers.get('location')]).toEqual([303, `authorize?page=${page.id}`]);
    for (const gateway of [first, second, first]) {
      const shown = await gateway.reload(page);
      expect(shown.text).toContain(`A code was mailed to <strong>${email}</strong>`);
      expect(shown.text).toContain('name="code"');
    }
    expect(await mailsOf(world, email)).toBe(1);
    const login = await post(second, { page: page.id, code: await codeFor(world, email) });
    expect([login.status, login.headers.get('location')]).toEqual([303, `authorize?page=${page.id}`]);
    for (const gateway of [first, second]) expect(isAgreement(await gateway.reload(page))).toBe(true);
    const address = await first.follow(page, 'agree');
    expect(isAgreement(await second.reload(page))).toBe(true);
    expect((await second.token(address.searchParams.get('code') ?? '', verifier)).status).toBe(200);
    expect((await first.reload(page)).text).toContain('You can close this page.');
  });

  it('says once what was wrong with the last input', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    const odd = await first.fill({ page: page.id, mails: '0', email: 'no address' });
    expect(odd.text).toContain('That is not an e-mail address.');
    const again = await second.reload(page);
    expect(again.text).not.toContain('role="alert"');
    expect(again.text).toContain('value="no address"');
    await first.fill({ page: page.id, mails: '0', email });
    const right = await codeFor(world, email);
    const wrong = await second.fill({ page: page.id, code: right === '000000' ? '000001' : '000000' });
    expect(wrong.text).toContain('The code is wrong; 4 tries are left.');
    expect(wrong.text).toContain(email);
    expect((await first.reload(page)).text).not.toContain('role="alert"');
    expect(isAgreement(await first.fill({ page: page.id, code: right }))).toBe(true);
  });

  it('asks for another address without a change: the code that was mailed can still be used', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    await first.fill({ page: page.id, mails: '0', email });
    const other = await second.shown(`authorize?page=${page.id}&again=1`);
    expect(other.text).toContain(`value="${email}"`);
    expect((await first.reload(page)).text).toContain('name="code"');
    expect(isAgreement(await first.fill({ page: page.id, code: await codeFor(world, email) }))).toBe(true);
  });

  it('asks for the code again if the response with the login was lost', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    await first.fill({ page: page.id, mails: '0', email });
    const before = new Map(first.cookies);
    const code = await codeFor(world, email);
    await post(first, { page: page.id, code });
    for (const [name, value] of before) first.cookies.set(name, value);
    expect((await second.reload(page)).text).toContain('name="code"');
    expect(isAgreement(await second.fill({ page: page.id, code }))).toBe(true);
    expect((await first.follow(page, 'agree')).searchParams.get('code')).toBeTruthy();
  });
});

describe('A second click', () => {
  it('on the address mails one code, of forms at once and later', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    const members = { page: page.id, mails: '0', email };
    await Promise.all([first, second, first].map((gateway) => post(gateway, members)));
    await post(second, members);
    expect(await mailsOf(world, email)).toBe(1);
    expect(isAgreement(await second.fill({ page: page.id, code: await codeFor(world, email) }))).toBe(true);
  });

  it('on the address mails another code where the page asked for it, and to another address', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    await post(first, { page: page.id, mails: '0', email: `typo.${email}` });
    await post(second, { page: page.id, mails: '0', email });
    await post(second, { page: page.id, mails: '2', email });
    expect([await mailsOf(world, `typo.${email}`), await mailsOf(world, email)]).toEqual([1, 2]);
    expect(isAgreement(await first.fill({ page: page.id, code: await codeFor(world, email) }))).toBe(true);
  });

  it('on the login gets the same page, at either gateway, at once and later', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    await first.fill({ page: page.id, mails: '0', email });
    const code = await codeFor(world, email);
    const login = (gateway: Authorizing) => post(gateway, { page: page.id, code });
    const answers = [...(await Promise.all([first, second, first].map(login))), await login(second)];
    expect(locations(answers)).toEqual(Array(4).fill(`authorize?page=${page.id}`));
    const secrets = answers.map(({ headers }) => headers.get('set-cookie')).filter((cookie) => cookie !== null);
    expect(new Set(secrets).size).toBe(1);
    expect(isAgreement(await second.reload(page))).toBe(true);
    expect((await second.follow(page, 'agree')).searchParams.get('code')).toBeTruthy();
  });

  it('on the login, after a code was mailed to another address, shows no dead link to agree', async () => {
    const { email, parameters } = await at.requested();
    const page = await first.open(parameters);
    await first.fill({ page: page.id, mails: '0', email });
    const before = new Map(first.cookies);
    const code = await codeFor(world, email);
    const agreed = await first.fill({ page: page.id, code });
    await first.fill({ page: page.id, email: `other.${email}` });
    for (const [name, value] of before) first.cookies.set(name, value);
    const repeated = await second.fill({ page: page.id, code });
    expect(repeated.text).not.toContain('agree=');
    expect(repeated.text).toContain(`A code was mailed to <strong>other.${email}</strong>`);
    await expect(first.follow(agreed, 'agree')).rejects.toThrow(`the page goes on: authorize?page=${page.id}`);
  });

  it('on the agreement gets the same code, which works', async () => {
    const { email, verifier, parameters } = await at.requested();
    const page = await first.logIn(world, await first.open(parameters), email);
    const follow = (gateway: Authorizing) => gateway.follow(page, 'agree');
    const addresses = [...(await Promise.all([first, second, first].map(follow))), await follow(second)];
    expect(new Set(addresses.map(({ href }) => href)).size).toBe(1);
    expect((await first.token(addresses[0]?.searchParams.get('code') ?? '', verifier)).status).toBe(200);
  });

  it('on "Cancel" ends in the same redirect, and a reload shows the way to the wallet', async () => {
    const { email, parameters } = await at.requested();
    const pushed = await first.push(parameters);
    const page = await first.logIn(world, await first.openPushed(pushed), email);
    const follow = (gateway: Authorizing) => gateway.follow(page, 'decline');
    const addresses = [...(await Promise.all([first, second].map(follow))), await follow(second)];
    expect(new Set(addresses.map(({ href }) => href)).size).toBe(1);
    expect(addresses[0]?.searchParams.get('error')).toBe('access_denied');
    expect((await second.reload(page)).links).toContain(addresses[0]?.href);
    await expect(first.follow(page, 'agree')).rejects.toThrow('the page goes on');
    expect((await first.openPushed(pushed)).status).toBe(400);
  });

  it('on "Cancel" after the agreement voids the code', async () => {
    const { email, verifier, parameters } = await at.requested();
    const page = await first.logIn(world, await first.open(parameters), email);
    const code = (await first.follow(page, 'agree')).searchParams.get('code') ?? '';
    await second.follow(page, 'decline');
    expect((await first.token(code, verifier)).body.error).toBe('invalid_grant');
  });
});
