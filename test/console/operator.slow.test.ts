// The operator's part of the console, as a browser shows it: two operators on one partner, keys and their roles, the audit log, chain jobs, and each view
// for axe.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { type OperatorConsole, startOperatorConsole } from './operator-console.js';
import { AXE, go, WIDE } from './partner-console.js';

/** The views, those of one record each. */
const VIEWS = [
  '',
  '/catalog',
  '/catalog/issuers/club',
  '/catalog/schemas/club-schema',
  '/catalog/credentials/club-credential',
  '/catalog/programs/club-program',
  '/catalog/verifiers/new?new',
  '/import',
  '/mirrors',
  '/partners',
  '/webhooks',
  '/issuances',
  '/revoke',
  '/events',
  '/erasure',
  '/chain',
  '/audit',
  '/keys',
];

describe.skipIf(CHROMIUM === undefined)('The console for operators', () => {
  let at: OperatorConsole;
  let partnerPath: string;
  beforeAll(async () => {
    at = await startOperatorConsole();
    partnerPath = `/v1/admin/partners/${at.partner.partnerId}`;
    const put = (path: string, body: object) => at.gateway.admin('PUT', `/v1/admin/${path}`, { body });
    await put('verifiers/club', { name: 'Club', verifierDid: 'did:web:club.example' });
    const acceptedCredentials = [{ credentialId: 'club-credential', verificationConditions: ['note = "gold"'] }];
    await put('programs/club-program', {
      name: 'Club',
      description: '',
      verifierId: 'club',
      pricingModel: 'free',
      acceptedCredentials,
    });
    await at.issue('axe@example.org');
  });
  afterAll(() => at?.close());

  async function openPartner(key?: string): Promise<Page> {
    const { page } = await at.enter(key);
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('link', { name: /Test partner|Second name/ }).click();
    await page.getByRole('heading', { level: 1, name: /partner|name/ }).waitFor();
    return page;
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
  const record = async () => (await at.gateway.admin('GET', partnerPath)).body;

  it('an operator edits a partner, sees what another operator saved meanwhile, and decides', async () => {
    const before = await record();
    const [first, second] = [await openPartner(), await openPartner()];
    const fill = async (page: Page, name: string, origins: string): Promise<void> => {
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByLabel('Origins of its pages, one a line').fill(origins);
      await save(page);
    };
    await fill(first, 'First name', 'https://first.example');
    await first.getByText('frame-ancestors https://first.example').waitFor();
    await fill(second, 'Second name', 'https://second.example\nhttps://third.example');
    await second.getByRole('heading', { name: 'Somebody else has saved it' }).waitFor();
    const row = second.getByRole('row', { name: /^Name/ });
    await row.getByText('First name').waitFor();
    await row.getByText('Second name').waitFor();
    expect(await record()).toMatchObject({ name: 'First name', allowedOrigins: ['https://first.example'] });
    await row.getByLabel('Yours').check();
    await second.getByRole('button', { name: 'Save what is chosen' }).click();
    await second.getByRole('heading', { level: 1, name: 'Second name' }).waitFor();
    // Origins of both are kept, and what was not touched is as it was.
    const { name, allowedOrigins, updatedAt, etag, ...others } = await record();
    expect(name).toBe('Second name');
    expect(allowedOrigins.toSorted()).toEqual(['first', 'second', 'third'].map((each) => `https://${each}.example`));
    expect(before).toMatchObject(others);
    await second.getByRole('link', { name: 'Audit log' }).click();
    await second.getByLabel('Id of what was written').fill(at.partner.partnerId);
    await second.keyboard.press('Enter');
    await second.getByText('3 entries.').waitFor();
    await second.getByText('Before and after').first().click();
    await second.getByText('https://third.example').first().waitFor();
    await second.getByText('npm run cli -- audit verify').waitFor();
  });

  it('an operator gives a partner a policy for gas, creates another one, and retires it', async () => {
    const page = await openPartner();
    await page.getByLabel('How much of its holders’ gas it pays for').fill('{"mintsPerDay": 5}');
    await save(page);
    await page.getByText('It is saved.').waitFor();
    expect((await record()).gasPolicy).toMatchObject({ mintsPerDay: 5 });
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('link', { name: 'A new partner' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Second partner');
    await page.getByLabel('Or its key set').fill(JSON.stringify((await record()).jwks));
    await save(page);
    await page.getByText('It is saved.').waitFor();
    await page.getByRole('button', { name: 'Retire it' }).click();
    await page.getByText('It is retired.').waitFor();
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByText('1 partner.').waitFor();
  });

  it('an operator is told what is wrong, and keeps what was typed', async () => {
    const page = await openPartner();
    const origins = page.getByLabel('Origins of its pages, one a line');
    await origins.fill('no origin');
    await save(page);
    await expect.poll(() => page.locator('#about-allowedOrigins').textContent()).toContain('Allowed origins');
    expect(await origins.getAttribute('aria-invalid')).toBe('true');
    expect(await origins.inputValue()).toBe('no origin');
  });

  it('an operator who has mistyped the key reads so, and enters the right one', async () => {
    const { page } = await at.enter();
    await page.reload();
    const key = page.getByLabel('An operator’s key');
    await key.fill('mistyped');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await key.fill(at.gateway.operatorKey);
    await page.keyboard.press('Enter');
    await page.getByText('May do').waitFor();
  });

  it('an operator makes a key that is shown once, rotates and withdraws it', async () => {
    const { page } = await at.enter();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByLabel('Name of a new key').fill('watcher');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByText('The key, shown only now').locator('code').textContent();
    await page.getByRole('button', { name: 'I have it' }).click();
    expect(await page.locator('main').textContent()).not.toContain(key);
    const { page: reader } = await at.enter(key ?? '');
    const line = page.getByRole('listitem').filter({ hasText: 'watcher' });
    await line.getByRole('button', { name: 'Rotate' }).click();
    const rotated = page.getByText('The key, shown only now').locator('code');
    await expect.poll(() => rotated.textContent()).not.toBe(key);
    await line.getByRole('button', { name: 'Withdraw' }).click();
    await line.getByText(/withdrawn/).waitFor();
    // The right is lost where it was used.
    await reader.getByRole('link', { name: 'Audit log' }).click();
    await reader.getByRole('alert').filter({ hasText: 'is not valid' }).waitFor();
  });

  it('an operator sees chain jobs by their state', async () => {
    const { page } = await at.enter();
    await page.getByRole('link', { name: 'Chain jobs', exact: true }).click();
    await page.getByLabel('State').selectOption('FAILED');
    await page.getByText('0 jobs, newest first.').waitFor();
  });

  it.each([
    ['light', 320],
    ['dark', 320],
    ['light', 1280],
    ['dark', 1280],
  ] as const)(
    'the views of operators have no fault that axe finds, %s, at %i pixels, as it is and enlarged',
    async (colorScheme, width) => {
      const { page, faults } = await at.enter(undefined, {
        colorScheme,
        viewport: { width, height: 640 },
        bypassCSP: true,
      });
      await page.addScriptTag({ content: axe.source });
      for (const path of [...VIEWS, `/partners/${at.partner.partnerId}`]) {
        await go(page, `/operator${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
        await page.getByText('Reading …').waitFor({ state: 'detached' });
        for (const zoom of ['1', '2']) {
          await page.evaluate(`document.documentElement.style.fontSize = '${zoom}em'`);
          expect([path, zoom, await page.evaluate(AXE)]).toEqual([path, zoom, []]);
          expect([path, zoom, await page.evaluate(WIDE)]).toEqual([path, zoom, []]);
        }
      }
      expect(faults).toEqual([]);
    },
  );
});
