// A consent is given only in the wallet's window, by a click that its user meant. The page disguises its frame, opens windows at the pointer, holds keys and buttons down, and asks often.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { serveFrame } from './consent-frame.js';
import { DISGUISES } from './disguises.js';
import {
  accessFaults,
  approvalOf,
  approve,
  type Browsing,
  HOLD_SECOND,
  openProfile,
  pressIn,
  servePages,
  startBrowser,
  walletOf,
} from './world.js';

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
  afterEach(async () => {
    for (const context of browser.contexts()) for (const page of context.pages()) await page.close();
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
  const frameOf = (page: Page) => {
    const shown = page.frames().find((one) => one.url().startsWith(frame.url));
    if (shown === undefined) throw new Error('the page has no frame');
    return shown;
  };
  const result = (page: Page): Promise<unknown> => page.evaluate('window.result');
  const resultOf = async (page: Page): Promise<unknown> => {
    await page.waitForFunction('window.result !== undefined');
    return result(page);
  };
  const CONSENTED = { value: { consented: true } };
  const button = (window: Page) => window.locator('button.main');
  const ready = (window: Page) => window.locator('button.main[aria-disabled="false"]').waitFor();
  const unready = (window: Page) => window.locator('button.main[aria-disabled="true"]').waitFor();
  /** Opens a page that asks for a consent, and the window. */
  async function open(own = browsing): Promise<{ page: Page; window: Page }> {
    const page = await ask(own);
    const window = await approvalOf(page);
    await button(window).waitFor();
    return { page, window };
  }
  const read = (window: Page) => window.locator('dl').evaluate((facts) => facts.scrollTo(0, facts.scrollHeight));

  it('is given by a click on the button of the window, which works once the facts were read to their end', async () => {
    const { page, window } = await open();
    await window.getByText('The button works once you have read to the end.').waitFor();
    await unready(window);
    await button(window).click({ force: true });
    expect(await result(page)).toBeUndefined();
    await read(window);
    await ready(window);
    await button(window).click();
    expect(await resultOf(page)).toEqual(CONSENTED);
    expect(await page.evaluate("document.querySelector('dialog').open")).toBe(false);
    await expect.poll(() => window.isClosed()).toBe(true);
  });

  it('shows text as text: markup, direction marks, and any length', async () => {
    const { page, window } = await open();
    expect(await window.getByRole('heading', { name: 'Sign this' }).textContent()).toContain('⟨U+202E⟩gnp.exe</b>');
    expect(await window.locator('b').count()).toBe(0);
    expect(await walletOf(page).locator('body').textContent()).not.toContain('Sign');
  });

  it.each([100, 200])(
    'on a phone with text at %i percent, the title is whole, and the button works',
    async (percent) => {
      const { page, window } = await open();
      await window.setViewportSize({ width: 360, height: 640 });
      await window.evaluate(`void (document.documentElement.style.fontSize = '${percent}%')`);
      const cutOff = `(() => {
      const range = document.createRange();
      return [...document.querySelectorAll('h1, p, button')].filter((shown) => {
        range.selectNodeContents(shown);
        return range.getBoundingClientRect().height > shown.getBoundingClientRect().height;
      }).map((shown) => shown.textContent);
    })()`;
      expect(await window.evaluate(cutOff)).toEqual([]);
      await window.locator('dl').scrollIntoViewIfNeeded();
      await read(window);
      await button(window).scrollIntoViewIfNeeded();
      await approve(page);
      expect(await resultOf(page)).toEqual(CONSENTED);
    },
  );

  it.each(DISGUISES)('is not given in a frame that is %s', async (_name, dialog, inner = '', script = '') => {
    const page = await ask();
    await walletOf(page).locator('.opening button').waitFor();
    await page.evaluate(`{
      let over;
      document.querySelector('dialog').style.cssText += ';${dialog}';
      document.querySelector('iframe').style.cssText += ';${inner}';
      ${script}
    }`);
    const at = await page.evaluate(`(() => {
      const { left, right, top, bottom } = document.querySelector('iframe').getBoundingClientRect();
      const within = (value, most) => Math.min(Math.max(value, 1), most - 1);
      return [[.5, .95], [.5, .88], [.5, .5], [.9, .05]].map(([x, y]) =>
        [within(left + x * (right - left), innerWidth), within(top + y * (bottom - top), innerHeight)]);
    })()`);
    for (const [x, y] of (at as [number, number][]).slice(0, 3)) await page.mouse.dblclick(x, y);
    for (const key of ['Enter', 'Space', 'Enter']) await page.keyboard.press(key);
    for (const target of ['button.main', 'main', 'body']) await frameOf(page).locator(target).dispatchEvent('click');
    expect(await result(page)).toBeUndefined();
    expect(await frameOf(page).locator('dl, input').count()).toBe(0);
  });

  it('is not given by a click of a script', async () => {
    const { page, window } = await open();
    await read(window);
    await ready(window);
    await window.evaluate("document.querySelector('button.main').click()");
    await button(window).dispatchEvent('click');
    await button(window).dispatchEvent('pointerdown');
    expect(await result(page)).toBeUndefined();
  });

  it('is given by keyboard alone', async () => {
    const page = await ask();
    await walletOf(page).locator('.opening button:focus').waitFor();
    const [window] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
    await button(window).waitFor();
    // The heading has the focus first, then the facts, then the button.
    await window.keyboard.press('Tab');
    await window.keyboard.press('End');
    await ready(window);
    for (let tabs = 0; tabs < 4 && !(await window.locator('button.main:focus').count()); tabs += 1)
      await window.keyboard.press('Tab');
    await pressIn(window, 'Enter');
    expect(await resultOf(page)).toEqual(CONSENTED);
  });

  it('may wait behind ten others, and more are refused', async () => {
    const page = await ask();
    await walletOf(page).locator('.opening button').waitFor();
    const names = (await page.evaluate(`(async () => {
      const asked = Array.from({ length: 1_000 }, () => tried(core.login()));
      return (await Promise.race([Promise.all(asked.slice(10)), Promise.all(asked.slice(0, 10))])).map(({ name }) => name);
    })()`)) as string[];
    expect([names.length, new Set(names)]).toEqual([990, new Set(['CLIENT_ERROR'])]);
    expect(await result(page)).toBeUndefined();
  });

  it('has no faults of accessibility, in the frame and in the window, light and dark', async () => {
    const page = await ask();
    await walletOf(page).locator('.opening button').waitFor();
    expect(await accessFaults(page, frame.url)).toEqual([]);
    const window = await approvalOf(page);
    await read(window);
    await ready(window);
    expect(await accessFaults(page, frame.url)).toEqual([]);
  });

  it('is shown in the language of the frame', async () => {
    const { page, window } = await open();
    expect(await window.evaluate('document.documentElement.lang')).toBe('en');
    await page.evaluate("core.updateSessionConfig({ locale: 'de' })");
    await window.getByRole('button', { name: 'Abbrechen' }).waitFor();
    expect(await window.evaluate('document.documentElement.lang')).toBe('de');
    await page.evaluate("core.updateSessionConfig({ locale: 'en' })");
  });

  describe('in a window that the page has opened under a click of something else', () => {
    let held: Browsing;
    beforeAll(async () => {
      held = await browse();
      await held.context.addInitScript(HOLD_SECOND);
    });
    afterAll(() => held?.close());
    const passSecond = async (window: Page): Promise<void> => {
      await unready(window);
      await window.evaluate('passSecond()');
      await ready(window);
    };

    it('is not given by the second click of a double click', async () => {
      const { page, window } = await open(held);
      await read(window);
      for (let clicks = 0; clicks < 5; clicks += 1) await button(window).click({ force: true });
      expect(await result(page)).toBeUndefined();
      await passSecond(window);
      await button(window).click();
      expect(await resultOf(page)).toEqual(CONSENTED);
    });

    it('is not given by a button of the mouse that was pressed before the window was ready', async () => {
      const { page, window } = await open(held);
      await read(window);
      const box = await button(window).boundingBox();
      await window.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
      await window.mouse.down();
      await passSecond(window);
      await window.mouse.up();
      expect(await result(page)).toBeUndefined();
      await passSecond(window);
      await button(window).click();
      expect(await resultOf(page)).toEqual(CONSENTED);
    });

    it('is not given by a key that was pressed before the window was ready and is held', async () => {
      const { page, window } = await open(held);
      await read(window);
      await button(window).focus();
      await window.keyboard.down('Enter');
      await passSecond(window);
      await window.keyboard.down('Enter');
      await passSecond(window);
      await window.keyboard.down('Enter');
      expect(await result(page)).toBeUndefined();
      await window.keyboard.up('Enter');
      await passSecond(window);
      await pressIn(window, 'Enter');
      expect(await resultOf(page)).toEqual(CONSENTED);
    });

    it('is not given while another window has the focus, nor by the click that brings it back', async () => {
      const { page, window } = await open(held);
      await read(window);
      await passSecond(window);
      // The driver lets every page have the focus: what the browser says of it is played.
      await window.evaluate("window.dispatchEvent(new Event('blur'))");
      await window.getByText('The button works a second after you return to this window.').waitFor();
      await button(window).click({ force: true });
      await window.evaluate("window.dispatchEvent(new Event('focus'))");
      await button(window).click({ force: true });
      expect(await result(page)).toBeUndefined();
      await passSecond(window);
      await button(window).click();
      expect(await resultOf(page)).toEqual(CONSENTED);
    });
  });

  it('is given however late its answer arrives', async () => {
    const late = await browse();
    onTestFinished(() => late.close());
    await late.context.addInitScript(`
      const { addEventListener } = window;
      window.addEventListener = (type, listener, options) => addEventListener.call(window, type, type !== 'message' ? listener :
        (event) => event.data?.core === 'answer' ? setTimeout(() => listener(event), 1_500) : listener(event), options);`);
    const { page, window } = await open(late);
    await read(window);
    await approve(page);
    expect(await resultOf(page)).toEqual(CONSENTED);
    await expect.poll(() => window.isClosed()).toBe(true);
  });

  it('is not given when the window is closed, and the window closes with the page, the dialog, or an Escape', async () => {
    const closed = await open();
    await closed.window.close();
    expect(await resultOf(closed.page)).toMatchObject({ name: 'WINDOW_CLOSED' });
    const ends: [string, (opened: { page: Page; window: Page }) => Promise<unknown>][] = [
      ['reload', ({ page }) => page.reload()],
      ['dialog', ({ page }) => page.evaluate("document.querySelector('dialog').close()")],
      ['Escape', ({ window }) => pressIn(window, 'Escape')],
    ];
    for (const [name, end] of ends) {
      const opened = await open();
      await end(opened);
      if (name !== 'reload') expect(await resultOf(opened.page)).toMatchObject({ name: 'USER_CANCELLED' });
      await expect.poll(() => [name, opened.window.isClosed()]).toEqual([name, true]);
    }
  });

  it('is not given when the page isolates its windows', async () => {
    const page = await ask(browsing, { 'cross-origin-opener-policy': 'same-origin' });
    await walletOf(page).locator('.opening button').click();
    expect(await resultOf(page)).toMatchObject({ name: 'WINDOW_BLOCKED' });
  });
});
