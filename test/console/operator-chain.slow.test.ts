// Operators give chain jobs up, and try failed ones again, in a browser.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsWorld, startAccountsWorld } from '../accounts/support.js';
import { ANVIL } from '../support/anvil.js';
import { CHROMIUM, startChromium } from '../support/chromium.js';
import { until } from '../support/eventually.js';
import { enterOperator } from './operator-console.js';
import { go } from './partner-console.js';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('The console for operators', () => {
  let world: AccountsWorld;
  let browser: Browser;
  beforeAll(async () => {
    world = await startAccountsWorld();
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it('an operator gives a chain job up, finds it among the failed ones, and tries it again', async () => {
    const { gateway, chain } = world;
    const { outbox } = gateway.app.services;
    const holder = await world.holderWithWallet();
    await chain.pause();
    await outbox.put({ jobId: 'waits', kind: 'account', args: { owner: holder.key.address } });
    const { page, faults } = await enterOperator(browser, gateway.url, gateway.operatorKey);
    await page.getByText('0 chain jobs').waitFor();
    await page.getByRole('link', { name: 'Chain jobs', exact: true }).click();
    const line = page.getByRole('listitem').filter({ hasText: 'account' }).first();
    await line.getByRole('button', { name: 'Give up' }).click();
    await line.getByText('given up by the operator').first().waitFor();
    expect((await outbox.find('waits'))?.state).toBe('failed');
    await go(page, '/operator');
    await page.getByRole('link', { name: '1 chain job' }).click();
    expect(await page.getByLabel('State').inputValue()).toBe('FAILED');
    await line.getByRole('button', { name: 'Try again' }).waitFor();
    chain.resume();
    await line.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('0 jobs, newest first.').waitFor();
    await until(async () => (await outbox.find('waits'))?.state === 'confirmed');
    expect(faults).toEqual([]);
  });
});
