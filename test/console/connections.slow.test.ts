// How many connections pages take from their browser: over HTTP/1.1 it has six to a host, for all its tabs and for pages that it keeps for its back button.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openPage, startChromium } from '../support/chromium.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { BROWSERS, type Tab } from '../support/other-browsers.js';

/** The console has read a list. A list follows the catalog while it is shown. */
const LIST = `/^No |^\\d+ /.test(document.querySelector('main [aria-busy="false"] [role="status"]')?.textContent ?? '')`;
/** The start page has counted what the catalog holds. */
const START = `/^\\d+$/.test(document.querySelector('[data-count="credentials"]')?.textContent ?? '')`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const shows = (tab: Tab, state: string): Promise<void> =>
  expect.poll(() => tab.evaluate(state), { timeout: 120_000, interval: 200 }).toBe(true);

describe.each(BROWSERS)('In %s', (_name, start) => {
  it.each([
    ['console', '/console/credentials', LIST],
    ['start page', '/', START],
  ])('nine tabs of the %s all show their content', async (_page, path, state) => {
    const browser = await start();
    onTestFinished(() => browser.close());
    for (let count = 0; count < 9; count += 1) {
      const tab = await browser.openTab();
      await tab.goto(`${gateway.url}${path}`);
      await shows(tab, state);
    }
  });

  it.each([
    ['console', ['/console/credentials', '/console/issuers'], LIST],
    ['start page', ['/', '/?again'], START],
  ])('fourteen full loads of the %s in one tab all show their content', async (_page, paths, state) => {
    const browser = await start();
    onTestFinished(() => browser.close());
    const tab = await browser.openTab();
    for (let count = 0; count < 14; count += 1) {
      await tab.goto(`${gateway.url}${paths[count % 2]}`);
      await shows(tab, state);
    }
  });
});

describe.skipIf(CHROMIUM === undefined)('A page out of sight', () => {
  it.each([
    ['/console/credentials', 'Changes are marked as they come.'],
    ['/', 'Ready.'],
  ])('%s has no socket after half a minute, and another one when it is seen again', async (path, text) => {
    const browser = await startChromium();
    onTestFinished(() => browser.close());
    const page = await openPage(browser);
    await page.clock.install();
    const first = page.waitForEvent('websocket');
    await page.goto(`${gateway.url}${path}`);
    await page.getByText(text).waitFor();
    const closed = (await first).waitForEvent('close');
    const turn = (state: string): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await turn('hidden');
    await page.clock.fastForward(31_000);
    await closed;
    const second = page.waitForEvent('websocket');
    await turn('visible');
    await second;
  });
});
