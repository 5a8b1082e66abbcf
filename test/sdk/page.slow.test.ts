// The client library in a partner's page: the frame opens only in pages of the partner, whatever else these pages do.

import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { type Browsing, enterCode, type SdkWorld, startSdkWorld, walletOf } from './world.js';

if (CHROMIUM === undefined) console.warn('No Chromium is installed: the client library is not tried in a browser.');

describe.skipIf(CHROMIUM === undefined)('A page with the client library', () => {
  let world: SdkWorld;
  let browsing: Browsing;
  beforeAll(async () => {
    world = await startSdkWorld();
    browsing = await world.browse();
  });
  afterAll(() => world?.close());

  const frameOf = (page: Page): Frame => {
    const frame = page.frames().find((one) => one.url().startsWith(world.url));
    if (frame === undefined) throw new Error('the page has no frame');
    return frame;
  };

  it('the client library initializes: properties before and after, one promise while it runs, and no event the second time', async () => {
    const page = await browsing.open(world.origins.partner);
    const facts = () => page.evaluate('[core.buildEnv, core.isInitialized, core.isLoggedIn, core.isWalletInitialized]');
    expect(await facts()).toEqual(['sandbox', false, false, false]);
    expect(await page.evaluate('core.provider === core.getProvider()')).toBe(true);
    expect(await page.evaluate('core.init() === core.init()')).toBe(true);
    expect(await page.evaluate('core.init()')).toBeNull();
    expect(await facts()).toEqual(['sandbox', true, false, false]);
    expect(await page.evaluate('core.init().then(() => heard)')).toEqual(['initialized']);
    expect(browsing.faults).toEqual([]);
    await page.close();
  });

  it.each([
    ['another environment', { buildEnv: 'production' }, 'CONFIG_ERROR'],
    ['another network', { credentialNetwork: 'testnet' }, 'CONFIG_ERROR'],
    ['an unknown currency', { sessionConfig: { currency: 'XYZ' } }, 'INVALID_PARAMETER'],
    ['a locale that is none', { sessionConfig: { locale: '?' } }, 'INVALID_PARAMETER'],
    ['an unknown option', { colour: 'red' }, 'INVALID_PARAMETER'],
  ])('the client library rejects init for %s, which may then be repeated', async (_name, options, name) => {
    const page = await browsing.open(world.origins.partner);
    const result = await page.evaluate(`tried(core.init(${JSON.stringify(options)}))`);
    expect(result).toMatchObject({ name });
    expect(await page.evaluate('core.isInitialized')).toBe(false);
    expect(await page.evaluate('core.init()')).toBeNull();
    await page.close();
  });

  it.each(['login', 'logout', 'getUserInfo', 'getAccessToken', 'preloadWallet', 'claimCoreId', 'showSwapUI'])(
    'the client library rejects %s before init',
    async (operation) => {
      const page = await browsing.open(world.origins.partner);
      expect(await page.evaluate(`tried(core.${operation}())`)).toMatchObject({ name: 'NOT_INITIALIZED' });
      await page.close();
    },
  );

  it('the client library opens the frame again during an init that was cleaned up, as StrictMode does', async () => {
    const page = await browsing.open(world.origins.partner);
    const [first, second] = (await page.evaluate(`(async () => {
      const first = tried(core.init());
      core.cleanUp();
      core.on(({ event }) => heard.push(event));
      return Promise.all([first, tried(core.init())]);
    })()`)) as [object, object];
    expect(first).toMatchObject({ name: 'CLIENT_ERROR' });
    expect(second).toEqual({ value: null });
    expect(await page.evaluate('heard')).toEqual(['initialized']);
    expect(await page.locator('iframe').count()).toBe(1);
    await page.evaluate('core.cleanUp()');
    expect(await page.locator('dialog').count()).toBe(0);
    expect(await page.evaluate('[core.isInitialized, core.isLoggedIn]')).toEqual([false, false]);
    await page.close();
  });

  it('the client library shows the dialog over a modal of the page that traps the focus', async () => {
    const page = await browsing.open(world.origins.partner, {
      body: '<dialog id="own"><input id="trap"></dialog>',
      script: `own.showModal();
        document.addEventListener('focusin', ({ target }) => { if (!own.contains(target)) trap.focus(); }, true);
        document.addEventListener('keydown', (event) => event.preventDefault(), true);`,
    });
    await page.evaluate('core.init()');
    await page.evaluate('void (window.result = tried(core.login()))');
    await enterCode(world, page, 'modal@example.org');
    expect(await page.evaluate('result')).toMatchObject({ value: { isLoggedIn: true } });
    expect(await page.evaluate('own.open')).toBe(true);
    await page.evaluate('core.logout()');
    await page.close();
  });

  it.each([
    ['is removed from the page', (page: Page) => page.evaluate('document.querySelector("dialog").remove()')],
    ['loads again', (page: Page) => frameOf(page).evaluate('location.reload()')],
    [
      'no longer responds when the user closes it',
      async (page: Page) => {
        await frameOf(page).evaluate('window.isDeaf = true');
        await page.evaluate('document.querySelector("dialog").close()');
      },
    ],
  ])('the client library rejects what waits for a frame that %s', async (_name, lose) => {
    const own = await world.browse();
    await own.context.addInitScript(`{
      const { addEventListener } = MessagePort.prototype;
      MessagePort.prototype.addEventListener = function (type, listener) {
        addEventListener.call(this, type, (event) => window.isDeaf || listener(event));
      };
    }`);
    const page = await own.open(world.origins.partner);
    await page.evaluate('core.init()');
    await page.evaluate('void (window.result = tried(core.login()))');
    await walletOf(page).getByLabel('E-mail address').waitFor();
    await lose(page);
    expect(await page.evaluate('result')).toMatchObject({
      name: 'CLIENT_ERROR',
      message: expect.stringMatching(/ended/),
    });
    await page.waitForFunction('!document.querySelector("dialog")?.open');
    expect(await page.evaluate('tried(core.login())')).toMatchObject({ name: 'CLIENT_ERROR' });
    expect(await page.evaluate('core.cleanUp().then(() => core.init())')).toBeNull();
    await own.close();
  });

  it('the client library ends a call that the page aborts: its dialog closes, and the next one opens it again', async () => {
    const page = await browsing.open(world.origins.partner);
    await page.evaluate('core.init()');
    const login =
      'void (window.ending = new AbortController(), window.result = tried(core.login({ signal: ending.signal })))';
    await page.evaluate(login);
    await walletOf(page).getByLabel('E-mail address').waitFor();
    await page.evaluate('ending.abort()');
    expect(await page.evaluate('result')).toMatchObject({ name: 'AbortError' });
    await page.waitForFunction('!document.querySelector("dialog").open');
    expect(await page.evaluate('tried(core.login({ signal: AbortSignal.abort() }))')).toMatchObject({
      name: 'AbortError',
    });
    expect(await page.evaluate('tried(core.login({ signal: {} }))')).toMatchObject({ name: 'INVALID_PARAMETER' });
    await page.evaluate(login);
    await walletOf(page).getByLabel('E-mail address').waitFor();
    expect(await page.evaluate('document.querySelector("dialog").open')).toBe(true);
    await page.close();
  });

  it('the client library starts before the page has a body, and works where that is replaced', async () => {
    const page = await browsing.open(world.origins.partner);
    await page.evaluate('document.body.remove()');
    expect(await page.evaluate('tried(core.init())')).toEqual({ value: null });
    await page.evaluate("document.documentElement.append(document.createElement('body'))");
    await page.evaluate('void tried(core.login())');
    await walletOf(page).getByLabel('E-mail address').waitFor();
    await page.close();
  });

  it.each([
    [
      'a Content-Security-Policy with frame-src and script-src alone, and Trusted Types',
      (url: string) => ({
        'content-security-policy': `default-src 'none'; script-src ${url} 'unsafe-inline'; frame-src ${url}; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'`,
      }),
    ],
    [
      'cross-origin isolation',
      () => ({ 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }),
    ],
  ])('the client library works under %s', async (name, headersFor) => {
    const { faults } = browsing;
    const page = await browsing.open(world.origins.partner, { headers: headersFor(world.url) });
    if (name === 'cross-origin isolation') expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    expect(await page.evaluate('tried(core.init())')).toEqual({ value: null });
    await page.evaluate('void tried(core.login())');
    await walletOf(page).getByLabel('E-mail address').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('the client library gets no frame in a page of an origin that the partner does not allow, or for an unknown partner', async () => {
    const own = await world.browse();
    const page = await own.open(world.origins.stranger);
    const refused = (message: RegExp) => ({ name: 'CONFIG_ERROR', message: expect.stringMatching(message) });
    expect(await page.evaluate('tried(core.init())')).toMatchObject(refused(/allowedOrigins.*stranger/));
    const nobody = `new CoreService({ partnerId: '00000000-0000-4000-8000-000000000000' })`;
    const other = await own.open(world.origins.partner);
    expect(await other.evaluate(`tried(${nobody}.init())`)).toMatchObject(refused(/partnerId 00000000/));
    expect(await other.locator('dialog').count()).toBe(0);
    await own.close();
  });

  it.each([
    ['frame-src', 'CONFIG_ERROR', /^The frame-src of this page/],
    ['frame-src none, and connect-src', 'CONFIG_ERROR', /^The frame-src of this page/],
    ['connect-src, while the gateway is away', 'TIMEOUT', /partnerId.*allowedOrigins.*baseUrl.*frame-src/s],
    ['nothing, while the gateway is away', 'OFFLINE', /cannot be reached/],
  ])('the client library says what is wrong where the page forbids %s', async (forbidden, name, message) => {
    const own = await world.browse();
    const isAway = forbidden.includes('away');
    const forbids = [
      ...(forbidden.startsWith('frame-src') ? ["frame-src 'none'"] : []),
      ...(forbidden.includes('connect-src') ? ["connect-src 'none'"] : []),
    ];
    const headers: Record<string, string> = forbids.length > 0 ? { 'content-security-policy': forbids.join('; ') } : {};
    const page = await own.open(world.origins.partner, { headers });
    if (isAway)
      for (const path of ['**/wallet/?*', '**/v1/client/config*'])
        await own.context.route(path, (route) => route.abort());
    expect(await page.evaluate('tried(core.init())')).toMatchObject({ name, message: expect.stringMatching(message) });
    await own.close();
  });

  it('the client library says so when the frame takes too long to load, and opens it the next time', async () => {
    const own = await world.browse();
    const page = await own.open(world.origins.partner);
    await own.context.route('**/wallet/?*', () => {});
    expect(await page.evaluate('tried(core.init())')).toMatchObject({ name: 'TIMEOUT' });
    await own.context.unrouteAll();
    expect(await page.evaluate('tried(core.init())')).toEqual({ value: null });
    await own.close();
  });

  it('the client library waits for a frame on a slow machine, once it has heard it', async () => {
    const own = await world.browse();
    // What the page says reaches the frame three seconds late.
    await own.context.addInitScript(`if (window !== window.parent) {
      const { addEventListener } = window;
      window.addEventListener = (type, listener, options) => addEventListener.call(window, type,
        type === 'message' ? (event) => setTimeout(() => listener(event), 3_000) : listener, options);
    }`);
    const page = await own.open(world.origins.partner);
    expect(await page.evaluate('tried(core.init())')).toEqual({ value: null });
    await own.close();
  });

  it("the client library says which parameter has the gateway's address, and which address that is", async () => {
    const page = await browsing.open(world.origins.partner);
    const initAt = (baseUrl: string): Promise<unknown> =>
      page.evaluate(
        `tried(new CoreService({ partnerId: '${world.partner.partnerId}', baseUrl: '${baseUrl}' }).init())`,
      );
    expect(await initAt('nonsense')).toMatchObject({
      name: 'INVALID_PARAMETER',
      message: expect.stringContaining('baseUrl'),
    });
    expect(await initAt(world.url.replace('localhost', 'gateway.localhost'))).toMatchObject({
      name: 'CONFIG_ERROR',
      message: expect.stringContaining(world.url),
    });
    await page.close();
  });
});
