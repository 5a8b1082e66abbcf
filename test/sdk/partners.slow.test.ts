// Links from one partner's page to another's: the login is carried along if the user agrees, and the link can be used for nothing else.

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import type { TestPartner } from '../support/partner.js';
import { scratchFolder, startProcess } from '../support/process.js';
import {
  accessFaults,
  approvalOf,
  approve,
  ask,
  asked,
  type Browsing,
  enterRecoveryCode,
  given,
  keepRecoveryCode,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
} from './world.js';

const EMAIL = 'ada@example.org';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('A link to another partner', () => {
  let world: SdkWorld;
  let chain: TestChain;
  let bank: TestPartner;
  let bankOrigin: string;
  let browsing: Browsing;
  const clock = { ahead: 0 };
  let people = 0;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env, clock: () => Date.now() + clock.ahead });
    bankOrigin = world.site('bank');
    bank = await world.addPartner('Bank', [bankOrigin, world.site('branch'), world.site('shared')]);
    await world.addPartner('Third', [world.site('shared')]);
  });
  afterAll(async () => {
    await world?.close();
    await chain?.close();
  });
  beforeEach(async () => {
    clock.ahead = 0;
    browsing = await world.browse();
  });
  afterEach(() => browsing.close());

  /** Logs in as a new user: a user gets at most five codes in ten minutes. */
  const logIn = (email = `a${++people}@example.org`): Promise<Page> => openLoggedIn(world, browsing, email);
  const go = (page: Page, url: unknown): Promise<void> =>
    page.evaluate(`void (window.link = tried(core.goToPartner(${JSON.stringify(url)})))`);
  /** A link to a page of the bank, after the click that approves it. */
  async function linkFrom(page: Page, path: string, origin = bankOrigin): Promise<string> {
    await go(page, origin + path);
    await (await approvalOf(page)).getByRole('heading', { name: 'Go to Bank' }).waitFor();
    await approve(page);
    const { value } = (await page.evaluate('link')) as { value: { urlWithToken: string } };
    return value.urlWithToken;
  }
  const path = (): string => browsing.put({ partnerId: bank.partnerId });
  /** Follows a link, and only starts the library there. */
  async function follow(url: string, page?: Page): Promise<Page> {
    const target = page ?? (await browsing.context.newPage());
    await target.goto(url);
    await target.waitForFunction('window.core !== undefined');
    await target.evaluate('void (window.started = tried(core.init({ enableLogging: true })))');
    return target;
  }
  const isAsked = async (page: Page): Promise<void> =>
    (await approvalOf(page)).getByRole('heading', { name: 'Continue as a…@example.org?' }).waitFor();
  /** The current and earlier addresses of a page. */
  const addresses = async (page: Page): Promise<string[]> => [
    page.url(),
    ...((await page.evaluate('navigation.entries().map(({ url }) => url)')) as string[]),
  ];

  it('a link to another partner logs in the same user there, who sees the account and where it comes from; the rest of the address is unchanged', async () => {
    const page = await logIn(EMAIL);
    const here = path();
    const link = await linkFrom(page, `${here}?rent=1#/house`);
    expect(link).toMatch(/\?rent=1#\/house&core_login=[\w-]{43}$/);
    const target = await follow(link, page);
    await isAsked(target);
    expect(await accessFaults(target, world.url)).toEqual([]);
    await approve(target);
    expect(await target.evaluate('started')).toMatchObject({ value: { isLoggedIn: true } });
    expect(await target.evaluate('[core.isLoggedIn, heard]')).toEqual([true, ['initialized', 'logged_in']]);
    expect(await target.evaluate('core.getUserInfo()')).toMatchObject({
      partnerId: bank.partnerId,
      sourcePartnerId: world.partner.partnerId,
      user: { email: EMAIL },
    });
    expect(new Set((await addresses(target)).filter((url) => url.includes('bank')))).toEqual(
      new Set([`${bankOrigin}${here}?rent=1#/house`]),
    );
    await target.reload();
    await target.waitForFunction('window.core !== undefined');
    expect(await target.evaluate('core.init()')).toMatchObject({ isLoggedIn: true });
    expect(browsing.faults).toEqual([]);
  });

  it('a link to another partner works on a new device, where the recovery code restores the same account', async () => {
    const email = 'anna@example.org';
    const page = await logIn(email);
    await ask(page, 'eth_requestAccounts');
    const code = await keepRecoveryCode(page);
    const accounts = await given(page);
    const device = await world.browse();
    const link = await linkFrom(page, path());
    const target = await device.context.newPage();
    await follow(link, target);
    await isAsked(target);
    await approve(target);
    await target.evaluate('started');
    await ask(target, 'eth_requestAccounts');
    await enterRecoveryCode(target, code);
    expect(await asked(target)).toEqual({ value: accounts });
  });

  it.each([
    ['no', async (page: Page) => (await approvalOf(page)).getByRole('button', { name: 'Cancel' }).click()],
    ['closed', (page: Page) => page.evaluate("document.querySelector('dialog').close()")],
  ])(
    'a link that is answered by %s leaves nobody logged in, neither in the page nor at the gateway',
    async (_name, refuse) => {
      const link = await linkFrom(await logIn(), path());
      const redeemed = browsing.context.waitForEvent('response', (response) => response.url().endsWith('/redeem'));
      const target = await follow(link);
      const { token } = await (await redeemed).json();
      await isAsked(target);
      await refuse(target);
      expect(await target.evaluate('started')).toEqual({ value: null });
      expect(await target.evaluate('[core.isLoggedIn, heard]')).toEqual([false, ['initialized']]);
      const headers = { authorization: `Bearer ${token}` };
      await expect.poll(async () => (await world.gateway.rest('GET', '/v1/holders/me', { headers })).status).toBe(403);
      expect((await addresses(target)).join()).not.toContain('core_login');
    },
  );

  it.each([
    [
      'twice',
      async (link: string) => {
        const first = await follow(link);
        await isAsked(first);
        await approve(first);
        await first.evaluate('started');
        await first.evaluate('core.logout()');
        return link;
      },
    ],
    [
      'late',
      async (link: string) => {
        clock.ahead = 61_000;
        return link;
      },
    ],
    ['at another origin of its partner', async (link: string) => link.replace('bank', 'branch')],
    [
      'for another partner',
      async (link: string) => link.replace('bank', 'partner').replace(/\/\d+#/, `${browsing.put()}#`),
    ],
    ['that is damaged', async (link: string) => `${link}x`],
  ])('a link that is used %s begins no session, and is removed from address and history', async (_name, change) => {
    const page = await logIn();
    const link = await change(await linkFrom(page, path()));
    await page.evaluate('core.logout()');
    const target = await follow(link);
    expect(await target.evaluate('started')).toEqual({ value: null });
    expect(await target.evaluate('[core.isLoggedIn, heard]')).toEqual([false, ['initialized']]);
    expect(await target.locator('dialog[open]').count()).toBe(0);
    expect((await addresses(target)).join()).not.toContain('core_login');
  });

  it('a link is ignored if a user is logged in, and begins no session for the next user', async () => {
    const here = path();
    const first = await follow(await linkFrom(await logIn('b@example.org'), here));
    await (await approvalOf(first)).getByRole('heading', { name: 'Continue as b…' }).waitFor();
    await approve(first);
    await first.evaluate('started');
    const other = await world.browse();
    const link = await linkFrom(await openLoggedIn(world, other, EMAIL), here);
    const target = await follow(link, first);
    expect(await target.evaluate('started')).toMatchObject({ value: { isLoggedIn: true } });
    expect(await target.evaluate('core.getUserInfo().then(({ user }) => user.email)')).toBe('b@example.org');
    expect((await addresses(target)).join()).not.toContain('core_login');
    await target.evaluate('core.logout().then(() => core.cleanUp())');
    expect(await target.evaluate('core.init()')).toBeNull();
  });

  it('a link still works after an init that StrictMode cleans up', async () => {
    const target = await browsing.context.newPage();
    await target.goto(await linkFrom(await logIn(), path()));
    await target.waitForFunction('window.core !== undefined');
    await target.evaluate(
      'void core.init().catch(() => {}); core.cleanUp(); void (window.started = tried(core.init()));',
    );
    await isAsked(target);
    await approve(target);
    expect(await target.evaluate('started')).toMatchObject({ value: { isLoggedIn: true } });
  });

  it.each([
    ['an origin that two partners share', () => `${world.site('shared')}/`],
    ['the own page', () => `${world.origins.partner}/`],
    ['a page of nobody', () => 'https://nobody.example/'],
    ['a script', () => 'javascript:alert(1)'],
    ['no text', () => 7],
  ])('no link leads to %s', async (_name, url) => {
    const page = await logIn();
    await go(page, url());
    const refused = { name: 'INVALID_PARAMETER', message: expect.stringContaining('partnerUrl') };
    expect(await page.evaluate('link')).toMatchObject(refused);
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(await page.evaluate('core.isLoggedIn')).toBe(true);
  });

  it('a link needs a login and a click', async () => {
    const page = await logIn();
    await go(page, bankOrigin);
    await (await approvalOf(page)).getByRole('button', { name: 'Cancel' }).click();
    expect(await page.evaluate('link')).toMatchObject({ name: 'USER_CANCELLED' });
    await page.evaluate('core.logout()');
    await go(page, bankOrigin);
    expect(await page.evaluate('link')).toMatchObject({ name: 'NOT_LOGGED_IN' });
  });

  it('the code of a link is in no console and in no message to the page', async () => {
    const said: string[] = [];
    browsing.context.on('console', (message) => said.push(message.text()));
    const page = await logIn();
    const link = await linkFrom(page, path());
    const [, code = ''] = link.split('core_login=');
    const target = await follow(link);
    await target.evaluate("window.addEventListener('message', ({ data }) => heard.push(JSON.stringify(data)))");
    await isAsked(target);
    await approve(target);
    await target.evaluate('started');
    expect(said.join()).toContain('logged_in');
    expect([said, await target.evaluate('heard')].join()).not.toContain(code);
  });
});

