// A file of recipients as spreadsheets write it: cells of their fields' types, rows that are refused, corrected in place, and sent again alone.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { go, type PartnerConsole, resultsIn, startPartnerConsole } from './partner-console.js';

const FIELDS = [
  { name: 'degree', title: 'Degree', type: 'string', isRequired: true },
  { name: 'level', title: 'Level', type: 'integer', isRequired: true },
  { name: 'honours', title: 'With honours', type: 'boolean', isRequired: false },
  { name: 'conferredOn', title: 'Conferred on', type: 'date', isRequired: false },
];

describe.skipIf(CHROMIUM === undefined)('A file of recipients in the console', () => {
  let at: PartnerConsole;
  beforeAll(async () => {
    at = await startPartnerConsole();
    const { admin } = at.gateway;
    const dataPoints = FIELDS.map((field) => ({ ...field, description: '' }));
    await admin('PUT', '/v1/admin/schemas/study', { body: { title: 'Study', description: '', dataPoints } });
    const credential = { name: 'Degree', category: 'Test', issuerId: 'club', schemaId: 'study' };
    expect((await admin('PUT', '/v1/admin/credentials/study', { body: credential })).status).toBe(200);
  });
  afterAll(() => at?.close());

  const choose = (page: Page, lines: readonly string[], label = 'The file') => {
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
    return page.getByLabel(label).setInputFiles(file);
  };
  const rowOfLine = (page: Page, line: number, address: string) =>
    page.getByRole('group', { name: `Line ${line} ${address}` });

  it('has a template for each credential, and cells as spreadsheets write them', async () => {
    const { page, faults } = await at.enter();
    await go(page, '/partner/batch?credentialId=study');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'save a template' }).click(),
    ]);
    const template = readFileSync(await download.path(), 'utf8');
    expect(template).toBe('\ufeffE-mail,Degree,Level,With honours,Conferred on,Expiration\r\n');
    await choose(page, [
      'sep=;',
      'E-Mail;Degree;Level;With honours;Conferred on',
      'ada@example.org;MSc;7;TRUE;31.12.2020',
      'bob@example.org;BA;6;;',
    ]);
    await page.getByText('2 rows can be sent, 0 cannot.').waitFor();
    await page.getByRole('button', { name: 'Issue 2 credentials' }).click();
    await page.getByText('The batch is finished: 2 issued').waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/JSON|credentialSubject/);
    expect(faults).toEqual([]);
  });

  it('is corrected row by row, and what the gateway refused is sent again alone', async () => {
    const { page, sent, faults } = await at.enter();
    await go(page, '/partner/batch?credentialId=study');
    await choose(page, [
      'E-Mail,Degree,Level,Conferred on',
      'cleo@example.org,MSc,7,2020-12-31',
      'dora@example.org,MSc,high,2020-12-31',
      'emil@example.org,,7,2020-12-31',
    ]);
    await page.getByText('2 rows can be sent, 1 cannot.').waitFor();
    const dora = rowOfLine(page, 3, 'dora@example.org');
    await dora.getByText('"Level" must be a whole number.').waitFor();
    await dora.getByLabel(/^Level/).fill('6');
    await dora.getByText('Corrected: it can be sent.').waitFor();
    await page.getByText('3 rows can be sent, 0 cannot.').waitFor();
    await page.getByRole('button', { name: 'Issue 3 credentials' }).click();
    await page.getByText('The batch is finished: 2 issued, 1 refused').waitFor();

    const emil = rowOfLine(page, 4, 'emil@example.org');
    await emil.getByText('“Degree” is missing.').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('credentialSubject');
    expect(await resultsIn(page)).toEqual([
      '\ufeffrow,line,email,state,coreClaimHash,userUuid,code,message',
      expect.stringMatching(/^1,2,cleo@example\.org,ISSUED,/),
      expect.stringMatching(/^2,3,dora@example\.org,ISSUED,/),
      expect.stringMatching(/^3,4,emil@example\.org,FAILED,.*missing/),
    ]);
    await emil.getByLabel(/^Degree/).fill('PhD');
    const before = sent.length;
    await page.getByRole('button', { name: 'Issue 1 credential', exact: true }).click();
    await page.getByText('The batch is finished: 1 issued, 0 refused, 0 cancelled, 0 waiting, of 1.').waitFor();
    await page.getByText('Line 4 emil@example.org').waitFor();
    const later = sent.slice(before).join('\n');
    expect(later).toContain('emil@example.org');
    expect(later).not.toMatch(/cleo@|dora@/);
    expect(faults).toEqual([]);
  });

  it('is asked for again where the page has it no more, to show addresses and correct rows', async () => {
    const lines = ['email,Degree,Level', 'finn@example.org,,7'];
    const first = await at.enter();
    await go(first.page, '/partner/batch?credentialId=study');
    await choose(first.page, lines);
    await first.page.getByRole('button', { name: 'Issue 1 credential', exact: true }).click();
    await first.page.getByText('The batch is finished: 0 issued, 1 refused').waitFor();
    const { pathname, search } = new URL(first.page.url());

    const { page } = await at.enter();
    await go(page, `${pathname.replace('/console', '')}${search}`);
    await page.getByText('Row 1 – “Degree” is missing.').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('finn@');
    await choose(page, lines, 'The file that was sent');
    await rowOfLine(page, 2, 'finn@example.org')
      .getByLabel(/^Degree/)
      .fill('MSc');
    await page.getByRole('button', { name: 'Issue 1 credential', exact: true }).click();
    await page.getByText('The batch is finished: 1 issued').waitFor();
  });
});
