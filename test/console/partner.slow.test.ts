// The partner's part of the console, as a browser shows it: a key file, an issuance by form, its revocation, a webhook that breaks, and why.
import { generateKeyPairSync } from 'node:crypto';
import axe from 'axe-core';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openPage, startChromium } from '../support/chromium.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer } from '../support/partner.js';
import { Receiver } from '../webhooks/receiver.js';

const PARTNER_ID = '6f1f8a52-0d8c-4a07-a2a8-5a4b6a3f0a11';
const VIEWS = [
  '/partner',
  '/partner/issue?credentialId=club-credential',
  '/partner/batch?credentialId=club-credential',
  '/partner/issuances',
  '/partner/webhooks',
  '/partner/why',
];
const AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`;

/** What reaches beyond the width of the window. */
const WIDE = `document.documentElement.scrollWidth <= innerWidth ? []
  : [...document.querySelectorAll('*')].filter((it) => it.getBoundingClientRect().right > innerWidth).map((it) => it.outerHTML.slice(0, 100))`;

describe.skipIf(CHROMIUM === undefined)('A partner in the console', () => {
  let gateway: TestGateway;
  let browser: Browser;
  /** The private key as `partner create` writes it, and its secret part. */
  let file: { name: string; mimeType: string; buffer: Buffer };
  let secret: string;
  beforeAll(async () => {
    gateway = await startGateway();
    const issuerDid = await registerIssuer(gateway, 'club');
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const jwk = privateKey.export({ format: 'jwk' });
    secret = String(jwk.d);
    const buffer = Buffer.from(JSON.stringify({ ...jwk, kid: 'k1', partnerId: PARTNER_ID }));
    file = { name: 'partner.json', mimeType: 'application/json', buffer };
    const body = {
      name: 'Club partner',
      jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' }] },
      scopes: ['issue', 'verify'],
      issuerDids: [issuerDid],
      issueOnBehalf: true,
    };
    expect((await gateway.admin('PUT', `/v1/admin/partners/${PARTNER_ID}`, { body })).status).toBe(200);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  async function enter(
    options: Parameters<typeof openPage>[1] = {},
  ): Promise<{ page: Page; sent: string[]; faults: string[] }> {
    const page = await openPage(browser, options);
    onTestFinished(() => page.close());
    const sent: string[] = [];
    const faults: string[] = [];
    page.on('request', (request: Request) => sent.push(request.url() + (request.postData() ?? '')));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${gateway.url}/console/partner`);
    await page.getByLabel(/Or the key file/).setInputFiles(file);
    await page.getByText('issue, verify').waitFor();
    return { page, sent, faults };
  }

  /** Goes on within the page: a reload would forget the key. */
  const go = (page: Page, path: string): Promise<unknown> =>
    page.evaluate(`history.pushState(null, '', '/console${path}')`);

  it('issues by a form, sees it, and revokes it', async () => {
    const { page, faults } = await enter();
    await page.getByRole('link', { name: 'Issue', exact: true }).click();
    await page.getByLabel(/Id of the credential/).fill('club-credential');
    await page.keyboard.press('Enter');
    await page.getByLabel('E-mail address of the recipient').fill('member@example.org');
    await page.getByLabel(/^note/).fill('gold');
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.getByText('It is issued').waitFor();
    // The same content again is the same issuance.
    const hash = await page.locator('[role=status] code').textContent();
    await page.getByRole('button', { name: 'Issue' }).click();
    await expect.poll(() => page.locator('[role=status] code').textContent()).toBe(hash);
    await page.getByRole('link', { name: 'All issuances' }).click();
    await page.getByText('1 issuance.').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(/is being revoked|is revoked/).waitFor();
    expect(faults).toEqual([]);
  });

  it('is told at the field what is wrong with it', async () => {
    const dataPoints = [{ name: 'level', type: 'integer', isRequired: true, description: '' }];
    await gateway.admin('PUT', '/v1/admin/schemas/level', { body: { title: 'Level', description: '', dataPoints } });
    await gateway.admin('PUT', '/v1/admin/credentials/level', {
      body: { name: 'Level', category: 'Test', issuerId: 'club', schemaId: 'level' },
    });
    const { page } = await enter();
    await go(page, '/partner/issue?credentialId=level');
    await page.getByLabel('E-mail address of the recipient').fill('member@example.org');
    await page.getByLabel(/^level/).fill('9007199254740993');
    await page.getByRole('button', { name: 'Issue' }).click();
    await expect.poll(() => page.locator('#about-level').textContent()).toMatch(/level/);
    expect(await page.getByLabel(/^level/).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('E-mail address of the recipient').inputValue()).toBe('member@example.org');
  });

  it('issues a file: checks it, issues it, and gets the results, with what is no JSON refused at its row', async () => {
    const { page, faults } = await enter();
    await page.getByRole('link', { name: 'Batch' }).click();
    await page.getByLabel('Id of the credential').fill('club-credential');
    await page.keyboard.press('Enter');
    const csv = [
      'email,credentialSubject.note',
      'a@example.org,"""gold"""',
      'b@example.org,gold',
      'c@example.org,12',
      'd@example.org,9007199254740993',
    ];
    const batch = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv.join('\n')) };
    await page.getByLabel('The file').setInputFiles(batch);
    await page.getByText('2 rows can be sent, 2 cannot.').waitFor();
    await page.getByText('credentialSubject.note must be JSON; texts need quotes.').waitFor();
    await page.getByRole('button', { name: 'Only check' }).click();
    await page.getByText('The check is finished: 1 valid, 1 refused').waitFor();
    await page.goBack();
    await page.getByLabel('The file').setInputFiles(batch);
    await page.getByRole('button', { name: 'Issue 2 credentials' }).click();
    await page.getByText('The batch is finished: 1 issued, 1 refused').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Results of these rows as CSV' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString('utf8').split('\r\n');
    expect(lines[0]).toBe('"row","state","coreClaimHash","error"');
    expect(lines[1]).toMatch(/^"1","ISSUED","[0-9a-f]{64}",""$/);
    expect(lines[2]).toMatch(/^"3","FAILED","",".*note.*"$/);
    expect(faults).toEqual([]);
  });

  it('sees why a broken webhook failed, and sends again', async () => {
    const receiver = await new Receiver().start();
    onTestFinished(() => receiver.stop());
    const { page } = await enter();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('Address').fill(receiver.url('/hook'));
    await page.getByRole('button', { name: 'Register' }).click();
    const shown = page.getByText('Its secret, shown only now');
    await shown.waitFor();
    receiver.secrets.set('/hook', (await shown.locator('code').textContent()) ?? '');
    receiver.answer = 500;
    await page.getByRole('link', { name: receiver.url('/hook') }).click();
    await page.getByRole('button', { name: 'Send a test ping' }).click();
    await page.getByText('The ping failed: it responded with 500.').waitFor();
    receiver.answer = 204;
    await page.getByRole('button', { name: 'Send again' }).first().click();
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Read again' }).click();
        return page.locator('.lines li').first().textContent();
      })
      .toMatch(/^Delivered ping/);
  });

  it('reads which rule forbids an operation', async () => {
    const { page, faults } = await enter();
    await page.getByRole('link', { name: 'Why', exact: true }).click();
    await page.getByLabel('DID of the issuer').fill('did:web:stranger.example');
    await page.keyboard.press('Enter');
    await page.getByText('The operation is refused').waitFor();
    await page.locator('li.fault').first().waitFor();
    expect(faults).toEqual([]);
  });

  it('leaves its key and tokens in no address, storage, or request body', async () => {
    const { page, sent } = await enter();
    await page.getByRole('link', { name: 'Issuances' }).click();
    await page.getByRole('heading', { name: 'Issuances' }).waitFor();
    const kept = await page.evaluate(
      'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    for (const text of [...sent, String(kept)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toMatch(/eyJ[\w-]+\.eyJ/);
    }
    expect(await page.evaluate('indexedDB.databases().then(({ length }) => length)')).toBe(0);
    await page.reload();
    await page.getByLabel(/Or the key file/).waitFor();
  });

  it.each(['light', 'dark'] as const)('has no fault that axe finds, %s, at 320 pixels', async (colorScheme) => {
    const { page } = await enter({ colorScheme, viewport: { width: 320, height: 640 }, bypassCSP: true });
    await page.addScriptTag({ content: axe.source });
    for (const path of VIEWS) {
      await go(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Reading …').waitFor({ state: 'detached' });
      expect([path, await page.evaluate(AXE)]).toEqual([path, []]);
      expect([path, await page.evaluate(WIDE)]).toEqual([path, []]);
    }
  });
});
