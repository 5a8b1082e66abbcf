// The provider of a page (EIP-1193, EIP-5792, EIP-6963): what its account signs and sends, checked with viem against the chain.

import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createPublicClient, type Hex, http, type PublicClient, stringToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import {
  accessFaults,
  approvable,
  approvalOf,
  approve,
  ask,
  asked,
  type Browsing,
  given,
  keepRecoveryCode,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
  walletOf,
} from './world.js';

const CHAIN = '0x7a69';
const randomAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('The provider', () => {
  let world: SdkWorld;
  let chain: TestChain;
  let client: PublicClient;
  let browsing: Browsing;
  let page: Page;
  let account: Hex;
  /** Two contracts: one accepts every call, the other reverts. */
  const target = randomAddress();
  const refusing = randomAddress();
  beforeAll(async () => {
    chain = await startChain();
    client = createPublicClient({ transport: http(chain.url) });
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
    await chain.rpc('anvil_setCode', target, '0x00');
    await chain.rpc('anvil_setCode', refusing, '0x63deadbeef6000526004601cfd');
    ({ page, account } = await userOf('one@example.org'));
  });
  afterAll(async () => {
    await world?.close();
    await chain?.close();
  });

  async function userOf(email: string): Promise<{ page: Page; account: Hex }> {
    browsing = await world.browse();
    const opened = await openLoggedIn(world, browsing, email);
    await ask(opened, 'eth_requestAccounts');
    await keepRecoveryCode(opened);
    return { page: opened, account: (await given(opened))[0] };
  }
  /** Sends a request, and clicks the button of its screen. */
  const approved = async (on: Page, method: string, params: unknown[]) => {
    await ask(on, method, params);
    await approve(on);
    return asked(on);
  };
  const answered = async (on: Page, method: string, params: unknown[] = []) => {
    await ask(on, method, params);
    return asked(on);
  };
  const TYPED = {
    domain: { name: 'Shop', version: '1', chainId: 31_337, verifyingContract: target },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Order: [
        { name: 'what', type: 'string' },
        { name: 'count', type: 'uint256' },
      ],
    },
    primaryType: 'Order',
    message: { what: '<b>\u202eknives</b>', count: 3 },
  } as const;

  const signsValidly = async (on: Page, address: Hex): Promise<void> => {
    const message = `Grüße, <b>${randomAddress()}</b>`;
    await ask(on, 'personal_sign', [stringToHex(message), address]);
    await (await approvalOf(on)).getByText(message).waitFor();
    await approve(on);
    const signature = await given(on);
    expect(await client.verifyMessage({ address, message, signature })).toBe(true);
    expect(await client.verifyMessage({ address, message: `${message}.`, signature })).toBe(false);
    const raw: Hex = `0x${randomBytes(20).toString('hex')}ff`;
    const bytes = await approved(on, 'personal_sign', [raw, address]);
    expect(await client.verifyMessage({ address, message: { raw }, signature: bytes.value })).toBe(true);
    const typed = await approved(on, 'eth_signTypedData_v4', [address, JSON.stringify(TYPED)]);
    expect(
      await client.verifyTypedData({
        address,
        ...TYPED,
        message: { what: TYPED.message.what, count: 3n },
        signature: typed.value,
      }),
    ).toBe(true);
  };

  it('the provider signs messages and typed data for an account before it is deployed, and after', async () => {
    expect(await client.getCode({ address: account })).toBeUndefined();
    await signsValidly(page, account);
    expect(await page.evaluate('core.deploySmartAccount()')).toEqual({
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    await expect.poll(() => page.evaluate('core.isSmartAccountDeployed()')).toBe(true);
    await signsValidly(page, account);
    expect(await page.evaluate('tried(core.deploySmartAccount())')).toMatchObject({ name: 'CLIENT_ERROR' });
  });

  it('the provider deploys the account with its first transfer', async () => {
    const { page: fresh, account: address } = await userOf('transfer@example.org');
    const to = randomAddress();
    await chain.rpc('anvil_setBalance', address, '0x64');
    const { value: hash } = await approved(fresh, 'eth_sendTransaction', [{ from: address, to, value: '0x28' }]);
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success');
    expect([await client.getBalance({ address: to }), await client.getBalance({ address })]).toEqual([40n, 60n]);
    expect(await fresh.evaluate('core.isSmartAccountDeployed()')).toBe(true);
    await fresh.context().close();
  });

  it('the provider sends concurrent transactions one after the other', async () => {
    const transaction = { from: account, to: target, data: '0x1234' };
    const sending = JSON.stringify({ method: 'eth_sendTransaction', params: [transaction] });
    await page.evaluate(`void (window.both = Promise.all(
      [1, 2].map(() => core.provider.request(${sending}))).catch(({ message }) => message))`);
    for (const _each of ['first', 'second']) {
      const approval = await approvalOf(page);
      await approve(page);
      await expect.poll(() => approval.isClosed()).toBe(true);
    }
    const hashes = (await page.evaluate('both')) as Hex[];
    expect(new Set(hashes).size).toBe(2);
    for (const hash of hashes) expect((await client.getTransactionReceipt({ hash })).status).toBe('success');
  });

  it('the provider returns the reason of a revert, and the transaction that failed', async () => {
    const transaction = { to: refusing, data: '0x12345678' };
    expect(await approved(page, 'eth_sendTransaction', [{ from: account, ...transaction }])).toMatchObject({
      code: 3,
      data: '0xdeadbeef',
    });
    const { page: fresh, account: address } = await userOf('reverts@example.org');
    // A call of an account that is not deployed yet cannot be simulated.
    const failed = await approved(fresh, 'eth_sendTransaction', [{ from: address, ...transaction }]);
    expect(failed).toMatchObject({ code: 3 });
    if (failed.data.transactionHash)
      expect((await client.getTransaction({ hash: failed.data.transactionHash })).blockNumber).toBeTypeOf('bigint');
    await fresh.context().close();
  });

  it('the provider sends batches, all or none, and returns their status by id', async () => {
    const calls = [
      { to: target, data: '0x01' },
      { to: target, data: '0x02', value: '0x0' },
    ];
    const request = { version: '2.0.0', chainId: CHAIN, from: account, atomicRequired: true, calls };
    const { value } = await approved(page, 'wallet_sendCalls', [request]);
    await expect.poll(async () => (await answered(page, 'wallet_getCallsStatus', [value.id])).value.status).toBe(200);
    const { value: status } = await answered(page, 'wallet_getCallsStatus', [value.id]);
    expect(status).toMatchObject({ version: '2.0.0', id: value.id, chainId: CHAIN, atomic: true });
    expect(status.receipts[0]).toMatchObject({ status: '0x1', transactionHash: expect.stringMatching(/^0x/) });
    const named = await approved(page, 'wallet_sendCalls', [{ ...request, id: 'order-1' }]);
    expect(named).toEqual({ value: { id: 'order-1' } });
    expect((await answered(page, 'wallet_getCallsStatus', ['order-1'])).value.id).toBe('order-1');
    expect(await answered(page, 'wallet_getCapabilities', [account])).toEqual({
      value: { [CHAIN]: { atomic: { status: 'supported' } } },
    });
    const refusals: [object, number][] = [
      [{ id: 'order-1' }, 5_720],
      [{ chainId: '0x1' }, 5_710],
      [{ calls: Array.from({ length: 51 }, () => calls[0]) }, 5_740],
      [{ capabilities: { paymasterService: { url: 'https://a.example' } } }, 5_700],
      [{ calls: [] }, -32_602],
      [{ version: '1.0' }, -32_602],
      [{ from: randomAddress() }, 4_100],
    ];
    for (const [change, code] of refusals)
      expect(await answered(page, 'wallet_sendCalls', [{ ...request, ...change }])).toMatchObject({ code });
    expect(await answered(page, 'wallet_getCallsStatus', [`0x${'ab'.repeat(32)}`])).toMatchObject({ code: 5_730 });
  });

  it.each([
    ['personal_sign of another account', 'personal_sign', ['0x61', randomAddress()], 4_100],
    [
      'typed data of another chain',
      'eth_signTypedData_v4',
      ['own', { ...TYPED, domain: { ...TYPED.domain, chainId: 1 } }],
      -32_602,
    ],
    ['typed data that are none', 'eth_signTypedData_v4', ['own', '{}'], -32_602],
    ['a transaction of another account', 'eth_sendTransaction', [{ from: randomAddress(), to: target }], 4_100],
    ['a contract to be made', 'eth_sendTransaction', [{ from: 'own', data: '0x00' }], -32_602],
    ['another chain', 'wallet_switchEthereumChain', [{ chainId: '0x1' }], 4_902],
    ['another chain to be added', 'wallet_addEthereumChain', [{ chainId: '0x1' }], 4_902],
    ['a raw transaction', 'eth_sendRawTransaction', ['0x00'], 4_200],
    ['the key', 'eth_sign', ['own', '0x00'], 4_200],
    ['a method that is none', 'constructor', [], 4_200],
    [
      'a message by which one logs in to the gateway',
      'personal_sign',
      ['HOST wants you to sign in with your Ethereum account:\n', 'own'],
      4_200,
    ],
    [
      'a message that registers an account',
      'personal_sign',
      [stringToHex('Register this account with the credential network:\n'), 'own'],
      4_200,
    ],
  ])('the provider refuses %s', async (_name, method, params, code) => {
    const { host } = new URL(world.url);
    const own = JSON.parse(JSON.stringify(params).replaceAll('"own"', `"${account}"`).replace('HOST', host));
    expect(await answered(page, method, own)).toMatchObject({ code });
  });

  it('the provider reads the chain, and no other', async () => {
    expect(await answered(page, 'eth_chainId')).toEqual({ value: CHAIN });
    expect(await answered(page, 'net_version')).toEqual({ value: '31337' });
    expect(await answered(page, 'wallet_switchEthereumChain', [{ chainId: CHAIN }])).toEqual({ value: null });
    expect((await answered(page, 'eth_getBalance', [account, 'latest'])).value).toBe('0x0');
    expect((await answered(page, 'eth_blockNumber')).value).toMatch(/^0x/);
  });

  it('the provider signs nothing if the user declines, or the page clicks', async () => {
    await ask(page, 'personal_sign', [stringToHex('no'), account]);
    await approvable(page);
    expect(await accessFaults(page, world.url)).toEqual([]);
    await (await approvalOf(page)).getByRole('button', { name: 'Cancel' }).click();
    expect(await asked(page)).toMatchObject({ code: 4_001 });
  });

  it('the provider reports accounts that are revoked and requested again, and the network', async () => {
    await page.evaluate(`window.provided = [];
      for (const event of ['accountsChanged', 'connect', 'disconnect'])
        core.provider.on(event, (value) => provided.push([event, value?.code ?? value]))`);
    expect(await answered(page, 'wallet_revokePermissions', [{ eth_accounts: {} }])).toEqual({ value: null });
    expect(await answered(page, 'eth_accounts')).toEqual({ value: [] });
    expect(await page.evaluate('core.isLoggedIn')).toBe(true);
    expect(await answered(page, 'eth_requestAccounts')).toEqual({ value: [account] });
    const permission = {
      parentCapability: 'eth_accounts',
      caveats: [{ type: 'restrictReturnedAccounts', value: [account] }],
    };
    expect(await answered(page, 'wallet_getPermissions')).toEqual({ value: [permission] });
    await page.context().setOffline(true);
    expect(await answered(page, 'eth_blockNumber')).toMatchObject({ code: 4_900 });
    await page.context().setOffline(false);
    await page.waitForFunction('provided.length === 4');
    expect(await page.evaluate('provided')).toEqual([
      ['accountsChanged', []],
      ['accountsChanged', [account]],
      ['disconnect', 1_013],
      ['connect', { chainId: CHAIN }],
    ]);
  });

  it('the provider is announced to libraries after init, frozen, and never becomes window.ethereum', async () => {
    const found = await page.evaluate(`new Promise((resolve) => {
      addEventListener('eip6963:announceProvider', ({ detail }) => resolve([
        Object.isFrozen(detail), Object.isFrozen(detail.info), detail.provider === core.provider, detail.info.rdns,
        /^[0-9a-f-]{36}$/.test(detail.info.uuid), detail.info.icon.startsWith('data:image/'), 'ethereum' in window]), { once: true });
      dispatchEvent(new Event('eip6963:requestProvider'));
    })`);
    expect(found).toEqual([true, true, true, 'localhost', true, true, false]);
  });

  it('the provider claims a core id under a name, and says which names are invalid', async () => {
    await page.evaluate('void (window.claimed = core.claimCoreId())');
    const field = walletOf(page).getByLabel('Name', { exact: true });
    await field.fill('a');
    await walletOf(page).getByRole('button', { name: 'Claim' }).click();
    await walletOf(page).getByRole('alert').getByText('name').waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    await field.fill('ada-one');
    await walletOf(page).getByRole('button', { name: 'Claim' }).click();
    expect(await page.evaluate('claimed')).toMatchObject({ coreId: { name: 'ada-one.core' } });
    expect(await page.evaluate('heard')).toContain('core_id_minting_started');
  });

  it('the provider has no accounts for a user who is logged out', async () => {
    await page.evaluate(`window.order = []; core.on(({ event }) => order.push(event));
      core.provider.on('accountsChanged', (value) => order.push(value))`);
    await page.evaluate('core.logout()');
    expect(await page.evaluate('order')).toEqual([[], 'logged_out']);
    expect(await answered(page, 'eth_accounts')).toEqual({ value: [] });
    expect(await answered(page, 'personal_sign', ['0x61', account])).toMatchObject({ code: 4_100 });
    expect(await answered(page, 'eth_blockNumber')).toMatchObject({ code: 4_100 });
  });
});
