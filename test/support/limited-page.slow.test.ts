// A test that waits in a page for something that never happens fails within the limit, and says what the page shows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { CHROMIUM, startChromium } from './chromium.js';
import { limitPage } from './limited-page.js';

describe.skipIf(CHROMIUM === undefined)('A page with a limit', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  it('a promise that never settles in a page fails with what the page and its frames show', async () => {
    const page = await browser.newPage();
    await page.setContent('<iframe srcdoc="<input id=code>"></iframe>');
    await page.frameLocator('iframe').locator('#code').fill('12');
    limitPage(page, ['a fault'], 1_000);
    expect(await page.evaluate('Promise.resolve(1)')).toBe(1);
    await expect(page.evaluate('new Promise(() => {})')).rejects.toThrow(
      /evaluate\(new Promise.*no result.*"id":"code","value":"12".*a fault/s,
    );
    await page.close();
  });

  it('a page that is busy for ever fails, too', async () => {
    const page = await browser.newPage();
    limitPage(page, [], 1_000);
    await expect(page.evaluate('for (;;);')).rejects.toThrow(/does not respond/);
  });
});
