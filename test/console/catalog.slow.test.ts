// The catalog in the console, as a browser shows it: a stranger's round by keyboard, changes as they come, faults, and texts of every kind.
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadSample } from '../../src/catalog/sample/sample.js';
import { CHROMIUM, openPage, startChromium } from '../support/chromium.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

const MARKUP = '<img src=x onerror="document.title=1"><b>x</b>';
const REVERSED = '\u202egnp.exe';
const LONG = 'long '.repeat(2_000).trim();

/** Whether nothing reaches beyond the width of the window. */
const FITS = 'document.documentElement.scrollWidth <= innerWidth';
/** Runs axe; what it finds, a line each. */
const AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`;

/** Views that are looked at for accessibility and pictures. */
const VIEWS = [
  '/',
  '/?q=univ',
  '/credentials?category=&order=NAME',
  '/credentials/national-id',
  '/programs',
  '/programs/one-account?holding=national-id',
  '/issuers/aldermoor-registry',
  '/schemas',
  '/verifiers',
  '/plan?holding=national-id',
  '/no-such-page',
];

if (CHROMIUM === undefined) console.warn('No Chromium is installed: the console is not tried in a browser.');

describe.skipIf(CHROMIUM === undefined)('The console in a browser', () => {
  let gateway: TestGateway;
  let browser: Browser;
  beforeAll(async () => {
    gateway = await startGateway({
      env: {
        TRUSTED_DOCUMENTS: 'only',
        TRUSTED_DOCUMENTS_FILE: 'examples/typed-clients/src/generated/graphql/persisted-documents.json',
      },
    });
    await loadSample(gateway.app.services.catalogAdmin);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  interface Opened {
    page: Page;
    /** Complaints of the console, failed requests, and requests to other hosts. */
    faults: string[];
  }

  async function open(path: string, options: Parameters<typeof openPage>[1] = {}): Promise<Opened> {
    const page = await openPage(browser, options);
    onTestFinished(() => page.close());
    const faults: string[] = [];
    const { origin } = new URL(gateway.url);
    await page.route(
      (url) => url.origin !== origin,
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
    await page.goto(`${gateway.url}/console${path}`);
    return { page, faults };
  }

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

  it('shows who would accept a credential, found by words, by keyboard alone and on a phone’s width', async () => {
    const { page, faults } = await open('/', { viewport: { width: 360, height: 740 } });
    await heading(page, 'Catalog');
    await page.locator('h1:focus').waitFor();
    // From the heading to the first field.
    await page.keyboard.press('Tab');
    await page.keyboard.type('national id');
    await page.getByText('best first').waitFor();
    await page.getByRole('link', { name: 'National identity', exact: true }).first().waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (let tabs = 0; tabs < 20 && (await focused()) !== 'National identity'; tabs += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, 'National identity');
    await page.getByRole('heading', { name: 'Accepted by 3 programs' }).waitFor();
    await page.locator('h1:focus').waitFor();
    expect(await page.evaluate(FITS)).toBe(true);
    await page.goBack();
    await page.getByText('best first').waitFor();
    expect(faults).toEqual([]);
  });

  it('what is typed into the search stays as it is, however slowly it is typed', async () => {
    const { page, faults } = await open('/');
    const field = page.getByLabel('Search credentials, programs and issuers');
    for (const [text, found] of [
      ['national ', 'national'],
      ['id', 'national id'],
    ] as const) {
      await field.focus();
      await page.keyboard.type(text);
      await page.waitForURL((url) => url.searchParams.get('q') === found);
      await page.getByText('best first').waitFor();
    }
    expect(await field.inputValue()).toBe('national id');
    await page.getByRole('link', { name: 'Catalog', exact: true }).click();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  it('keeps filters, order and page of a list in the address', async () => {
    const { page, faults } = await open('/credentials');
    await page.getByText('62 credentials').waitFor();
    await page.getByLabel('Order').selectOption('NAME');
    await page.getByLabel('Category').fill('Education');
    await page.keyboard.press('Enter');
    await page.getByText('5 credentials').waitFor();
    const names = () => page.locator('.lines > li > a:first-of-type').allInnerTexts();
    const shown = await names();
    expect([...shown].sort()).toEqual(shown);
    await page.reload();
    await page.getByText('5 credentials').waitFor();
    expect(await names()).toEqual(shown);
    await page.getByLabel('Category').fill('');
    await page.keyboard.press('Enter');
    await page.getByText('62 credentials').waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'Previous page' }).click();
    await expect.poll(names).toHaveLength(25);
    expect(faults).toEqual([]);
  });

  it('leads from each entry to its neighbours, and says conditions in words', async () => {
    const { page, faults } = await open('/verifiers');
    await page.getByRole('link', { name: 'Arcadia Festival' }).click();
    await page.getByRole('link', { name: 'Festival entry' }).click();
    await heading(page, 'Festival entry');
    const conditions = page.locator('section', { has: page.locator('#accepts') });
    await conditions.getByText('is on or before').first().waitFor();
    await conditions.getByRole('link').first().click();
    await page
      .getByRole('link', { name: /version \d+/ })
      .or(page.locator('dt:text("Schema") + dd a'))
      .first()
      .click();
    await page.getByRole('heading', { name: 'Its fields' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('plans with credentials that are ticked', async () => {
    const { page, faults } = await open('/credentials');
    await page.getByRole('checkbox', { name: 'Plan with National identity' }).check();
    await page.getByRole('link', { name: 'What do they open?' }).click();
    await page.getByRole('link', { name: 'Tenant identity' }).click();
    await page.getByText('Yes: one of them is accepted, whatever its values.').waitFor();
    expect(faults).toEqual([]);
  });

  it('marks changes and moves nothing until they are asked for', async () => {
    const { page, faults } = await open('/verifiers/arcadia-festival');
    await heading(page, 'Arcadia Festival');
    await page.getByText('Changes are marked as they come').waitFor();
    const { body, headers } = await gateway.admin('GET', '/v1/admin/verifiers/arcadia-festival');
    await gateway.admin('PUT', '/v1/admin/verifiers/arcadia-festival', {
      body: { name: 'Arcadia Winter Festival', verifierDid: body.verifierDid },
      headers: { 'if-match': headers.get('etag') ?? '*' },
    });
    await page.getByText('This has changed.').waitFor();
    await heading(page, 'Arcadia Festival');
    await page.getByRole('button', { name: 'Show it as it is now' }).click();
    await heading(page, 'Arcadia Winter Festival');
    expect(faults).toEqual([]);
  });

  it('shows the query of a page, for GraphiQL, too', async () => {
    const { page, faults } = await open('/credentials/national-id');
    await page.getByText('The query of this page').click();
    await page.getByText('query CredentialPage').waitFor();
    const target = await page.getByRole('link', { name: 'Open in GraphiQL' }).getAttribute('href');
    const [path, values] = target?.split('#') ?? [];
    expect(path).toBe('/graphiql');
    const given = new URLSearchParams(values);
    expect(given.get('query')).toContain('credential(credentialId: $id)');
    expect(JSON.parse(given.get('variables') ?? '')).toMatchObject({ id: 'national-id', bucket: 'DAY' });
    expect(faults).toEqual([]);
  });

  it.each([
    ['429', 429, { errors: [{ message: 'Too many.', extensions: { code: 'RATE_LIMITED' } }] }, 'Too many.'],
    ['503 of a proxy', 503, 'Service Unavailable', 'The gateway is not ready; try again in a moment.'],
  ])('says a %s where it happens, and reads again when it is asked to', async (_name, status, body, sentence) => {
    const { page } = await open('/');
    await page.getByText('62 credentials').waitFor();
    const isData = (url: URL) => url.pathname === '/graphql';
    await page.route(isData, (route) =>
      route.fulfill({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    );
    await page.getByRole('link', { name: 'Issuers', exact: true }).click();
    await page.getByText(sentence).waitFor();
    await page.unroute(isData);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('14 issuers').waitFor();
  });

  it('shows markup, reversed and very long names as text', async () => {
    for (const [id, name] of Object.entries({ markup: MARKUP, reversed: REVERSED, long: LONG.slice(0, 200) }))
      await gateway.admin('PUT', `/v1/admin/verifiers/${id}`, { body: { name, verifierDid: `did:web:${id}.example` } });
    const { page, faults } = await open('/verifiers?order=CREATED');
    await page.getByText(MARKUP, { exact: true }).waitFor();
    await page.getByText(REVERSED, { exact: true }).click();
    await heading(page, REVERSED);
    expect(await page.title()).not.toBe('1');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.evaluate(FITS)).toBe(true);
    expect(faults).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has no fault that axe finds, %s, at 320 pixels', async (colorScheme) => {
    for (const path of VIEWS) {
      const { page, faults } = await open(path, {
        colorScheme,
        viewport: { width: 320, height: 640 },
        bypassCSP: true,
      });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Reading …').waitFor({ state: 'detached' });
      await page
        .getByText('The query of this page')
        .click({ timeout: 1_000 })
        .catch(() => {});
      await page.addScriptTag({ content: axe.source });
      const violations = await page.evaluate(AXE);
      expect([path, violations]).toEqual([path, []]);
      const fits = await page.evaluate(FITS);
      expect([path, fits]).toEqual([path, true]);
      expect([path, faults]).toEqual([path, []]);
    }
  });
});
