// A partner's round by keyboard alone: entering, issuing by the form, the credential's page, its revocation, and a webhook with a ping.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, startChromium } from '../support/chromium.js';
import { Receiver } from '../webhooks/receiver.js';
import { moveTo, opened, press, type } from './keyboard.js';
import { openWatched, type PartnerConsole, startPartnerConsole } from './partner-console.js';

describe.skipIf(CHROMIUM === undefined)('The partner’s round', () => {
  let at: PartnerConsole;
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    at = await startPartnerConsole();
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await at?.close();
  });

  async function enterByToken(page: Page): Promise<void> {
    await type(page, 'A partner token, as', await at.token());
    await page.keyboard.press('Enter');
  }

  async function enterByKeyFile(page: Page): Promise<void> {
    await moveTo(page, 'Or the key file that');
    // The browser is told to report choosers before the key is pressed: the two commands are not carried out in order.
    const chooser = page.waitForEvent('filechooser');
    await page.evaluate('1');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(at.keyFile);
  }

  it.each([
    [320, 'a token', enterByToken],
    [1280, 'its key file', enterByKeyFile],
  ])('a partner’s round is done by keyboard alone, at %i pixels, with %s', async (width, _with, enter) => {
    const receiver = await new Receiver().start();
    onTestFinished(() => receiver.stop());
    const { page, faults } = await openWatched(browser, { viewport: { width, height: 700 } });
    await page.goto(`${at.gateway.url}/console/partner`);
    await opened(page, 'For partners');
    await enter(page);
    await opened(page, 'Partner');

    await press(page, 'Issue', 'Shift+Tab');
    await opened(page, 'Issue a credential');
    await type(page, 'Id of the credential (pages of credentials lead here, too)', 'club-credential');
    await page.keyboard.press('Enter');
    await page.getByLabel(/^note/).waitFor();
    await type(page, 'E-mail address of the recipient', `keys-${width}@example.org`);
    await type(page, 'note', 'gold');
    await press(page, 'Issue');
    const hash = (await page.getByText('It is issued').locator('code').textContent()) ?? '';
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    await press(page, 'All issuances');
    await opened(page, 'Issuances');
    const line = page.getByRole('listitem').filter({ hasText: hash });
    await line.waitFor();
    // The newest is the first one.
    await press(page, 'club-credential');
    await opened(page, 'club');
    await page.goBack();
    await opened(page, 'Issuances');
    await line.waitFor();
    await press(page, 'Revoke all that match');
    await opened(page, 'Revoke by filter');
    await page.goBack();
    await opened(page, 'Issuances');
    await line.waitFor();
    await moveTo(page, 'club-credential');
    await press(page, 'Revoke');
    await line.getByText(/is being revoked|is revoked/).waitFor();

    await press(page, 'Webhooks', 'Shift+Tab');
    await opened(page, 'Webhooks');
    await type(page, 'Address', receiver.url('/hook'));
    await page.keyboard.press('Enter');
    const secret = page.getByText('Its secret, shown only now').locator('code');
    receiver.secrets.set('/hook', (await secret.textContent()) ?? '');
    await press(page, 'I have it');
    await press(page, receiver.url('/hook'), 'Shift+Tab');
    await opened(page, 'Webhook');
    await press(page, 'Send a test ping');
    await page.getByText('The ping was delivered.').waitFor();
    expect(faults).toEqual([]);
  });
});
