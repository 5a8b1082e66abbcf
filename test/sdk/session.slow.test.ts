// The session in a partner's pages: which events are sent in which order, in every tab, wherever the session begins and ends.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { approvalOf, type Browsing, enterCode, type SdkWorld, startSdkWorld, walletOf } from './world.js';

describe.skipIf(CHROMIUM === undefined)('A session of the client library', () => {
  let world: SdkWorld;
  let browsing: Browsing;
  beforeAll(async () => {
    world = await startSdkWorld();
  });
  afterAll(() => world?.close());

  const start = async (): Promise<Page> => {
    const page = await browsing.open(world.origins.partner);
    await page.evaluate('core.init()');
    return page;
  };
  const logIn = async (page: Page, email: string, options = {}): Promise<void> => {
    await page.evaluate(`void (window.result = tried(core.login(${JSON.stringify(options)})))`);
    await enterCode(world, page, email);
    await page.waitForFunction('core.isLoggedIn');
  };
  const heard = (page: Page): Promise<unknown> => page.evaluate('heard');
  /** Each test has a browser of its own, whose sessions no other test sees. */
  const fresh = async (storage?: 'denied'): Promise<void> => {
    await browsing?.close();
    browsing = await world.browse(storage);
  };

  it('a session begins with the mailed code, is resumed after a reload, and ends with a logout', async () => {
    await fresh();
    const page = await start();
    await logIn(page, 'order@example.org');
    const result = await page.evaluate('result');
    expect(result).toEqual({
      value: { isLoggedIn: true, id: expect.any(String), token: expect.any(String), isMFASetup: false },
    });
    expect(await heard(page)).toEqual(['initialized', 'logged_in']);
    expect(await page.evaluate('core.login().then(({ id }) => [id, heard.length])')).toEqual([
      (result as { value: { id: string } }).value.id,
      2,
    ]);
    expect(await page.evaluate('core.getUserInfo().then(({ user }) => user.email)')).toBe('order@example.org');
    expect(await page.evaluate('core.isSmartAccountDeployed()')).toBe(false);
    const fetched = (await page.evaluate('core.getAccessToken()')) as { token: string };
    const me = await world.gateway.rest('GET', '/v1/holders/me', {
      headers: { authorization: `Bearer ${fetched.token}` },
    });
    expect(me.body.user.email).toBe('order@example.org');
    await page.reload();
    await page.waitForFunction('window.core !== undefined');
    expect(await page.evaluate('core.init({ skipRehydration: true })')).toBeNull();
    await page.reload();
    await page.waitForFunction('window.core !== undefined');
    expect(await page.evaluate('core.init().then(({ isLoggedIn }) => [isLoggedIn, heard])')).toEqual([
      true,
      ['initialized', 'logged_in'],
    ]);
    expect(await page.evaluate('core.logout().then(() => [core.isLoggedIn, heard.at(-1), heard.length])')).toEqual([
      false,
      'logged_out',
      3,
    ]);
    expect(await page.evaluate('tried(core.logout())')).toMatchObject({ name: 'NOT_LOGGED_IN' });
    expect(browsing.faults).toEqual([]);
  });

  it('a session begins and ends in every tab of the site, and settings follow', async () => {
    await fresh();
    const [first, second] = [await start(), await start()];
    await logIn(first, 'tabs@example.org');
    await second.waitForFunction('core.isLoggedIn');
    await first.evaluate('core.updateSessionConfig({ currency: "EUR" })');
    // Another process of the browser may have the settings a little later.
    await expect.poll(() => second.evaluate('core.updateSessionConfig({})')).toEqual({ locale: 'en', currency: 'EUR' });
    await second.evaluate('core.logout()');
    await first.waitForFunction('!core.isLoggedIn');
    expect(await heard(first)).toEqual(['initialized', 'logged_in', 'logged_out']);
    expect(await heard(second)).toEqual(['initialized', 'logged_in', 'logged_out']);
  });

  it('settings that a tab only reads stay as another tab has set them, also if they reach its process of the browser later', async () => {
    await fresh();
    const first = await start();
    await browsing.context.addInitScript(`{
      const { getItem } = Storage.prototype;
      Storage.prototype.getItem = function (key) {
        return key.endsWith('.config') && !window.isThere ? null : getItem.call(this, key);
      };
    }`);
    const second = await start();
    await first.evaluate('core.updateSessionConfig({ currency: "EUR" })');
    expect(await second.evaluate('core.updateSessionConfig({})')).toEqual({ locale: 'en', currency: 'USD' });
    await second
      .frames()
      .find((one) => one.url().startsWith(world.url))
      ?.evaluate('window.isThere = true');
    expect(await second.evaluate('core.updateSessionConfig({})')).toEqual({ locale: 'en', currency: 'EUR' });
  });

  it('a session begins in a tab whose process of the browser does not have it in the store yet', async () => {
    await fresh();
    const first = await start();
    await browsing.context.addInitScript(`{
      const { getItem } = Storage.prototype;
      Storage.prototype.getItem = function (key) { return key.endsWith('.session') ? null : getItem.call(this, key); };
    }`);
    const second = await start();
    await logIn(first, 'process@example.org');
    await second.waitForFunction('core.isLoggedIn');
    expect(await second.evaluate('core.getUserInfo().then(({ user }) => user.email)')).toBe('process@example.org');
    expect(await heard(second)).toEqual(['initialized', 'logged_in']);
  });

  it('a session that begins in one tab ends the question for a code in another', async () => {
    await fresh();
    const [first, second] = [await start(), await start()];
    for (const page of [second, first]) {
      await page.evaluate('void (window.result = tried(core.login()))');
      await walletOf(page).getByLabel('E-mail address').waitFor();
    }
    await enterCode(world, first, 'both@example.org');
    const { value } = (await first.evaluate('result')) as { value: { id: string } };
    expect(await second.evaluate('result')).toMatchObject({ value: { isLoggedIn: true, id: value.id } });
    await second.waitForFunction("!document.querySelector('dialog').open");
    for (const page of [first, second])
      expect(await page.evaluate('core.getUserInfo().then(({ user }) => user.email)')).toBe('both@example.org');
  });

  it('a dialog ends with its session, also if that ends in another tab', async () => {
    await fresh();
    const [first, second] = [await start(), await start()];
    await logIn(first, 'asked@example.org');
    await second.waitForFunction('core.isLoggedIn');
    await world.addPartner('Bank', [world.site('bank')]);
    await first.evaluate(`void (window.result = tried(core.goToPartner('${world.site('bank')}/')))`);
    const approval = await approvalOf(first);
    await approval.getByRole('heading', { name: 'Go to Bank' }).waitFor();
    await second.evaluate('core.logout()');
    await first.waitForFunction("!document.querySelector('dialog').open");
    expect(await first.evaluate('result')).toMatchObject({ name: 'NOT_LOGGED_IN' });
    await expect.poll(() => approval.isClosed()).toBe(true);
  });

  it('code of the wallet that cannot be loaded says so, and is loaded later', async () => {
    await fresh();
    const page = await start();
    await logIn(page, 'code@example.org');
    for (const asked of ['**/wallet/*.js', '**/wallet/wallet-worker-*.js']) {
      await browsing.context.route(asked, (route) => route.abort());
      expect(await page.evaluate('tried(core.preloadWallet())')).toMatchObject({ name: 'OFFLINE' });
      await browsing.context.unroute(asked);
    }
    expect(await page.evaluate('tried(core.preloadWallet())')).toEqual({});
  });

  it('a session that ended elsewhere is detected at the next call, once', async () => {
    await fresh();
    const page = await start();
    await logIn(page, 'elsewhere@example.org');
    const frame = page.frames().find((one) => one.url().startsWith(world.url));
    const token = await frame?.evaluate(
      "JSON.parse(localStorage.getItem(Object.keys(localStorage).find((key) => key.endsWith('.session')))).result.token",
    );
    await world.gateway.rest('POST', '/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } });
    const calls = 'Promise.all([tried(core.getUserInfo()), tried(core.getAccessToken())])';
    expect(await page.evaluate(calls)).toMatchObject([{ name: 'NOT_LOGGED_IN' }, { name: 'NOT_LOGGED_IN' }]);
    expect(await heard(page)).toEqual(['initialized', 'logged_in', 'logged_out']);
  });

  it('a session stays while the network is unavailable, and a logout then is completed at the next init', async () => {
    await fresh();
    const page = await start();
    await logIn(page, 'offline@example.org');
    const token = await page.evaluate('core.getAccessToken().then(({ token }) => token)');
    const status = async () =>
      (await world.gateway.rest('GET', '/v1/holders/me', { headers: { authorization: `Bearer ${token}` } })).status;
    await browsing.context.setOffline(true);
    expect(await page.evaluate('tried(core.getUserInfo())')).toMatchObject({ name: 'OFFLINE' });
    expect(await page.evaluate('core.isLoggedIn')).toBe(true);
    await page.evaluate('core.logout()');
    expect(await page.evaluate('[core.isLoggedIn, heard.at(-1)]')).toEqual([false, 'logged_out']);
    await browsing.context.setOffline(false);
    expect(await status()).toBe(200);
    await page.evaluate('core.cleanUp().then(() => core.init())');
    await expect.poll(status).toBe(403);
  });

  it('a session lasts as long as the page if storage is denied', async () => {
    await fresh('denied');
    const page = await start();
    await logIn(page, 'denied@example.org');
    expect(await page.evaluate('core.getUserInfo().then(({ user }) => user.email)')).toBe('denied@example.org');
    await page.evaluate('core.cleanUp()');
    expect(await page.evaluate('core.init()')).toBeNull();
  });

  it('a session begins with the address of a partner token, which its user cannot change', async () => {
    await fresh();
    const page = await start();
    const authToken = await world.partner.token({ email: 'fixed@example.org' });
    await page.evaluate(`void (window.result = tried(core.login({ authToken: '${authToken}' })))`);
    const wallet = walletOf(page);
    const field = wallet.getByLabel('E-mail address');
    await field.waitFor();
    expect([await field.inputValue(), await field.isEditable()]).toEqual(['fixed@example.org', false]);
    await wallet.getByRole('button', { name: 'Send code' }).click();
    await wallet.getByLabel('Code', { exact: true }).fill(await codeAfter('fixed@example.org'));
    await wallet.getByRole('button', { name: 'Log in' }).click();
    expect(await page.evaluate('result')).toMatchObject({ value: { isLoggedIn: true } });
    const other = await world.partner.token({ email: 'other@example.org' });
    expect(await page.evaluate(`tried(core.login({ authToken: '${other}' }))`)).toMatchObject({
      name: 'USER_MISMATCH',
    });
  });

  it('a session does not begin with a partner token that is wrong, or has expired, and no address is typed first', async () => {
    await fresh();
    const page = await start();
    const tried = (authToken: string): Promise<unknown> =>
      page.evaluate(`tried(core.login({ authToken: '${authToken}' }))`);
    const email = { email: 'a@example.org' };
    expect(await tried(await world.partner.token(email, 'issue', '-1h'))).toMatchObject({
      name: 'PARTNER_TOKEN_EXPIRED',
    });
    expect(await tried('a.b.c')).toMatchObject({ name: 'PARTNER_ACCESS_TOKEN_INVALID' });
    expect(await page.evaluate('document.querySelector("dialog").open')).toBe(false);
  });

  it('a session begins at the second try if the browser reports late that the first dialog was closed', async () => {
    await fresh();
    const page = await start();
    await page.evaluate(`void window.addEventListener('close', (event) => {
      if (!event.isTrusted) return;
      event.stopImmediatePropagation();
      window.reportLate = () => event.target.dispatchEvent(new Event('close'));
    }, true)`);
    await page.evaluate('void (window.result = tried(core.login()))');
    await walletOf(page).getByRole('button', { name: 'Close' }).click();
    expect(await page.evaluate('result')).toMatchObject({ name: 'USER_CANCELLED' });
    await page.waitForFunction('window.reportLate !== undefined');
    await page.evaluate('void (window.result = tried(core.login()))');
    await walletOf(page).getByLabel('E-mail address').waitFor();
    await page.evaluate('reportLate()');
    await enterCode(world, page, 'second@example.org');
    expect(await page.evaluate('result')).toMatchObject({ value: { isLoggedIn: true } });
  });

  it('a wrong code, an expired one, and a closed dialog are explained, and a retry works', async () => {
    await fresh();
    const page = await start();
    await page.evaluate('void (window.result = tried(core.login()))');
    const wallet = walletOf(page);
    await wallet.getByLabel('E-mail address').fill('wrong@example.org');
    await wallet.getByRole('button', { name: 'Send code' }).click();
    const code = await codeAfter('wrong@example.org');
    const enter = async (text: string): Promise<void> => {
      await wallet.getByLabel('Code', { exact: true }).fill(text);
      await page.keyboard.press('Enter');
    };
    await enter(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
    await wallet.getByRole('alert').getByText('This code is wrong.').waitFor();
    const logins = world.gateway.app.connection.collection('logins');
    await logins.updateMany({}, { $set: { expiresAt: new Date(0) } });
    await enter(code);
    await wallet.getByRole('alert').getByText('This code can no longer be used').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('result')).toMatchObject({ name: 'USER_CANCELLED' });
    await logIn(page, 'wrong@example.org');
    expect(await heard(page)).toEqual(['initialized', 'logged_in']);
  });

  async function codeAfter(email: string): Promise<string> {
    await walletOf(browsing.context.pages().at(-1) as Page)
      .getByRole('heading', { name: 'Enter the code' })
      .waitFor();
    return world.codeFor(email);
  }
});
