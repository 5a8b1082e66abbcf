// A consent is given only by the click of a user who has seen the button. The page covers the button, dims it, clicks it by script, and asks often.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { accessFaults, type Browsing, openProfile, servePages, startBrowser, walletOf } from './world.js';

const MARKUP = '<b onclick="x">\u202egnp.exe</b>';
const SCREEN = {
  kind: 'consent',
  partnerName: MARKUP,
  title: `Sign this ${MARKUP}`,
  facts: [
    { name: 'Text', value: `${MARKUP} ${'long '.repeat(2_000)}` },
    { name: 'Account', value: '0x1' },
  ],
  action: 'Sign',
};

/** Serves the frame of browser/consent-frame.tsx, its window, and the library. */
async function serveFrame(allowedOrigins: string[]): Promise<{ url: string; server: Server }> {
  const bundler = '../../tools/bundle-client.mjs';
  const { bundleForWeb } = (await import(bundler)) as {
    bundleForWeb(input: object, options: object): Promise<Map<string, string>>;
  };
  const options = { codeSplitting: false, entryFileNames: '[name].js' };
  const files = await bundleForWeb({ frame: 'test/sdk/browser/consent-frame.tsx' }, options);
  const config = JSON.stringify({ allowedOrigins, screen: SCREEN }).replaceAll('<', '\\u003c');
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Wallet</title><link rel="icon" href="data:,">
    <link rel="stylesheet" href="/wallet.css"><script type="application/json" id="config">${config}</script>
    <script type="module" src="/frame.js"></script><body><div id="wallet"></div></body></html>`;
  const served: Record<string, [string, string]> = {
    '/wallet/': ['text/html', page],
    '/frame.js': ['text/javascript', files.get('frame.js') ?? ''],
    '/wallet.css': ['text/css', readFileSync('src/wallet/wallet.css', 'utf8')],
    '/sdk/core.js': ['text/javascript', readFileSync('dist/sdk/core.js', 'utf8')],
  };
  const server = createServer((request, response) => {
    const [type, text] = served[(request.url ?? '').split('?')[0] ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'access-control-allow-origin': '*' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, server };
}

describe.skipIf(CHROMIUM === undefined)('A consent', () => {
  let pages: Awaited<ReturnType<typeof servePages>>;
  let frame: Awaited<ReturnType<typeof serveFrame>>;
  let browser: Browser;
  let browsing: Browsing;
  let origin: string;
  beforeAll(async () => {
    pages = await servePages();
    origin = `http://partner.localhost:${pages.port}`;
    frame = await serveFrame([origin]);
    browser = await startBrowser('parted');
    browsing = await browse();
  });
  afterAll(async () => {
    await browser?.close();
    pages.close();
    frame.server.close();
  });

  const browse = () => openProfile({ browser, url: frame.url, partnerId: 'partner', pages });

  /** Opens a page whose login has asked for the consent. */
  async function ask(own = browsing, headers: Record<string, string> = {}): Promise<Page> {
    const page = await own.open(origin, { headers });
    await page.evaluate('core.init()');
    await page.evaluate('void tried(core.login()).then((result) => { window.result = result; })');
    return page;
  }
  const button = (page: Page) => walletOf(page).getByRole('button', { name: 'Sign' });
  const ready = (page: Page) => walletOf(page).locator('button.main[aria-disabled="false"]').waitFor();
  const unready = (page: Page) => walletOf(page).locator('button.main[aria-disabled="true"]').waitFor();
  const inFrame = (page: Page, script: string): Promise<unknown> => {
    const shown = page.frames().find((one) => one.url().startsWith(frame.url));
    if (shown === undefined) throw new Error('the page has no frame');
    return shown.evaluate(script);
  };
  const result = (page: Page): Promise<unknown> => page.evaluate('window.result');
  const resultOf = async (page: Page): Promise<unknown> => {
    await page.waitForFunction('window.result !== undefined');
    return result(page);
  };
  /** Clicks at the button's position, whatever covers it. */
  async function clickThere(page: Page): Promise<void> {
    const box = await button(page).boundingBox();
    if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }

  it('a consent is given by a click on the button, once that was visible for a while', async () => {
    const page = await ask();
    await ready(page);
    await button(page).click();
    expect(await resultOf(page)).toEqual({ value: { consented: true } });
    expect(await page.evaluate("document.querySelector('dialog').open")).toBe(false);
    await page.close();
  });

  it('a consent screen shows text as text: markup, direction marks, and any length', async () => {
    const page = await ask();
    await ready(page);
    expect(await walletOf(page).getByRole('heading', { name: 'Sign this' }).textContent()).toContain(MARKUP);
    expect(await walletOf(page).locator('b').count()).toBe(0);
    await page.close();
  });

  it.each([100, 200])(
    'on a phone with text at %i percent, the title is whole, and the button works',
    async (percent) => {
      const page = await ask();
      await page.setViewportSize({ width: 360, height: 640 });
      await inFrame(page, `void (document.documentElement.style.fontSize = '${percent}%')`);
      const cutOff = `(() => {
      const range = document.createRange();
      return [...document.querySelectorAll('h1, p, button')].filter((shown) => {
        range.selectNodeContents(shown);
        return range.getBoundingClientRect().height > shown.getBoundingClientRect().height;
      }).map((shown) => shown.textContent);
    })()`;
      expect(await inFrame(page, cutOff)).toEqual([]);
      await button(page).scrollIntoViewIfNeeded();
      await ready(page);
      await button(page).click();
      expect(await resultOf(page)).toEqual({ value: { consented: true } });
      await page.close();
    },
  );

  it.each([
    [
      'a popover over the button',
      `const over = document.createElement('div'); over.id = 'over'; over.popover = 'manual';
      over.style.cssText = 'inset:0;width:100%;height:100%;pointer-events:none;opacity:.01;background:red';
      document.body.append(over); over.showPopover();`,
      'over.remove()',
    ],
    [
      'a second dialog',
      `const over = document.createElement('dialog'); over.id = 'over';
      over.style.cssText = 'inset:0;width:100vw;height:100vh;pointer-events:none;opacity:.01';
      document.body.append(over); over.showModal();`,
      'over.remove()',
    ],
    [
      'opacity',
      `document.querySelector('iframe').style.setProperty('opacity', '.99', 'important')`,
      `document.querySelector('iframe').style.setProperty('opacity', '1', 'important')`,
    ],
    [
      'a transformation',
      `document.querySelector('dialog').style.setProperty('transform', 'skew(20deg)', 'important')`,
      `document.querySelector('dialog').style.setProperty('transform', 'none', 'important')`,
    ],
  ])('a consent is not given while the page has %s', async (_name, cover, uncover) => {
    const page = await ask();
    await ready(page);
    await page.evaluate(cover);
    await unready(page);
    await clickThere(page);
    expect(await result(page)).toBeUndefined();
    await page.evaluate(uncover);
    await ready(page);
    await button(page).click();
    expect(await resultOf(page)).toEqual({ value: { consented: true } });
    await page.close();
  });

  it('a consent is not given by a click of a script', async () => {
    const page = await ask();
    await ready(page);
    await inFrame(page, "document.querySelector('button.main').click()");
    await button(page).dispatchEvent('click');
    expect(await result(page)).toBeUndefined();
    await page.close();
  });

  it('a consent is given by keyboard alone', async () => {
    const page = await ask();
    await ready(page);
    // The heading has the focus first, then the facts, then the button.
    for (const _stop of ['facts', 'button']) await page.keyboard.press('Tab');
    expect(await inFrame(page, 'document.activeElement.className')).toBe('main');
    await page.keyboard.press('Enter');
    expect(await resultOf(page)).toEqual({ value: { consented: true } });
    await page.close();
  });

  it('ten consents may wait, and more are refused', async () => {
    const page = await ask();
    await ready(page);
    const names = (await page.evaluate(`(async () => {
      const asked = Array.from({ length: 1_000 }, () => tried(core.login()));
      return (await Promise.race([Promise.all(asked.slice(10)), Promise.all(asked.slice(0, 10))])).map(({ name }) => name);
    })()`)) as string[];
    expect([names.length, new Set(names)]).toEqual([990, new Set(['CLIENT_ERROR'])]);
    expect(await result(page)).toBeUndefined();
    await page.close();
  });

  it('a consent screen has no faults of accessibility, light and dark', async () => {
    const page = await ask();
    await ready(page);
    expect(await accessFaults(page, frame.url)).toEqual([]);
    await page.close();
  });

  describe('where the browser does not tell frames what is seen of them', () => {
    let blind: Browsing;
    beforeAll(async () => {
      blind = await browse();
      await blind.context.addInitScript('delete IntersectionObserverEntry.prototype.isVisible');
    });
    afterAll(() => blind?.close());
    const open = (page: Page) => walletOf(page).getByRole('button', { name: 'Open the window' });

    it('if the browser does not report visibility to frames, a consent is given in a window, which a click in the frame opens', async () => {
      const page = await ask(blind);
      const [popup] = await Promise.all([blind.context.waitForEvent('page'), open(page).click()]);
      await popup.locator('button.main[aria-disabled="false"]').click();
      expect(await resultOf(page)).toEqual({ value: { consented: true } });
      expect(popup.isClosed() || (await popup.waitForEvent('close'))).toBeTruthy();
      await page.close();
    });

    it('if the browser does not report visibility to frames, a consent is given in a window however late its answer arrives', async () => {
      const late = await browse();
      onTestFinished(() => late.close());
      await late.context.addInitScript(`delete IntersectionObserverEntry.prototype.isVisible;
        const { addEventListener } = window;
        window.addEventListener = (type, listener, options) => addEventListener.call(window, type, type !== 'message' ? listener :
          (event) => event.data?.core === 'answer' ? setTimeout(() => listener(event), 1_500) : listener(event), options);`);
      const page = await ask(late);
      const [popup] = await Promise.all([late.context.waitForEvent('page'), open(page).click()]);
      await popup.locator('button.main[aria-disabled="false"]').click();
      expect(await resultOf(page)).toEqual({ value: { consented: true } });
      expect(popup.isClosed() || (await popup.waitForEvent('close'))).toBeTruthy();
    });

    it('if the browser does not report visibility to frames, a consent is not given when the window is closed', async () => {
      const page = await ask(blind);
      const [popup] = await Promise.all([blind.context.waitForEvent('page'), open(page).click()]);
      await popup.locator('button.main').waitFor();
      await popup.close();
      expect(await resultOf(page)).toMatchObject({ name: 'WINDOW_CLOSED' });
      await page.close();
    });

    it("if the browser does not report visibility to frames, a consent is not given when the page's policy isolates the window", async () => {
      const page = await ask(blind, { 'cross-origin-opener-policy': 'same-origin' });
      await open(page).click();
      expect(await resultOf(page)).toMatchObject({ name: 'WINDOW_BLOCKED' });
      await page.close();
    });
  });
});
