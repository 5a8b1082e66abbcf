// JSON-RPC 2.0: notifications are run and get no response, and an error has the id of its request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANVIL } from '../support/anvil.js';
import { type AccountsWorld, startAccountsWorld } from './support.js';

describe.skipIf(ANVIL === undefined)('JSON-RPC', () => {
  let world: AccountsWorld;
  let headers: Record<string, string>;
  beforeAll(async () => {
    world = await startAccountsWorld();
    headers = { authorization: `Bearer ${(await world.holder()).token}` };
  });
  afterAll(() => world?.close());

  const post = (body: unknown) => world.gateway.rest('POST', '/v1/chain/rpc', { body, headers });
  const notification = { jsonrpc: '2.0', method: 'eth_chainId' };
  const request = (id: unknown) => ({ ...notification, id });
  const answer = (id: unknown) => ({ jsonrpc: '2.0', id, result: '0x7a69' });

  it.each([
    ['a notification', notification],
    ['one with parameters that do not fit', { ...notification, params: [1] }],
    ['one of a method that is not there', { ...notification, method: 'nothing' }],
    ['a batch of notifications', [notification, notification]],
  ])('a notification has no response: %s', async (_what, body) => {
    const { status, body: text } = await post(body);
    expect([status, text ?? '']).toEqual([204, '']);
  });

  it('the other requests of a batch with notifications get their responses, in order', async () => {
    const { status, body } = await post([
      request(1),
      notification,
      request('b'),
      { ...notification, method: 'no' },
      request(null),
    ]);
    expect(status).toBe(200);
    expect(body).toEqual([answer(1), answer('b'), answer(null)]);
  });

  it('a notification is executed', async () => {
    const { viem } = await import('../../src/evm/viem.js');
    const tools = await viem();
    const account = tools.privateKeyToAccount(`0x${'43'.repeat(32)}`);
    await world.chain.rpc('anvil_setBalance', account.address, '0xde0b6b3a7640000');
    const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, gas: 21_000n, value: 1n };
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      to: account.address,
      ...fees,
    });
    expect((await post({ jsonrpc: '2.0', method: 'eth_sendRawTransaction', params: [raw] })).status).toBe(204);
    const count = async () => (await world.chain.rpc('eth_getTransactionCount', account.address, 'pending')) as string;
    await expect.poll(count).toBe('0x1');
  });

  it.each([
    ['a text for parameters', { ...request(7), params: 'x' }, 7],
    ['no method', { jsonrpc: '2.0', id: 'seven' }, 'seven'],
    ['another version', { ...request('v1'), jsonrpc: '1.0' }, 'v1'],
    ['more than 64 KiB', { ...request(8), params: ['x'.repeat(66_000)] }, 8],
    ['an id that is none', { ...request({ a: 1 }) }, null],
    ['no id and no method', { jsonrpc: '2.0' }, null],
    ['a number', 5, null],
  ])('the error has the id of a request with %s', async (_what, body, id) => {
    const { status, body: failure } = await post(body);
    expect(status).toBe(200);
    expect(failure).toMatchObject({ jsonrpc: '2.0', id, error: { code: expect.any(Number) } });
  });
});
