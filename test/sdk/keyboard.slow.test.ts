// Every screen of the wallet by keyboard alone, on two sites: login, keys, a signature, the name of a core id, and the recovery code.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import { accessFaults, ask, asked, given, type SdkWorld, startSdkWorld, walletOf } from './world.js';

const EMAIL = 'keys@example.org';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('By keyboard alone', () => {
  let world: SdkWorld;
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
  });
  afterAll(async () => {
    await world?.close();
    await chain?.close();
  });

  /** Types into the field that has the focus of a screen, and sends it. */
  async function type(page: Page, heading: string | RegExp, text: string | (() => Promise<string>)): Promise<void> {
    await walletOf(page).getByRole('heading', { name: heading }).waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    await walletOf(page).locator('input:focus').waitFor();
    await page.keyboard.type(typeof text === 'string' ? text : await text());
    await page.keyboard.press('Enter');
  }

  /** Goes to the button that approves a screen, and presses it once it may be. */
  async function approve(page: Page, heading: string | RegExp): Promise<void> {
    await walletOf(page).getByRole('heading', { name: heading }).waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    const button = walletOf(page).locator('button.main');
    await walletOf(page).locator('button.main[aria-disabled="false"]').waitFor();
    for (let tabs = 0; tabs < 5 && !(await isFocused()); tabs += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    function isFocused(): Promise<boolean> {
      return button.and(walletOf(page).locator(':focus')).isVisible();
    }
  }

  async function logIn(page: Page): Promise<void> {
    await page.evaluate('core.init()');
    await page.evaluate('void (window.result = tried(core.login()))');
    await type(page, /^Log in to/, EMAIL);
    await type(page, 'Enter the code', () => world.codeFor(EMAIL));
    expect(await page.evaluate('result')).toMatchObject({ value: expect.anything() });
  }

  it('a user logs in, gets keys, signs, takes a name, and has the same account on another site', async () => {
    const first = await world.browse();
    const page = await first.open(world.origins.partner);
    await logIn(page);
    await ask(page, 'eth_requestAccounts');
    await walletOf(page).getByRole('heading', { name: 'Protect your keys with a passkey' }).waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    const instead = walletOf(page).getByRole('button', { name: 'Use a recovery code instead' });
    const isFocused = () => instead.and(walletOf(page).locator(':focus')).isVisible();
    for (let tabs = 0; tabs < 5 && !(await isFocused()); tabs += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await walletOf(page).getByRole('heading', { name: 'Your recovery code' }).waitFor();
    const code = (await walletOf(page).getByLabel('Recovery code', { exact: true }).textContent()) ?? '';
    await approve(page, 'Your recovery code');
    const accounts = await given(page);
    await ask(page, 'personal_sign', ['0x68656c6c6f', accounts[0]]);
    await approve(page, /^Sign/);
    expect(await given(page)).toMatch(/^0x[0-9a-f]{130,}$/i);
    await page.evaluate('void (window.claimed = tried(core.claimCoreId()))');
    await type(page, /name/i, 'keyboarder');
    expect(await page.evaluate('claimed')).toMatchObject({ value: expect.anything() });

    const second = await world.browse();
    const shop = await second.open(world.origins.shop);
    await logIn(shop);
    await ask(shop, 'eth_requestAccounts');
    await type(shop, 'Enter your recovery code', code);
    expect(await asked(shop)).toEqual({ value: accounts });
    // When a screen is closed, the page has the focus again.
    await ask(shop, 'personal_sign', ['0x68656c6c6f', accounts[0]]);
    await walletOf(shop).getByRole('heading', { name: /^Sign/ }).waitFor();
    await shop.keyboard.press('Escape');
    expect(await asked(shop)).toMatchObject({ code: 4001 });
    expect([first.faults, second.faults]).toEqual([[], []]);
  });
});
