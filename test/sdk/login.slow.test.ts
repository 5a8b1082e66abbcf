// Logins that do not go well: too many of them, a gateway that cannot be reached, a wrong clock in the browser, or a dialog that is closed at any
// moment.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { accessFaults, type Browsing, enterCode, type SdkWorld, startSdkWorld, walletOf } from './world.js';

const HOUR_MS = 3_600_000;
/** A script that runs in every window before the page's own scripts. */
const clockAhead = (ms: number): string => `{
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...args) { args.length === 0 ? super(Real.now() + ${ms}) : super(...args); }
    static now() { return Real.now() + ${ms}; }
  };
}`;

describe.skipIf(CHROMIUM === undefined)('A login', () => {
  let world: SdkWorld;
  let browsing: Browsing;
  beforeAll(async () => {
    world = await startSdkWorld();
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    browsing = await world.browse();
  });
  afterEach(() => browsing.close());

  const ask = async (options = {}): Promise<Page> => {
    const page = await browsing.open(world.origins.partner);
    await page.evaluate('core.init()');
    await page.evaluate(`void (window.result = tried(core.login(${JSON.stringify(options)})))`);
    return page;
  };
  const send = async (page: Page, email: string): Promise<void> => {
    await walletOf(page).getByLabel('E-mail address').fill(email);
    await walletOf(page).getByRole('button', { name: 'Send code' }).click();
  };
  const frameOf = (page: Page) => {
    const frame = page.frames().find((one) => one.url().startsWith(world.url));
    if (frame === undefined) throw new Error('the page has no frame');
    return frame;
  };
  const alerted = (page: Page, text: string): Promise<void> =>
    walletOf(page).getByRole('alert').getByText(text).waitFor();

  it('a login on a slow network says that it is under way', async () => {
    const page = await ask();
    const moment = walletOf(page).getByText('One moment …');
    for (const path of ['login', 'verify'])
      await browsing.context.route(`**/v1/auth/${path}`, async (route) => {
        await moment.waitFor();
        await route.continue();
      });
    await enterCode(world, page, 'slow@example.org');
    expect(await page.evaluate('result')).toMatchObject({ value: { isLoggedIn: true } });
  });

  it('a login that was requested too often is explained, and works with another address', async () => {
    const body = { email: 'often@example.org', partnerId: world.partner.partnerId };
    let status = 0;
    while (status !== 429) ({ status } = await world.gateway.rest('POST', '/v1/auth/login', { body }));
    const page = await ask();
    await send(page, body.email);
    await alerted(page, 'There were too many attempts. Wait a few minutes and try again.');
    await enterCode(world, page, 'seldom@example.org');
    expect(await page.evaluate('result')).toMatchObject({ value: { isLoggedIn: true } });
  });

  it.each([
    ['a page of a proxy', 'text/html', '<h1>503</h1>'],
    ['JSON', 'application/json', JSON.stringify({ error: 503, code: 'BUSY', message: 'Busy.' })],
  ])(
    'a login while the gateway responds 503 with %s is explained, and works later',
    async (_name, contentType, body) => {
      const page = await ask();
      for (const path of ['login', 'verify'])
        await browsing.context.route(
          `**/v1/auth/${path}`,
          (route) => route.fulfill({ status: 503, contentType, body }),
          {
            times: 1,
          },
        );
      const email = `away-${contentType.length}@example.org`;
      await send(page, email);
      await alerted(page, 'This does not work right now. Try again shortly.');
      await enterCode(world, page, email);
      await alerted(page, 'This does not work right now. Try again shortly.');
      await walletOf(page)
        .getByLabel('Code', { exact: true })
        .fill(await world.codeFor(email));
      await walletOf(page).getByRole('button', { name: 'Log in' }).click();
      expect(await page.evaluate('result')).toMatchObject({ value: { isLoggedIn: true } });
    },
  );

  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])(
    'a login works in a browser whose clock is an hour %s, and partner tokens are checked by the gateway’s clock',
    async (name, ms) => {
      await browsing.context.addInitScript(clockAhead(ms));
      const email = `${name}@example.org`;
      const late = await ask({ authToken: await world.partner.token({ email }, 'issue', '-1m') });
      expect(await late.evaluate('result')).toMatchObject({ name: 'PARTNER_TOKEN_EXPIRED' });
      const page = await ask({ authToken: await world.partner.token({ email }) });
      // The first number counts: a slow machine shows the others late, or not at all.
      await frameOf(page).evaluate(`new MutationObserver((_changes, observer) => {
        const [, seconds] = /Send another code in (\\d+) s/.exec(document.body.textContent) ?? [];
        if (seconds === undefined) return;
        window.firstSeconds = Number(seconds);
        observer.disconnect();
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
      await walletOf(page).getByRole('button', { name: 'Send code' }).click();
      await walletOf(page).getByRole('heading', { name: 'Enter the code' }).waitFor();
      const seconds = await frameOf(page).evaluate('firstSeconds');
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(30);
      await walletOf(page)
        .getByLabel('Code', { exact: true })
        .fill(await world.codeFor(email));
      await walletOf(page).getByRole('button', { name: 'Log in' }).click();
      expect(await page.evaluate('result')).toMatchObject({ value: { isLoggedIn: true } });
      expect(await page.evaluate('core.getUserInfo().then(({ user }) => user.email)')).toBe(email);
    },
  );

  it.each([
    ['the code is verified', 'verify'],
    ['its token is made', 'token'],
  ])('a login whose dialog is closed while %s does not begin', async (_name, path) => {
    const page = await ask();
    let go = (): void => {};
    const closed = new Promise<void>((resolve) => {
      go = resolve;
    });
    let token = '';
    await browsing.context.route('**/v1/auth/verify', async (route) => {
      const response = await route.fetch();
      ({ token } = await response.json());
      if (path === 'verify') await closed;
      await route.fulfill({ response });
    });
    const reached = page.waitForRequest(`**/v1/auth/${path}`);
    await browsing.context.route('**/v1/auth/token', async (route) => {
      if (path === 'token') await closed;
      await route.continue();
    });
    await enterCode(world, page, `closed-${path}@example.org`);
    await reached;
    // The frame hides a dialog once it has heard that this was closed.
    await page.evaluate(`window.hidden = new Promise((resolve) => {
      const dialog = document.querySelector('dialog');
      dialog.close();
      dialog.close = resolve;
    })`);
    await page.evaluate('hidden.then(() => {})');
    go();
    expect(await page.evaluate('result')).toMatchObject({ name: 'USER_CANCELLED' });
    expect(await page.evaluate('[core.isLoggedIn, heard]')).toEqual([false, ['initialized']]);
    const headers = { authorization: `Bearer ${token}` };
    // The gateway has ended the session too.
    await expect.poll(async () => (await world.gateway.rest('GET', '/v1/holders/me', { headers })).status).toBe(403);
    await page.evaluate('core.cleanUp()');
    expect(await page.evaluate('core.init()')).toBeNull();
  });

  it('the login has screens without faults of accessibility, light and dark', async () => {
    const page = await ask();
    await walletOf(page).getByLabel('E-mail address').waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    await send(page, 'access@example.org');
    await walletOf(page).getByRole('heading', { name: 'Enter the code' }).waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    await walletOf(page).getByLabel('Code', { exact: true }).fill('000000');
    await page.keyboard.press('Enter');
    await alerted(page, 'This code is wrong');
    expect(await accessFaults(page, world.url)).toEqual([]);
  });
});
