// The partner's part of the console, as a browser shows it: a key file, an issuance by form, its revocation, a webhook that breaks, and why.
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { Receiver } from '../webhooks/receiver.js';
import { AXE, go, type PartnerConsole, resultsIn, startPartnerConsole, WIDE } from './partner-console.js';

const VIEWS = [
  '/partner',
  '/partner/issue?credentialId=club-credential',
  '/partner/batch?credentialId=club-credential',
  '/partner/batches',
  '/partner/issuances',
  '/partner/revoke?credentialId=club-credential',
  '/partner/verifications',
  '/partner/webhooks',
  '/partner/events',
  '/partner/why',
];

describe.skipIf(CHROMIUM === undefined)('A partner in the console', () => {
  let console: PartnerConsole;
  beforeAll(async () => {
    console = await startPartnerConsole();
  });
  afterAll(() => console?.close());

  it('a partner issues by a form, sees the issuance, and revokes it', async () => {
    const { page, faults } = await console.enter();
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
    await page
      .locator('.lines')
      .getByText(/is being revoked|is revoked/)
      .waitFor();
    expect(faults).toEqual([]);
  });

  it('a partner reads at the field what is wrong with it', async () => {
    const dataPoints = [{ name: 'level', type: 'integer', isRequired: true, description: '' }];
    await console.gateway.admin('PUT', '/v1/admin/schemas/level', {
      body: { title: 'Level', description: '', dataPoints },
    });
    await console.gateway.admin('PUT', '/v1/admin/credentials/level', {
      body: { name: 'Level', category: 'Test', issuerId: 'club', schemaId: 'level' },
    });
    const { page } = await console.enter();
    await go(page, '/partner/issue?credentialId=level');
    await page.getByLabel('E-mail address of the recipient').fill('member@example.org');
    await page.getByLabel(/^level/).fill('9007199254740993');
    await page.getByRole('button', { name: 'Issue' }).click();
    await expect.poll(() => page.locator('#about-level').textContent()).toMatch(/level/);
    expect(await page.getByLabel(/^level/).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('E-mail address of the recipient').inputValue()).toBe('member@example.org');
  });

  it('a partner checks and issues a file, and gets the results with lines and addresses; a row without an address is refused', async () => {
    const { page, faults } = await console.enter();
    await page.getByRole('link', { name: 'Batch', exact: true }).click();
    await page.getByLabel('Id of the credential').fill('club-credential');
    await page.keyboard.press('Enter');
    const csv = ['email,credentialSubject.note', 'a@example.org,"""gold"""', ',gold', 'c@example.org,'];
    const batch = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv.join('\n')) };
    await page.getByLabel('The file').setInputFiles(batch);
    await page.getByText('2 rows can be sent, 1 cannot.').waitFor();
    await page.getByText('The address is missing.').waitFor();
    await page.getByRole('button', { name: 'Only check' }).click();
    await page.getByText('The check is finished: 1 valid, 1 refused').waitFor();
    await page.goBack();
    await page.getByLabel('The file').setInputFiles(batch);
    await page.getByRole('button', { name: 'Issue 2 credentials' }).click();
    await page.getByText('The batch is finished: 1 issued, 1 refused').waitFor();
    const lines = await resultsIn(page);
    expect(lines).toEqual([
      '\ufeffrow,line,email,state,coreClaimHash,userUuid,code,message',
      expect.stringMatching(/^1,2,a@example\.org,ISSUED,[0-9a-f]{64},[0-9a-f-]{36},,$/),
      '2,3,,REFUSED,,,BAD_USER_INPUT,The address is missing.',
      expect.stringMatching(/^3,4,c@example\.org,FAILED,,,BAD_USER_INPUT,.*note.*$/),
    ]);
    expect(faults).toEqual([]);
  });

  it('a partner sees why a broken webhook failed, and sends again', async () => {
    const receiver = await new Receiver().start();
    onTestFinished(() => receiver.stop());
    const { page } = await console.enter();
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

  it('a partner reads that an address of the console has no page', async () => {
    const { page } = await console.enter();
    await go(page, '/partner/isue');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });

  it('a partner reads which rule forbids an operation', async () => {
    const { page, faults } = await console.enter();
    await page.getByRole('link', { name: 'Why', exact: true }).click();
    await page.getByLabel('DID of the issuer').fill('did:web:stranger.example');
    await page.keyboard.press('Enter');
    await page.getByText('The operation is refused').waitFor();
    await page.locator('li.fault').first().waitFor();
    expect(faults).toEqual([]);
  });

  it.each([
    ['/partner/why', 'DID of the issuer', 'Id of the credential'],
    ['/partner/issuances', 'Id of the credential', 'userId of the holder'],
    ['/partner/revoke', 'Id of the credential', 'Id of the schema'],
    ['/credentials', 'Category', 'Words of the name'],
  ])('what a partner types in %s stays there while the page uses the field before', async (path, first, second) => {
    const { page } = await console.enter();
    await go(page, path);
    await page.getByLabel(first, { exact: true }).fill('first');
    await page.getByLabel(second, { exact: true }).pressSequentially('second', { delay: 100 });
    expect(await page.getByLabel(first, { exact: true }).inputValue()).toBe('first');
    expect(await page.getByLabel(second, { exact: true }).inputValue()).toBe('second');
  });

  it("a partner's key and tokens are in no address, storage, or request body", async () => {
    const { page, sent } = await console.enter();
    await page.getByRole('link', { name: 'Issuances' }).click();
    await page.getByRole('heading', { name: 'Issuances' }).waitFor();
    const kept = await page.evaluate(
      'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    for (const text of [...sent, String(kept)]) {
      expect(text).not.toContain(console.secret);
      expect(text).not.toMatch(/eyJ[\w-]+\.eyJ/);
    }
    expect(await page.evaluate('indexedDB.databases().then(({ length }) => length)')).toBe(0);
    await page.reload();
    await page.getByLabel(/Or the key file/).waitFor();
  });

  it.each(['light', 'dark'] as const)(
    "the partner's pages have no fault that axe finds, %s, at 320 pixels",
    async (colorScheme) => {
      const { page } = await console.enter({ colorScheme, viewport: { width: 320, height: 640 }, bypassCSP: true });
      await page.addScriptTag({ content: axe.source });
      for (const path of VIEWS) {
        await go(page, path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.getByText('Reading …').waitFor({ state: 'detached' });
        expect([path, await page.evaluate(AXE)]).toEqual([path, []]);
        expect([path, await page.evaluate(WIDE)]).toEqual([path, []]);
      }
    },
  );
});
