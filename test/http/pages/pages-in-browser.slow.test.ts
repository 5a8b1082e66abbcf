// The pages for people, as a browser shows them with every other host blocked.

import { readFileSync } from 'node:fs';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openPage, startChromium } from '../../support/chromium.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

if (CHROMIUM === undefined) console.warn('No Chromium is installed: the pages are not tried in a browser.');

describe.skipIf(CHROMIUM === undefined)('In a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  /** Opens a page with every other host blocked. `faults` are failed requests and errors of the console. */
  async function open(path: string): Promise<{ page: Page; faults: string[] }> {
    const page = await openPage(browser, { viewport: { width: 1400, height: 900 } });
    const faults: string[] = [];
    await page.route(
      (url) => url.origin !== new URL(gateway.url).origin,
      (route) => {
        faults.push(`asked ${route.request().url()}`);
        return route.abort();
      },
    );
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(gateway.url + path);
    return { page, faults };
  }

  const shot = (page: Page, name: string): Promise<unknown> =>
    process.env.SCREENSHOTS ? page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` }) : Promise.resolve();

  const putVerifier = (verifierId: string) =>
    gateway.admin('PUT', `/v1/admin/verifiers/${verifierId}`, {
      body: { name: 'Harbour Office', verifierDid: `did:web:${verifierId}.example` },
    });

  it('the start page counts the catalog, and updates the counts when it changes', async () => {
    const { page, faults } = await open('/');
    await page.getByText('Ready.').waitFor();
    const verifiers = page.locator('[data-count="verifiers"]');
    await expect.poll(() => verifiers.textContent()).toBe('0');
    await putVerifier('harbour');
    await expect.poll(() => verifiers.textContent()).toBe('1');
    await shot(page, 'start');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('GraphiQL runs an example, with a token, and a subscription', async () => {
    const { page, faults } = await open('/graphiql');
    await page.getByRole('button', { name: 'who am I?' }).click();
    await page.getByRole('combobox', { name: 'Calls as' }).selectOption('x-admin-api-key');
    await page.getByRole('textbox', { name: 'Token' }).fill(gateway.operatorKey);
    await page.getByRole('button', { name: 'Use' }).click();
    await page.getByText('You are: operator.').waitFor();
    const execute = page.getByRole('button', { name: /Execute query/ });
    const result = page.locator('.graphiql-response');
    await execute.click();
    await expect.poll(() => result.textContent()).toContain('OPERATOR');
    await shot(page, 'graphiql');
    await page.getByRole('button', { name: 'listen to changes' }).click();
    // The editor needs a moment to find out which operation it contains.
    await page.getByRole('tab', { name: 'CatalogChanges' }).waitFor();
    await execute.click();
    await page.getByRole('button', { name: /Stop query/ }).waitFor();
    await expect
      .poll(async () => {
        await putVerifier(`harbour-${Math.random().toString(36).slice(2)}`);
        return result.textContent();
      })
      .toContain('catalog_entry_added');
    await shot(page, 'graphiql-subscription');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('GraphiQL shows the documentation of the schema and completes names', async () => {
    const { page, faults } = await open('/graphiql');
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.getByText('Root Types').waitFor();
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{ cred');
    await page.locator('.CodeMirror-hints').getByText('credentialStatus').waitFor();
    await shot(page, 'graphiql-docs');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('GraphiQL: Escape, then Tab, leaves an editor; on a phone the response is below the query', async () => {
    const { page, faults } = await open('/graphiql');
    const inEditor = () => page.evaluate("document.activeElement.closest('.graphiql-query-editor') !== null");
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Tab');
    expect(await inEditor()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.matches('.CodeMirror textarea')")).toBe(false);
    await page.setViewportSize({ width: 390, height: 800 });
    const boxOf = async (place: string) =>
      (await page.locator(place).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const [query, response] = [await boxOf('.graphiql-query-editor'), await boxOf('.graphiql-response')];
    expect(response.y).toBeGreaterThanOrEqual(query.y + query.height);
    expect(response.width).toBeGreaterThan(250);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('the filter of the REST documentation shows what it is for, also at the width of a phone', async () => {
    const { page } = await open('/docs');
    await page.setViewportSize({ width: 390, height: 800 });
    expect((await page.locator('.operation-filter-input').boundingBox())?.width).toBeGreaterThan(300);
    await page.close();
  });

  it('the start page copies the query and the command apart', async () => {
    const { page } = await open('/');
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await page.getByText(/^(Copied|Selected)/).waitFor();
    expect(await page.locator('#curl').textContent()).toMatch(/^curl -s http/);
    expect(await page.locator('#query').textContent()).toMatch(/^\{\n {2}credentials/);
    await page.close();
  });

  /** Rules of axe-core that the libraries break: they have buttons within tabs and rows, and small links in rows. */
  const OF_LIBRARIES = ['nested-interactive', 'target-size'];

  it.each(
    ['/', '/graphiql', '/docs'].flatMap((path) => (['light', 'dark'] as const).map((theme) => [path, theme] as const)),
  )('axe-core finds nothing at %s, %s', async (path, theme) => {
    const { page } = await open(path);
    await page.emulateMedia({ colorScheme: theme });
    const shown: Record<string, string> = { '/': '#curl', '/graphiql': '.CodeMirror-line', '/docs': '#servers' };
    await page
      .locator(shown[path] ?? '')
      .first()
      .waitFor();
    await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
    const violations = await page.evaluate((left) => {
      const { axe } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { target: unknown }[] }[] }> };
      };
      const options = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] };
      return axe.run(options).then(({ violations }) => violations.filter(({ id }) => !left.includes(id)));
    }, OF_LIBRARIES);
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([]);
    await page.close();
  });

  it('the REST documentation shows every group, and calls a route', async () => {
    const { page, faults } = await open('/docs');
    await page.getByText('/v1/catalog/search').or(page.getByText('The public catalog')).first().waitFor();
    await page.locator('#operations-tag-health, [id="operations-tag-health"]').click();
    await page.locator('#operations-health-getHealthLive').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('live').first().waitFor();
    await shot(page, 'docs');
    expect(faults).toEqual([]);
    await page.close();
  });
});
