// `examples/page` in a browser: at an address of this machine, as its readers serve it, and at one that the gateway does not allow.
import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openPage, serveFolder, startChromium } from '../support/chromium.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

describe.skipIf(CHROMIUM === undefined)('The page of the examples', () => {
  let browser: Browser;
  let gateway: TestGateway;
  let served: { url: string; close(): void };
  beforeAll(async () => {
    gateway = await startGateway();
    served = await serveFolder(resolve('examples/page'), `connect-src ${gateway.url} http://127.0.0.1:9`);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    served.close();
    await gateway.close();
  });

  async function open(address: string, url = served.url): Promise<Page> {
    const page = await openPage(browser);
    onTestFinished(() => page.close());
    await page.goto(`${url}/?gateway=${encodeURIComponent(address)}`);
    return page;
  }

  it('queries, listens, and says what is wrong with a question', async () => {
    const page = await open(gateway.url);
    await page.getByText('Listening.').waitFor();
    const body = { name: 'Harbour Office', verifierDid: 'did:web:harbour.example' };
    expect((await gateway.admin('PUT', '/v1/admin/verifiers/harbour', { body })).status).toBe(200);
    await page.getByText('catalog_entry_added: verifiers/harbour').waitFor();
    await page.getByLabel('How many').fill('500');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/100/);
    await page.getByLabel('How many').fill('5');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('');
  });

  it('says that its origin is not allowed, which the browser hides', async () => {
    // Names of `*.localhost` are this machine to the browser, and an origin of their own to the gateway.
    const page = await open(gateway.url, served.url.replace('127.0.0.1', 'portal.localhost'));
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('CORS_ORIGINS');
    await expect.poll(() => page.locator('#state').textContent()).toContain('CORS_ORIGINS');
  });

  it('says that no gateway is there', async () => {
    const page = await open('http://127.0.0.1:9');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('No gateway responds');
  });
});
