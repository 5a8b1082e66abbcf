// User operations that will not be mined: nobody waits for them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import type { Hex } from '../../src/evm/rpc.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { signedOperation } from './operation.js';
import { type AccountsWorld, randomAddress, startAccountsWorld } from './support.js';

describe.skipIf(ANVIL === undefined)('A user operation', () => {
  let world: AccountsWorld;
  let holder: Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;
  beforeAll(async () => {
    world = await startAccountsWorld();
    holder = await world.holderWithWallet();
    await holder.rest('POST', '/v1/holders/me/account/deploy');
    await until(async () => (await holder.rest('GET', '/v1/holders/me/account')).body.deployed);
  });
  afterAll(() => world?.close());

  const rpc = async (method: string, ...params: unknown[]) =>
    (await holder.rest('POST', '/v1/chain/rpc', { jsonrpc: '2.0', id: 1, method, params })).body.result;
  const operationOf = async (data: Hex) => {
    const callData = await encoded('CoreAccount', 'execute', [randomAddress(), 0n, data]);
    return signedOperation(world, holder.key, { sender: holder.account, callData });
  };
  const isFound = async (hash: Hex): Promise<boolean> => {
    const found = await rpc('eth_getUserOperationByHash', hash);
    return found !== null && found !== undefined;
  };

  it('a user operation whose nonce another one has taken is not found any more', async () => {
    const both = [await operationOf('0x'), await operationOf('0x01')] as const;
    await world.chain.rpc('evm_setAutomine', false);
    for (const { operation, hash } of both) {
      await until(async () => (await rpc('eth_sendUserOperation', operation, world.contracts.entryPoint)) === hash);
      expect(await isFound(hash)).toBe(true);
    }
    await world.chain.rpc('evm_setAutomine', true);
    await world.chain.rpc('evm_mine');
    const mined = (hash: Hex) => rpc('eth_getUserOperationReceipt', hash);
    const [first, second] = both.map(({ hash }) => hash) as [Hex, Hex];
    await until(async () => Boolean((await mined(first)) ?? (await mined(second))));
    const [executed, dropped] = (await mined(first)) ? [first, second] : [second, first];
    expect((await mined(executed)).success).toBe(true);
    await until(async () => (await rpc('eth_getUserOperationByHash', dropped)) === null);
    expect(await mined(dropped)).toBe(null);
  });
});
