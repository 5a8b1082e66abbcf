// Swaps and purchases in the wallet, on the gateway's own chain: quotes that are renewed, one batch, and one sentence for what goes wrong.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import {
  accessFaults,
  approvable,
  approvalOf,
  approve,
  type Browsing,
  keepRecoveryCode,
  openLoggedIn,
  pressIn,
  type SdkWorld,
  startSandbox,
  startSdkWorld,
} from './world.js';

const ABI = parseAbi([
  'function dollars() view returns (address)',
  'function euros() view returns (address)',
  'function swap(address from, uint256 amountIn, uint256 minimum)',
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);
const WHALE: Hex = '0x00000000000000000000000000000000000000aa';
const DOLLAR = 1_000_000n;
const EURO = 10n ** 18n;

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('Swaps and purchases', () => {
  const folder = mkdtempSync(join(tmpdir(), 'money-'));
  let world: SdkWorld;
  let browsing: Browsing;
  let page: Page;
  let pool: Hex;
  let dollars: Hex;
  let euros: Hex;
  let account: Hex;
  beforeAll(async () => {
    world = await startSdkWorld({ env: { DATA_DIR: join(folder, 'data') } }, startSandbox);
    browsing = await world.browse();
    page = await openLoggedIn(world, browsing, 'money@example.org');
    const { body } = await world.gateway.rest('GET', `/v1/client/config?partnerId=${world.partner.partnerId}`);
    pool = body.venue;
  });
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Asks the devnet itself. */
  async function rpc(method: string, ...params: unknown[]): Promise<string> {
    const { port } = JSON.parse(readFileSync(join(folder, 'data', 'chain', 'devnet.json'), 'utf8'));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).json();
    return (answer as { result: string }).result;
  }
  const coded = (functionName: string, args: unknown[]): Hex =>
    encodeFunctionData({ abi: ABI, functionName, args } as never);
  const read = (to: Hex, functionName: string, ...args: unknown[]): Promise<string> =>
    rpc('eth_call', { to, data: coded(functionName, args) }, 'latest');
  const balance = async (token: Hex, of = account): Promise<bigint> => BigInt(await read(token, 'balanceOf', of));
  async function write(from: Hex, to: Hex, functionName: string, ...args: unknown[]): Promise<void> {
    await rpc('anvil_setBalance', from, '0xde0b6b3a7640000');
    await rpc('anvil_impersonateAccount', from);
    const hash = await rpc('eth_sendTransaction', { from, to, data: coded(functionName, args) });
    await expect.poll(() => rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
  }
  /** Somebody else swaps, which moves the price. */
  async function move(token: Hex, amount: bigint): Promise<void> {
    await write(WHALE, token, 'mint', WHALE, amount);
    await write(WHALE, token, 'approve', pool, amount);
    await write(WHALE, pool, 'swap', token, amount, 0n);
  }

  const wallet = () => approvalOf(page);
  const start = (operation: string, options: object) =>
    page.evaluate(`void (window.money = tried(core.${operation}(${JSON.stringify(options)})))`);
  const result = (): Promise<unknown> => page.evaluate('money');
  const type = async (amount: string) => {
    await (await wallet()).getByLabel('You pay').fill(amount);
  };
  const quoted = async (text: string | RegExp) => (await wallet()).locator('output').getByText(text).waitFor();
  const alerted = async (text: string) => (await wallet()).getByRole('alert').getByText(text).waitFor();
  /** Goes from the quote to the consent, and approves. */
  const agree = async (action: string, between = async () => {}) => {
    await (await wallet()).locator('button.main[aria-disabled="false"]', { hasText: action }).click();
    await (await wallet()).getByText('Test partner asks for this.').waitFor();
    await between();
    await approve(page);
  };
  const close = () => page.evaluate("document.querySelector('dialog').close()");

  it('a purchase says that no money is paid, and what it gets', async () => {
    await start('showOnRampUI', { displayCurrencyCode: 'EUR', targetCurrencyCode: 'TUSD' });
    await keepRecoveryCode(page);
    await (await wallet()).getByText('no money is paid').waitFor();
    await type('nothing');
    await alerted('This is no amount that can be used.');
    await type('100');
    await quoted('€100.00 for 108 TUSD.');
    expect(await accessFaults(page, world.url)).toEqual([]);
    await agree('Get tokens');
    expect(await result()).toEqual({});
    account = (await page.evaluate('core.getUserInfo().then(({ user }) => user.abstractAccountAddress)')) as Hex;
    const at = async (name: string): Promise<Hex> => `0x${(await read(pool, name)).slice(-40)}`;
    [dollars, euros] = [await at('dollars'), await at('euros')];
    expect(await balance(dollars)).toBe(108n * DOLLAR);
    expect(browsing.faults).toEqual([]);
  });

  it('a swap starts with the token that is held, and leaves no allowance', async () => {
    await start('showSwapUI', { initialFromToken: 'TEUR', fallbackFromToken: dollars });
    await (await wallet()).getByText('You have 108 TUSD.').waitFor();
    await type('10.8');
    await quoted(/^10.8 TUSD for 9.96\d+ TEUR\. You get at least 9.92\d+ TEUR\. That is \$10.80\.$/);
    expect(await accessFaults(page, world.url)).toEqual([]);
    await agree('Swap');
    const { value } = (await result()) as { value: { txHash: string } };
    expect(await rpc('eth_getTransactionReceipt', value.txHash)).toMatchObject({ status: '0x1' });
    expect(await balance(dollars)).toBe(97_200_000n);
    expect(await balance(euros)).toBeGreaterThan((992n * EURO) / 100n);
    expect(BigInt(await read(dollars, 'allowance', account, pool))).toBe(0n);
  });

  it('amounts are of the session’s locale and currency', async () => {
    await page.evaluate("core.updateSessionConfig({ locale: 'de-DE', currency: 'EUR' })");
    await start('showOnRampUI', { displayCurrencyCode: 'USD' });
    await (await wallet()).locator('#amount').fill('1234,5');
    await (await wallet())
      .locator('output')
      .getByText(/1\.234,50\s\$.*1\.234,5 TUSD/)
      .waitFor();
    await close();
    expect(await result()).toEqual({});
    await page.evaluate("core.updateSessionConfig({ locale: 'en', currency: 'USD' })");
  });

  it('a quote is renewed while nothing is typed, and what was typed stays', async () => {
    await start('showSwapUI', { initialFromToken: 'TUSD' });
    await type('10.8');
    await quoted(/9.96\d+ TEUR/);
    await move(dollars, 108_000n * DOLLAR);
    await quoted(/^10.8 TUSD for 8.\d+ TEUR/);
    expect(await (await wallet()).getByLabel('You pay').inputValue()).toBe('10.8');
    await close();
    expect(await result()).toMatchObject({ name: 'USER_CANCELLED' });
  });

  it('a click while the quote is renewed counts for the new one, however long that takes', async () => {
    await start('showSwapUI', { initialFromToken: 'TUSD' });
    await type('10.8');
    await quoted(/TEUR/);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hold = async (_route: Route): Promise<void> => {};
    const held = new Promise<void>((resolve) => {
      hold = async (route) => {
        resolve();
        await released;
        await route.continue();
      };
    });
    await browsing.context.route('**/v1/chain/rpc', hold);
    await held;
    await (await wallet()).getByRole('button', { name: 'Swap' }).click();
    release();
    await (await wallet()).getByText('Test partner asks for this.').waitFor();
    await browsing.context.unroute('**/v1/chain/rpc', hold);
    await close();
    expect(await result()).toMatchObject({ name: 'USER_CANCELLED' });
  });

  it('an amount that is sent as soon as it is typed is quoted, and asked for', async () => {
    await start('showSwapUI', { initialFromToken: 'TUSD' });
    await approvable(page);
    await type('10.8');
    await pressIn(await wallet(), 'Enter');
    await (await wallet()).getByText('Test partner asks for this.').waitFor();
    await close();
    expect(await result()).toMatchObject({ name: 'USER_CANCELLED' });
  });

  it('a quote that cannot be renewed is one sentence, and what was typed is quoted again later', async () => {
    await start('showSwapUI', { initialFromToken: 'TUSD' });
    await type('10.8');
    await quoted(/TEUR/);
    await browsing.context.setOffline(true);
    await alerted('The network cannot be reached. Check the connection and try again.');
    await browsing.context.setOffline(false);
    await (await wallet()).getByRole('button', { name: 'Swap' }).click();
    // If it was quoted again before the click, the consent shows that quote.
    await (await wallet())
      .getByText(/^10.8 TUSD/)
      .first()
      .waitFor();
    await close();
    expect(await result()).toMatchObject({ name: 'USER_CANCELLED' });
  });

  it('a screen that cannot be loaded ends the operation, and is loaded the next time', async () => {
    const other = await browsing.open(world.origins.partner);
    await other.evaluate('core.init()');
    const code = '**/wallet/wallet-trade-*.js';
    await browsing.context.route(code, (route) => route.abort());
    const buying = "tried(core.showOnRampUI({ displayCurrencyCode: 'EUR' }))";
    await other.evaluate(`void (window.money = ${buying})`);
    await approvalOf(other);
    expect(await other.evaluate('money')).toMatchObject({ name: 'OFFLINE' });
    await browsing.context.unroute(code);
    await other.evaluate(`void (window.money = ${buying})`);
    await (await approvalOf(other)).getByLabel('You pay').waitFor();
    await other.close();
  });

  it('a price that has moved too far swaps nothing, and says so', async () => {
    const before = await balance(dollars);
    await start('showSwapUI', { initialFromToken: 'TUSD' });
    await type('10');
    await quoted(/TEUR/);
    await agree('Swap', () => move(dollars, 50_000n * DOLLAR));
    await alerted('The price has moved by more than 0.5 %. Nothing was swapped.');
    expect(await balance(dollars)).toBe(before);
    await type('1000000');
    await alerted('You have less than that.');
    await (await wallet()).getByLabel('To').selectOption('TUSD');
    await type('1');
    await alerted('Choose two different tokens.');
    await close();
    await result();
  });

  it('a budget for gas that is used up is one sentence', async () => {
    const path = `/v1/admin/partners/${world.partner.partnerId}`;
    const { name, jwks, scopes, allowedOrigins } = (await world.gateway.admin('GET', path)).body;
    const body = { name, jwks, scopes, allowedOrigins };
    await world.gateway.admin('PUT', path, { body: { ...body, gasPolicy: { gasPerHolderPerDay: 10_000 } } });
    await start('showSwapUI', { initialFromToken: 'TUSD' });
    await type('10');
    await quoted(/TEUR/);
    await agree('Swap');
    await alerted('Nobody pays the fee for this at the moment. Try again later.');
    await close();
    await result();
    await world.gateway.admin('PUT', path, { body });
  });

  it('an empty pool is one sentence', async () => {
    await write(pool, euros, 'transfer', WHALE, await balance(euros, pool));
    await start('showSwapUI', { initialFromToken: 'TUSD' });
    await type('10');
    await alerted('Nothing can be had for this amount right now.');
    await close();
    await result();
  });

  it.each([
    ['showSwapUI', { initialFromToken: 'GOLD' }, 'initialFromToken'],
    ['showSwapUI', { initialToToken: WHALE }, 'initialToToken'],
    ['showSwapUI', { colour: 'red' }, 'colour'],
    ['showOnRampUI', {}, 'displayCurrencyCode'],
    ['showOnRampUI', { displayCurrencyCode: 'XYZ' }, 'displayCurrencyCode'],
    ['showOnRampUI', { displayCurrencyCode: 'USD', targetCurrencyCode: 'GOLD' }, 'targetCurrencyCode'],
  ])('%s with %o names the wrong field', async (operation, options, field) => {
    await start(operation, options);
    expect(await result()).toMatchObject({ name: 'INVALID_PARAMETER', message: expect.stringContaining(field) });
    expect(await page.locator('dialog[open]').count()).toBe(0);
  });

  it('on another chain there are none', async () => {
    const chain = await startChain();
    const other = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
    try {
      const there = await openLoggedIn(other, await other.browse(), 'there@example.org');
      const outcomes = await there.evaluate(
        "Promise.all([tried(core.showSwapUI()), tried(core.showOnRampUI({ displayCurrencyCode: 'USD' }))])",
      );
      expect(outcomes).toMatchObject([{ name: 'NOT_SUPPORTED' }, { name: 'NOT_SUPPORTED' }]);
    } finally {
      await other.close();
      await chain.close();
    }
  });
});
