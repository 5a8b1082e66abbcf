// A corrected file of recipients, sent again: what becomes of the credentials that they have is asked, and nobody loses one unasked.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { go, type PartnerConsole, startPartnerConsole } from './partner-console.js';

describe.skipIf(CHROMIUM === undefined)('A file whose recipients have credentials already', () => {
  let at: PartnerConsole;
  beforeAll(async () => {
    at = await startPartnerConsole();
  });
  afterAll(() => at?.close());

  const states = async (): Promise<[live: number, revoked: number]> => {
    const issuances = at.gateway.app.connection.collection('issuances');
    return [await issuances.countDocuments({ live: true }), await issuances.countDocuments({ live: false })];
  };

  async function choose(page: Page, lines: string[], said: string): Promise<void> {
    await go(page, '/partner/batch?credentialId=club-credential');
    const buffer = Buffer.from(`email,credentialSubject.note\n${lines.join('\n')}`);
    await page.getByLabel('The file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await page.getByText(said).waitFor();
  }
  const line = (name: string, note = '"""gold"""'): string => `${name}@example.org,${note}`;
  const issueAll = (page: Page) => page.getByRole('button', { name: /^Issue \d+ credential/ }).click();

  it('is corrected and sent again: by default nobody is revoked, and replacing and leaving out are choices', async () => {
    const { page, faults } = await at.enter();
    await choose(page, [line('a'), line('b'), line('c', '')], '3 rows can be sent, 0 cannot.');
    await issueAll(page);
    await page.getByText('The batch is finished: 2 issued, 1 refused').waitFor();
    expect(await states()).toEqual([2, 0]);

    await choose(page, [line('a'), line('b'), line('c')], '3 rows can be sent, 0 cannot.');
    await issueAll(page);
    await page.getByText('2 recipients have a live credential of this kind already, of 3').waitFor();
    expect(await page.getByLabel('They keep it').isChecked()).toBe(true);
    expect(await states()).toEqual([2, 0]);
    await page.getByRole('button', { name: 'Issue 1 credential', exact: true }).click();
    await page.getByText('The batch is finished: 3 issued').waitFor();
    expect(await states()).toEqual([3, 0]);

    await choose(page, [line('b'), line('d')], '2 rows can be sent, 0 cannot.');
    await issueAll(page);
    await page.getByLabel('Their rows are left out').check();
    await page.getByRole('button', { name: 'Issue 1 credential', exact: true }).click();
    await page.getByText('The batch is finished: 1 issued, 0 refused, 0 cancelled, 0 waiting, of 1.').waitFor();
    expect(await states()).toEqual([4, 0]);

    await choose(page, [line('b')], '1 row can be sent, 0 cannot.');
    await issueAll(page);
    await page.getByLabel('Theirs is revoked').check();
    await page.getByRole('button', { name: 'Revoke 1 credential and issue 1 credential' }).click();
    await page.getByText('The batch is finished: 1 issued').waitFor();
    expect(await states()).toEqual([4, 1]);
    expect(faults).toEqual([]);
  });

  it('a recipient in two rows is said before anything is sent', async () => {
    const { page, sent } = await at.enter();
    await choose(page, [line('same'), line('other'), line('SAME')], '3 rows can be sent, 0 cannot.');
    await page.getByText('Line 4 has the recipient of line 2').waitFor();
    expect(sent.some((text) => text.includes('same@example.org'))).toBe(false);
  });

  it('the form for one recipient keeps what the recipient has, unless told otherwise', async () => {
    const { page } = await at.enter();
    const before = await states();
    await go(page, '/partner/issue?credentialId=club-credential');
    await page.getByLabel('E-mail address of the recipient').fill('a@example.org');
    await page.getByLabel(/^note/).fill('silver');
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    await page.getByText('It is issued').waitFor();
    expect(await states()).toEqual(before);
  });
});
