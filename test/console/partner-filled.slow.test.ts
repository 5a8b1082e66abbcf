// Views of partners with what comes into them by work: the preview of a revocation, a running batch, an expired token, events, and a webhook that
// fails. Each for axe, on a phone and in a window of 1280 pixels at 200 %.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { Receiver } from '../webhooks/receiver.js';
import {
  AXE,
  chooseRows,
  go,
  holdBatches,
  issue,
  type PartnerConsole,
  startPartnerConsole,
  WIDE,
} from './partner-console.js';

const WINDOWS = [
  ['light', 320, 1],
  ['dark', 320, 1],
  ['light', 640, 2],
  ['dark', 640, 2],
] as const;

async function expectNoFault(page: Page, state: string): Promise<void> {
  expect([state, await page.evaluate(AXE)]).toEqual([state, []]);
  expect([state, await page.evaluate(WIDE)]).toEqual([state, []]);
}

describe.skipIf(CHROMIUM === undefined)('The console for partners, filled', () => {
  let console: PartnerConsole;
  let webhookUrl: string;
  const receiver = new Receiver();
  beforeAll(async () => {
    console = await startPartnerConsole();
    await receiver.start();
    receiver.answer = 500;
    webhookUrl = receiver.url(`/${'long-name-of-an-endpoint/'.repeat(4)}`);
  });
  afterAll(async () => {
    await console?.close();
    await receiver.stop();
  });

  it.each(WINDOWS)(
    'the filled views of partners have no fault that axe finds, %s, at %i pixels enlarged by %i',
    async (colorScheme, width, scale) => {
      const window = { colorScheme, viewport: { width, height: 400 }, deviceScaleFactor: scale, bypassCSP: true };
      const { page, faults } = await console.enter(window, await console.token());
      await page.addScriptTag({ content: axe.source });
      const name = `${colorScheme}-${width}`;

      await go(page, '/partner/events');
      await page.getByText(/^Live: \d/).waitFor();
      await issue(console, `${name}@example.org`);
      await page.getByText(/^Live: [1-9]/).waitFor();
      await expectNoFault(page, 'events');

      await go(page, '/partner/revoke?credentialId=club-credential');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('heading', { name: /would be revoked/ }).waitFor();
      await expectNoFault(page, 'a preview');

      await go(page, '/partner/webhooks');
      await page.getByLabel('Address').fill(`${webhookUrl}${name}`);
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByText('Its secret, shown only now').waitFor();
      await expectNoFault(page, 'a new webhook');
      await page.getByRole('link', { name }).click();
      await page.getByRole('button', { name: 'Send a test ping' }).click();
      await page.getByText('The ping failed').waitFor();
      await page.getByText('what was sent').first().click();
      await expectNoFault(page, 'a webhook');

      await go(page, '/partner/batch?credentialId=club-credential');
      await chooseRows(page, name, 300);
      await expectNoFault(page, 'a file');
      holdBatches(console);
      await page.getByRole('button', { name: 'Issue 300 credentials' }).click();
      await page.getByText('The batch is running').waitFor();
      expect(faults).toEqual([]);
      // The view stays as it is, and asks for a new token.
      console.passTokensTime();
      await page.getByRole('alert').getByText('it has expired').waitFor();
      await page.getByLabel(/A new token/).waitFor();
      await page.getByText('The batch is running').waitFor();
      await expectNoFault(page, 'a running batch with an expired token');
    },
  );
});
