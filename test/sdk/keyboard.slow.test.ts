// Every screen of the wallet by keyboard alone, on two sites: login, keys, a signature, the name of a core id, and the recovery code.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import {
  accessFaults,
  approvalOf,
  ask,
  asked,
  given,
  pressIn,
  type SdkWorld,
  startSdkWorld,
  walletOf,
} from './world.js';

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
    const wallet = walletOf(page);
    await wallet.getByRole('heading', { name: heading }).waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    await wallet.locator('input:focus').waitFor();
    await page.keyboard.type(typeof text === 'string' ? text : await text());
    await page.keyboard.press('Enter');
  }

  /** Opens the window by the button that has the focus, unless it is open. */
  async function openWindow(page: Page): Promise<Page> {
    const button = walletOf(page).locator('button.main:focus', { hasText: 'the window' });
    await button.waitFor();
    if ((await button.textContent()) === 'Show the window') return approvalOf(page);
    expect(await accessFaults(page, world.url)).toEqual([]);
    return (await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]))[0];
  }

  /** Goes to a button of the window, and presses it. */
  async function press(window: Page, button: Locator): Promise<void> {
    const isFocused = () => button.and(window.locator(':focus')).isVisible();
    for (let tabs = 0; tabs < 6 && !(await isFocused()); tabs += 1) await window.keyboard.press('Tab');
    await pressIn(window, 'Enter');
  }

  /** Goes to the button that approves a screen, and presses it once it works. */
  async function approve(page: Page, heading: string | RegExp): Promise<void> {
    const window = await openWindow(page);
    await window.getByRole('heading', { name: heading }).waitFor();
    const button = window.locator('button.main[aria-disabled="false"]');
    await button.waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    await press(window, button);
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
    const window = await openWindow(page);
    await window.getByRole('heading', { name: 'Protect your keys with a passkey' }).waitFor();
    const instead = window.locator('button[aria-disabled="false"]', { hasText: 'Use a recovery code instead' });
    await instead.waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    await press(window, instead);
    await window.getByRole('heading', { name: 'Your recovery code' }).waitFor();
    const code = (await window.getByLabel('Recovery code', { exact: true }).textContent()) ?? '';
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
    const opened = await openWindow(shop);
    await opened.locator('input:focus').waitFor();
    await opened.keyboard.type(code);
    await opened.locator('button.main[aria-disabled="false"]').waitFor();
    await pressIn(opened, 'Enter');
    expect(await asked(shop)).toEqual({ value: accounts });
    // When a screen is closed, the page has the focus again.
    await ask(shop, 'personal_sign', ['0x68656c6c6f', accounts[0]]);
    const signing = await openWindow(shop);
    await signing.getByRole('heading', { name: /^Sign/ }).waitFor();
    await pressIn(signing, 'Escape');
    expect(await asked(shop)).toMatchObject({ code: 4001 });
    expect([first.faults, second.faults]).toEqual([[], []]);
  });
});
