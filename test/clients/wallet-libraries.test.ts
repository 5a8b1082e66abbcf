// Libraries that applications use with wallets, as they come, with the provider of the client library in a page.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { createPublicClient, type Hex, http } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import {
  approvable,
  approve,
  type Browsing,
  enterCode,
  keepRecoveryCode,
  type SdkWorld,
  startSdkWorld,
} from '../sdk/world.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('The provider', () => {
  let world: SdkWorld;
  let chain: TestChain;
  let libraries: string;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
    const bundler = '../../tools/bundle-client.mjs';
    const { bundleForWeb } = (await import(bundler)) as {
      bundleForWeb(input: object, options: object): Promise<Map<string, string>>;
    };
    const options = { codeSplitting: false, entryFileNames: '[name].js' };
    libraries =
      (await bundleForWeb({ libraries: 'test/clients/page/libraries.mjs' }, options)).get('libraries.js') ?? '';
    expect(readFileSync('test/clients/package.json', 'utf8')).toContain('"@wagmi/core": "3.6.5"');
  });
  afterAll(async () => {
    await world?.close();
    await chain?.close();
  });

  const open = async (browsing: Browsing): Promise<Page> => {
    const page = await browsing.open(world.origins.partner);
    await page.addScriptTag({ content: libraries, type: 'module' });
    await page.waitForFunction('window.wagmi !== undefined');
    await page.evaluate('core.init()');
    return page;
  };
  /** Runs a script of the page; what it returns is `await done(page)`. */
  const run = (page: Page, script: string): Promise<void> =>
    page.evaluate(`void (window.done = (async () => ${script})()
      .then((value) => ({ value }), (error) => ({ name: error.name, code: error.code ?? error.cause?.code, text: error.message })))`);
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  const done = async (page: Page): Promise<any> => {
    const { value, ...fault } = (await page.evaluate('done')) as { value: unknown };
    expect(fault).toEqual({});
    return value;
  };
  const clicked = async (page: Page, script: string) => {
    await run(page, script);
    await approve(page);
    return done(page);
  };
  const logInAndMakeKeys = async (page: Page, email: string): Promise<void> => {
    await enterCode(world, page, email);
    await keepRecoveryCode(page);
  };
  const reader = () => createPublicClient({ transport: http(chain.url) });

  it('works with viem: accounts, messages, typed data, transactions, batches, reads', async () => {
    const page = await open(await world.browse());
    await page.evaluate('window.client = viem(core.provider)');
    await run(page, 'client.wallet.requestAddresses()');
    await logInAndMakeKeys(page, 'viem@example.org');
    const [address] = (await done(page)) as Hex[];
    const signature = await clicked(page, `client.wallet.signMessage({ account: '${address}', message: 'hello' })`);
    expect(await reader().verifyMessage({ address: address ?? '0x', message: 'hello', signature })).toBe(true);
    const to = '0x00000000000000000000000000000000000000aa';
    await chain.rpc('anvil_setBalance', address, '0x64');
    const hash = await clicked(
      page,
      `client.wallet.sendTransaction({ account: '${address}', to: '${to}', value: 40n })`,
    );
    await run(
      page,
      `client.reader.waitForTransactionReceipt({ hash: '${hash}', timeout: 240_000 }).then(({ status }) => status)`,
    );
    expect(await done(page)).toBe('success');
    const { id } = await clicked(
      page,
      `client.wallet.sendCalls({ account: '${address}', calls: [{ to: '${to}', value: 1n }, { to: '${to}', value: 2n }] })`,
    );
    await run(page, `client.wallet.waitForCallsStatus({ id: '${id}', timeout: 240_000 }).then(({ status }) => status)`);
    expect(await done(page)).toBe('success');
    await run(page, `client.reader.getBalance({ address: '${to}' }).then(String)`);
    expect(await done(page)).toBe('43');
    await page.context().close();
  });

  it('works with ethers: a signer, messages, transactions, a call that is declined', async () => {
    const page = await open(await world.browse());
    await page.evaluate('window.browser = ethers(core.provider)');
    await run(page, 'browser.getSigner().then((signer) => signer.getAddress())');
    await logInAndMakeKeys(page, 'ethers@example.org');
    const address = (await done(page)) as Hex;
    const signature = await clicked(page, `browser.getSigner().then((signer) => signer.signMessage('hello'))`);
    expect(await reader().verifyMessage({ address, message: 'hello', signature })).toBe(true);
    const status = await clicked(
      page,
      `browser.getSigner().then((signer) => signer.sendTransaction({ to: '0x00000000000000000000000000000000000000bb' }))
        .then((sent) => sent.wait()).then((receipt) => receipt.status)`,
    );
    expect(status).toBe(1);
    await run(page, `browser.getSigner().then((signer) => signer.signMessage('no'))`);
    await approvable(page);
    await page.keyboard.press('Escape');
    expect(await page.evaluate('done')).toMatchObject({ code: 'ACTION_REJECTED' });
    await page.context().close();
  });

  it('is found by wagmi: connect, sign, reload, reconnect, switch, disconnect', async () => {
    const page = await open(await world.browse());
    await page.evaluate('window.config = wagmi()');
    expect(await page.evaluate('config.connectors()')).toContainEqual(['localhost', 'Core']);
    await run(page, 'config.connect().then(({ accounts }) => accounts)');
    await logInAndMakeKeys(page, 'wagmi@example.org');
    const [address] = (await done(page)) as Hex[];
    expect(await page.evaluate('config.account()')).toEqual({ address, status: 'connected', chainId: 31_337 });
    const signature = await clicked(page, `config.sign('hello')`);
    expect(await reader().verifyMessage({ address: address ?? '0x', message: 'hello', signature })).toBe(true);

    await page.reload();
    await page.waitForFunction('window.core !== undefined');
    await page.addScriptTag({ content: libraries, type: 'module' });
    await page.waitForFunction('window.wagmi !== undefined');
    await page.evaluate('core.init()');
    await page.evaluate('window.config = wagmi()');
    await run(page, 'config.reconnect().then(() => config.account())');
    expect(await done(page)).toMatchObject({ address, status: 'connected' });
    await run(page, 'config.switchTo(31337).then(({ id }) => id)');
    expect(await done(page)).toBe(31_337);
    await run(page, 'config.disconnect().then(() => config.account())');
    expect(await done(page)).toMatchObject({ status: 'disconnected' });
    await page.context().close();
  });
});
