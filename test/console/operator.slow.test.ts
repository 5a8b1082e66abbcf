// The operator's part of the console, as a browser shows it: two operators on one partner, keys, the audit log, and a key that only reads.
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openPage, startChromium } from '../support/chromium.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerPartner } from '../support/partner.js';

const AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`;

describe.skipIf(CHROMIUM === undefined)('An operator in the console', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let partnerId: string;
  beforeAll(async () => {
    gateway = await startGateway();
    ({ partnerId } = await registerPartner(gateway));
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  async function enter(key: string, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
    const page = await openPage(browser, options);
    onTestFinished(() => page.close());
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${gateway.url}/console/operator`);
    await page.getByLabel('An operator’s key').fill(key);
    await page.getByRole('button', { name: 'Use the key' }).click();
    await page.getByText('May do').waitFor();
    return page;
  }

  async function openPartner(key: string): Promise<Page> {
    const page = await enter(key);
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('link', { name: 'Test partner' }).click();
    await page.getByRole('heading', { level: 1, name: /partner/ }).waitFor();
    return page;
  }

  const record = async () => (await gateway.admin('GET', `/v1/admin/partners/${partnerId}`)).body;

  it('edits a partner, sees what another operator saved meanwhile, and decides', async () => {
    const before = await record();
    const [first, second] = [await openPartner(gateway.operatorKey), await openPartner(gateway.operatorKey)];
    const origins = (page: Page) => page.getByLabel('Origins of its pages, one a line');
    await origins(first).fill('https://first.example');
    await origins(second).fill('https://second.example\nhttps://third.example');
    await first.getByRole('button', { name: 'Save' }).click();
    await first.getByText('frame-ancestors https://first.example').waitFor();
    await second.getByRole('button', { name: 'Save' }).click();
    await second.getByRole('heading', { name: 'Somebody else has saved it' }).waitFor();
    const row = second.getByRole('row', { name: /allowedOrigins/ });
    await expect.poll(() => row.textContent()).toContain('https://first.example');
    expect(await row.textContent()).toContain('https://third.example');
    expect((await record()).allowedOrigins).toEqual(['https://first.example']);
    await second.getByRole('button', { name: 'Save mine over theirs' }).click();
    await second.getByText('frame-ancestors https://second.example https://third.example').waitFor();
    // What the form does not show is as it was.
    const { allowedOrigins, updatedAt, etag, ...others } = await record();
    expect(allowedOrigins).toEqual(['https://second.example', 'https://third.example']);
    expect(before).toMatchObject(others);
    await second.getByRole('link', { name: 'Audit log' }).click();
    await second.getByLabel('Id of what was written').fill(partnerId);
    await second.keyboard.press('Enter');
    await second.getByText('3 entries.').waitFor();
    await second.getByText('Before and after').first().click();
    await second.getByText('https://third.example').first().waitFor();
  });

  it('is told what is wrong, and keeps what was typed', async () => {
    const page = await openPartner(gateway.operatorKey);
    const origins = page.getByLabel('Origins of its pages, one a line');
    await origins.fill('no origin');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('allowedOrigins').waitFor();
    expect(await origins.inputValue()).toBe('no origin');
  });

  it('makes a key that is shown once; with it, nothing that would fail is offered', async () => {
    const page = await enter(gateway.operatorKey);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByLabel('Name of a new key').fill('watcher');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByText('The key, shown only now').locator('code').textContent();
    await page.getByRole('button', { name: 'I have it' }).click();
    expect(await page.locator('main').textContent()).not.toContain(key);
    const reader = await openPartner(key ?? '');
    expect(await reader.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await reader.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText(/withdrawn/).waitFor();
    await reader.getByRole('link', { name: 'Audit log' }).click();
    await reader.getByRole('alert').waitFor();
  });

  it('sees chain jobs by their state', async () => {
    const page = await enter(gateway.operatorKey);
    await page.getByRole('link', { name: 'Chain jobs' }).click();
    await page.getByLabel('State').selectOption('FAILED');
    await page.getByText('0 jobs, newest first.').waitFor();
  });

  it.each(['light', 'dark'] as const)('has no fault that axe finds, %s, at 320 pixels', async (colorScheme) => {
    const page = await enter(gateway.operatorKey, {
      colorScheme,
      viewport: { width: 320, height: 640 },
      bypassCSP: true,
    });
    await page.addScriptTag({ content: axe.source });
    for (const path of ['', '/partners', `/partners/${partnerId}`, '/audit', '/chain', '/keys']) {
      await page.evaluate(`history.pushState(null, '', '/console/operator${path}')`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Reading …').waitFor({ state: 'detached' });
      expect([path, await page.evaluate(AXE)]).toEqual([path, []]);
      expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([path, true]);
    }
  });
});
