// A partner's round in the console on a chain: it issues, sees the claim on the chain, sees that its webhook is broken, and sends again.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import { Receiver } from '../webhooks/receiver.js';
import { type PartnerConsole, startPartnerConsole } from './partner-console.js';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('A partner in the console, on a chain', () => {
  let chain: TestChain;
  let console: PartnerConsole;
  beforeAll(async () => {
    chain = await startChain();
    const { env } = await chainEnvOf(chain);
    console = await startPartnerConsole({ env });
  });
  afterAll(async () => {
    await console?.close();
    await chain?.close();
  });

  it('issues, sees it on the chain, sees why its webhook failed, mends it, and sends again', async () => {
    const receiver = await new Receiver().start();
    onTestFinished(() => receiver.stop());
    const { page, faults } = await console.enter();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('Address').fill(receiver.url('/hook'));
    await page.getByRole('button', { name: 'Register' }).click();
    const shown = page.getByText('Its secret, shown only now');
    receiver.secrets.set('/hook', (await shown.locator('code').textContent()) ?? '');
    await page.getByRole('button', { name: 'I have it' }).click();
    receiver.answer = 500;

    await page.getByRole('link', { name: 'Issue', exact: true }).click();
    await page.getByLabel(/Id of the credential/).fill('club-credential');
    await page.keyboard.press('Enter');
    await page.getByLabel('E-mail address of the recipient').fill('member@example.org');
    await page.getByLabel(/^note/).fill('gold');
    await page.getByRole('button', { name: 'Issue' }).click();
    const hash = await page.getByText('It is issued').locator('code').textContent();
    await page.getByRole('link', { name: 'All issuances' }).click();
    const line = page.locator('li', { hasText: hash ?? '' });
    await line.waitFor();
    // The page marks that the state has changed, and shows it when it is asked to.
    const mark = page.getByRole('button', { name: 'Show it as it is now' });
    await expect
      .poll(async () => {
        if (await mark.isVisible()) await mark.click();
        return line.textContent();
      })
      .toContain('is on the chain');

    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('Failing').waitFor();
    await page.getByRole('link', { name: receiver.url('/hook') }).click();
    // The first one has failed, and the later ones wait for the endpoint.
    const delivery = (type: string) => page.locator('.lines > li', { hasText: `${type},` });
    await delivery('stored').getByText('what was sent').click();
    await delivery('stored')
      .getByText(/UTC: 500 after/)
      .first()
      .waitFor();
    receiver.answer = 204;
    await page.getByRole('button', { name: 'Send a test ping' }).click();
    await page.getByText('The ping was delivered.').waitFor();
    const isDelivered = (type: string) =>
      expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Read again' }).click();
          return delivery(type).textContent();
        })
        .toMatch(/^Delivered/);
    await isDelivered('stored');
    await isDelivered('anchored');
    const arrived = () =>
      receiver.received.filter(({ type, data }) => type === 'anchored' && data.coreClaimHash === hash);
    // One attempt, or more if the gateway stood still during the first.
    const before = arrived().length;
    expect(before).toBeGreaterThan(0);
    await delivery('anchored').getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => arrived().length).toBeGreaterThan(before);
    expect(faults).toEqual([]);
  });
});