it('the gateway never logs the code of a link', async () => {
  const DATA_DIR = join(scratchFolder(), 'data');
  const ADMIN_API_KEY = 'operator-key-of-the-tests-0123456789abcdef';
  const gateway = await startProcess({
    LOG_LEVEL: 'debug',
    CHAIN: 'off',
    SAMPLE_CATALOG: 'false',
    ADMIN_API_KEY,
    DATA_DIR,
  });
  interface Answer {
    loginId: string;
    token: string;
    code: string;
    messages: { code: string }[];
  }
  const call = async (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> => {
    const init = {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    };
    return (await fetch(gateway.url + path, init as RequestInit)).json() as Promise<Answer>;
  };
  const [from, to] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  const operator = { 'x-admin-api-key': ADMIN_API_KEY };
  for (const partnerId of [from, to]) {
    const jwksUri = 'https://partner.example/jwks.json';
    const body = { name: 'P', scopes: [], jwksUri, allowedOrigins: [`https://${partnerId}.example`] };
    await call('PUT', `/v1/admin/partners/${partnerId}`, body, operator);
  }
  const { loginId } = await call('POST', '/v1/auth/login', { email: EMAIL, partnerId: from });
  const { messages } = await call('GET', `/v1/sandbox/mailbox?email=${EMAIL}`, undefined, operator);
  const { token } = await call('POST', '/v1/auth/verify', { loginId, code: messages[0]?.code });
  const session = { authorization: `Bearer ${token}` };
  const url = `https://${to}.example/`;
  const codes: string[] = [];
  for (const partnerId of [to, from]) {
    const { code } = await call('POST', '/v1/auth/partner-link', { url }, session);
    codes.push(code);
    await call('POST', '/v1/auth/partner-link/redeem', { code, partnerId });
  }
  const { out, err } = await gateway.end('SIGTERM');
  expect(out).toContain('/v1/auth/partner-link/redeem');
  for (const code of codes) expect(out + err).not.toContain(code);
});
