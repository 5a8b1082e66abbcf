// What a partner does with many credentials in the console: revocation by filter, batches with all their results, events as they happen, and a
// token that expires meanwhile.
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import {
  chooseRows,
  documentIdOf,
  go,
  holdBatches,
  issue,
  type PartnerConsole,
  resultsIn,
  startPartnerConsole,
  TOKENS_TIME_MS,
} from './partner-console.js';

describe.skipIf(CHROMIUM === undefined)('A partner with many credentials', () => {
  let console: PartnerConsole;
  beforeAll(async () => {
    console = await startPartnerConsole();
  });
  afterAll(() => console?.close());

  it('a partner sees how many issuances match a filter and which, types their number, and revokes them', async () => {
    const hashes = [await issue(console, 'r1@example.org'), await issue(console, 'r2@example.org')];
    const { page, faults } = await console.enter();
    await page.getByRole('link', { name: 'Issuances' }).click();
    await page.getByLabel('Id of the credential').fill('club-credential');
    await page.keyboard.press('Enter');
    await page.getByText('2 issuances.').waitFor();
    await page.getByRole('link', { name: 'Revoke all that match' }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('heading', { name: '2 credentials would be revoked' }).waitFor();
    for (const hash of hashes) await page.getByText(hash).waitFor();
    const revoke = page.getByRole('button', { name: 'Revoke 2 credentials' });
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByLabel(/Type 2 to confirm/).fill('3');
    expect(await revoke.isDisabled()).toBe(true);
    // What is issued after the preview is not revoked.
    await issue(console, 'r3@example.org');
    await page.getByLabel(/Type 2 to confirm/).fill('2');
    await revoke.click();
    await page.getByText('The revocation is finished: 2 revoked, 0 revoked before, 0 left, of 2.').waitFor();
    await page.getByRole('link', { name: 'Issuances' }).click();
    await page.getByLabel('State').selectOption('WAIT_ONCHAIN');
    await page.getByText('1 issuance.').waitFor();
    expect(faults).toEqual([]);
  });

  it('a partner reads that a filter is missing or matches nothing, and keeps what was typed', async () => {
    const { page } = await console.enter();
    await go(page, '/partner/revoke');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page
      .getByRole('alert')
      .getByText(/filter|narrow|at least/i)
      .waitFor();
    await page.getByLabel('Id of the batch').fill('6f1f8a52-0d8c-4a07-a2a8-5a4b6a3f0aff');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches.').waitFor();
    expect(await page.getByLabel('Id of the batch').inputValue()).toBe('6f1f8a52-0d8c-4a07-a2a8-5a4b6a3f0aff');
  });

  it('a partner finds its batches again, cancels one, and gets the results of all rows of another', async () => {
    const { page, faults } = await console.enter();
    await go(page, '/partner/batch?credentialId=club-credential');
    await chooseRows(page, 'all', 230);
    await page.getByRole('button', { name: 'Issue 230 credentials' }).click();
    await page.getByText('The batch is finished: 230 issued').waitFor();
    const lines = await resultsIn(page);
    expect(lines).toHaveLength(231);
    expect(lines.at(-1)).toMatch(/^230,231,all229@example\.org,ISSUED/);
    await page.getByRole('link', { name: 'Batches', exact: true }).click();
    await page.getByRole('link', { name: '230 rows of club-credential', exact: true }).waitFor();
    const release = holdBatches(console);
    await go(page, '/partner/batch?credentialId=club-credential');
    await chooseRows(page, 'cancelled', 300);
    await page.getByRole('button', { name: 'Issue 300 credentials' }).click();
    await page.getByText('The batch is running').waitFor();
    await page.getByRole('link', { name: 'Batches', exact: true }).click();
    const line = page.locator('li', { hasText: '300 rows', hasNotText: 'Check of' });
    await line.getByRole('button', { name: 'Cancel' }).click();
    await line.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    release();
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Read again' }).click();
        return line.textContent();
      })
      .toContain('is cancelled');
    expect(faults).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('A partner whose token expires', () => {
  let console: PartnerConsole;
  beforeAll(async () => {
    console = await startPartnerConsole();
  });
  afterAll(() => console?.close());

  /** Gives the page a newer token, by keyboard. */
  async function renew(page: Page): Promise<void> {
    await page.getByLabel(/A new token/).fill(await console.token());
    await page.keyboard.press('Enter');
    await page.getByLabel(/A new token/).waitFor({ state: 'detached' });
  }

  // Must be the first test: later ones move the gateway's clock ahead of the browser's.
  it('a partner is not asked for a token if the page signs tokens with a key file', async () => {
    const { page } = await console.enter();
    await go(page, '/partner/events');
    await page.getByText('Live: 0 events.').waitFor();
    // Time passes for the browser, too.
    await issue(console, 'e0@example.org');
    await page.getByText(/^Live: 2 events/).waitFor();
    // The browser's clock first: once the gateway has ended the stream, the page signs a token at once.
    await page.evaluate(`{ const now = Date.now; Date.now = () => now() + ${TOKENS_TIME_MS}; }`);
    console.passTokensTime();
    await issue(console, 'e3@example.org');
    await page.getByText(/^Live: 4 events/).waitFor();
    expect(await page.getByText('missing').count()).toBe(0);
    expect(await page.getByLabel(/A new token/).count()).toBe(0);
  });

  it('a partner whose token expires during a batch reads so, and follows the batch to its end with a new token', async () => {
    const { page, sent } = await console.enter({}, await console.token());
    await go(page, '/partner/batch?credentialId=club-credential');
    const release = holdBatches(console);
    await chooseRows(page, 'expires', 300);
    await page.getByRole('button', { name: 'Issue 300 credentials' }).click();
    await page.getByText('The batch is running').waitFor();
    console.passTokensTime();
    await page.getByRole('alert').getByText('it has expired').waitFor();
    // The part that was read before is still shown.
    await page.getByText('The batch is running').waitFor();
    release();
    await renew(page);
    await page.getByText('The batch is finished: 300 issued').waitFor();
    // The results are read in pages; the token expires before the last one.
    let pages = 0;
    await page.route(
      (url) => url.pathname === '/graphql',
      (route) => {
        pages += 1;
        if (pages === 2) console.passTokensTime();
        return route.continue();
      },
    );
    await page.getByRole('button', { name: 'Results of all rows' }).click();
    await page.getByRole('alert').getByText('it has expired').waitFor();
    await renew(page);
    await page.getByRole('link', { name: 'Save 300 results as CSV' }).waitFor();
    // The second page was read twice, and the view may have been read again.
    expect(pages).toBeGreaterThanOrEqual(4);
    for (const text of [page.url(), ...sent]) expect(text).not.toMatch(/eyJ/);
  });

  it('a partner with a new token keeps the chosen file and what was typed; a token of another partner is refused', async () => {
    const { page } = await console.enter({}, await console.token());
    await go(page, '/partner/batch?credentialId=club-credential');
    await chooseRows(page, 'kept', 3);
    console.passTokensTime();
    await page.getByRole('button', { name: 'Only check' }).click();
    await page.getByLabel(/A new token/).fill(`e30.${Buffer.from('{"partnerId":"other"}').toString('base64url')}.e30`);
    await page.keyboard.press('Enter');
    await page.getByText('This is no token of the same partner').waitFor();
    await renew(page);
    await page.getByText('3 rows can be sent, 0 cannot.').waitFor();
    await page.getByRole('button', { name: 'Only check' }).click();
    await page.getByText('The check is finished: 3 valid').waitFor();
    // A form of one credential.
    await go(page, '/partner/issue?credentialId=club-credential');
    await page.getByLabel('E-mail address of the recipient').fill('typed@example.org');
    await page.getByLabel(/^note/).fill('typed');
    console.passTokensTime();
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.getByRole('alert').getByText('it has expired').waitFor();
    await renew(page);
    expect(await page.getByLabel(/^note/).inputValue()).toBe('typed');
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.getByText('It is issued').waitFor();
  });

  it('a partner is asked for a new token once, also if a refusal of the former one arrives later', async () => {
    const { page } = await console.enter({}, await console.token());
    await page.getByRole('link', { name: 'Issue', exact: true }).waitFor();
    let release = (): void => {};
    const renewal = new Promise<void>((resolve) => {
      release = resolve;
    });
    // By this request the page learns why its socket was closed.
    const isQuestion = (request: Request): boolean => request.postData()?.includes(documentIdOf('Caller')) ?? false;
    await page.route(
      (url) => url.pathname === '/graphql',
      async (route) => {
        if (isQuestion(route.request())) await renewal;
        return route.continue();
      },
    );
    console.passTokensTime();
    await page.getByRole('link', { name: 'Issuances' }).click();
    await page.getByRole('alert').getByText('it has expired').waitFor();
    await renew(page);
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (isQuestion(response.request())) statuses.push(response.status());
    });
    release();
    await expect.poll(() => statuses.at(-1)).toBe(200);
    expect(statuses[0]).toBeGreaterThanOrEqual(401);
    expect(await page.getByLabel(/A new token/).count()).toBe(0);
  });

  it('a partner with a new token reads the events from where they stopped', async () => {
    const { page } = await console.enter({}, await console.token());
    await go(page, '/partner/events');
    await page.getByText('Live: 0 events.').waitFor();
    await issue(console, 'e1@example.org');
    const lines = page.locator('ol.lines > li');
    await expect.poll(() => lines.count()).toBe(2);
    console.passTokensTime();
    await page.getByLabel(/A new token/).waitFor();
    await issue(console, 'e2@example.org');
    await renew(page);
    await expect.poll(() => lines.count()).toBe(4);
    expect(await page.getByText('missing').count()).toBe(0);
  });
});
