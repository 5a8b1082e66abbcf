// User operations and the fees that clients estimate by themselves: the partner pays, so they are ignored in an estimate, and in an operation it is
// said what to set (contract §22).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { type Operation, signedOperation } from './operation.js';
import { type AccountsWorld, randomAddress, startAccountsWorld } from './support.js';

describe.skipIf(ANVIL === undefined)('A user operation', () => {
  let world: AccountsWorld;
  let holder: Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;
  const target = randomAddress();
  beforeAll(async () => {
    world = await startAccountsWorld();
    await world.chain.rpc('anvil_setCode', target, '0x00');
    holder = await world.holderWithWallet();
    await holder.rest('POST', '/v1/holders/me/account/deploy');
    await until(async () => (await holder.rest('GET', '/v1/holders/me/account')).body.deployed);
  });
  afterAll(() => world?.close());

  /** Asks again what a busy machine does not answer in 5 s. */
  const rpc = async (method: string, operation: Operation) => {
    for (;;) {
      const params = [operation, world.contracts.entryPoint];
      const { body } = await holder.rest('POST', '/v1/chain/rpc', { jsonrpc: '2.0', id: 1, method, params });
      if (body.error?.message !== 'The response took longer than 5 seconds.') return body;
    }
  };
  const operationOf = async (change: Operation) => {
    const callData = await encoded('CoreAccount', 'execute', [target, 0n, '0x']);
    return signedOperation(world, holder.key, { sender: holder.account, callData, ...change });
  };

  it.each([
    ['2 gwei', '0x77359400', '0x3b9aca00'],
    ['1 wei', '0x1', '0x1'],
    ['nothing', '0x0', '0x0'],
    ['more than anyone has', '0xffffffffffffffff', '0xffffffffffffffff'],
  ])(
    "an operation's gas is estimated whatever the client’s own fees are: %s",
    async (_, maxFeePerGas, maxPriorityFeePerGas) => {
      const { signature: _signature, ...draft } = (await operationOf({ maxFeePerGas, maxPriorityFeePerGas })).operation;
      const { result, error } = await rpc('eth_estimateUserOperationGas', draft);
      expect(error).toBeUndefined();
      const { operation, hash } = await operationOf(result);
      expect((await rpc('eth_sendUserOperation', operation)).result).toBe(hash);
    },
  );

  it.each<[string, Operation]>([
    ['maxFeePerGas', { maxFeePerGas: '0x1' }],
    ['maxPriorityFeePerGas', { maxPriorityFeePerGas: '0x1' }],
    ['both', { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' }],
  ])('an operation with fees is refused with the values to set: %s', async (_, fees) => {
    expect((await rpc('eth_sendUserOperation', (await operationOf(fees)).operation)).error).toEqual({
      code: -32602,
      message:
        'The fees must be 0, because the partner pays for the gas: set maxFeePerGas and maxPriorityFeePerGas to 0x0, then sign.',
    });
  });
});
