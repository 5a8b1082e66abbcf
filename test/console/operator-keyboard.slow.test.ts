// An operator's round by keyboard alone: entering, editing an entry against another operator, a partner, an import, revocation and erasure.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openPage, startChromium } from '../support/chromium.js';
import { moveTo, opened, press, type } from './keyboard.js';
import { type OperatorConsole, startOperatorConsole } from './operator-console.js';

describe.skipIf(CHROMIUM === undefined)('The operator’s round', () => {
  let at: OperatorConsole;
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    at = await startOperatorConsole();
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await at?.close();
  });

  it.each([320, 1280])('an operator’s round is done by keyboard alone, at %i pixels', async (width) => {
    const email = `keys-${width}@example.org`;
    await at.issue(email);
    const page = await openPage(browser, { viewport: { width, height: 700 } });
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${at.gateway.url}/console/operator`);
    await opened(page, 'For operators');
    await type(page, 'An operator’s key', at.gateway.operatorKey);
    await page.keyboard.press('Enter');
    await opened(page, 'Operator');

    await press(page, 'Entries', 'Shift+Tab');
    await opened(page, 'Entries');
    await type(page, 'Id', 'club-credential');
    await press(page, 'Open it');
    await page.getByLabel('Category').waitFor();
    await type(page, 'Category', `By keyboard at ${width}`);
    const path = '/v1/admin/credentials/club-credential';
    const others = { name: `Theirs at ${width}`, category: 'Other', issuerId: 'club', schemaId: 'club-schema' };
    expect((await at.gateway.admin('PUT', path, { body: others })).status).toBe(200);
    await press(page, 'Save');
    await page.getByRole('heading', { name: 'Somebody else has saved it' }).waitFor();
    // Nothing is chosen beforehand.
    await moveTo(page, 'Theirs: Category');
    await page.keyboard.press('ArrowRight');
    await press(page, 'Save what is chosen');
    await page.getByText('It is saved.').waitFor();
    const { name, category } = (await at.gateway.admin('GET', path)).body;
    expect([name, category]).toEqual([`Theirs at ${width}`, `By keyboard at ${width}`]);

    await press(page, 'Partners', 'Shift+Tab');
    await opened(page, 'Partners');
    await press(page, 'Test partner');
    await page.getByLabel('Origins of its pages').waitFor();
    await type(page, 'Origins of its pages, one a line', 'https://typed.example');
    await press(page, 'Save');
    await page.getByText('frame-ancestors https://typed.example').waitFor();

    await press(page, 'Issuances', 'Shift+Tab');
    await opened(page, 'Issuances');
    await press(page, 'Revoke all that match');
    await opened(page, 'Revoke by filter');
    await type(page, 'Id of the credential', 'club-credential');
    await page.keyboard.press('Enter');
    await press(page, 'Preview');
    await page.getByRole('heading', { name: '1 credential would be revoked' }).waitFor();
    await moveTo(page, 'It cannot be undone. Type');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await page.getByText('The revocation is finished: 1 revoked').waitFor();

    await press(page, 'Erasure', 'Shift+Tab');
    await opened(page, 'Erase a holder');
    await moveTo(page, 'The holder by its');
    await page.keyboard.press('ArrowDown');
    await type(page, 'E-mail address', email);
    await type(page, 'To confirm, type it again', email);
    await press(page, 'Erase this holder');
    await page.getByText(/Rows are being deleted|Everything is deleted|Nothing of the holder is left/).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});
