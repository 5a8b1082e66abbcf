// Operations that make their account (contract §22): they count as deployments too, so that no policy is passed by way of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { signedOperation } from './operation.js';
import { type AccountsWorld, type Key, makeKey, register, startAccountsWorld } from './support.js';

type HolderWithWallet = Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;

describe.skipIf(ANVIL === undefined)('An operation that makes its account', () => {
  let world: AccountsWorld;
  let holder: HolderWithWallet;
  beforeAll(async () => {
    world = await startAccountsWorld();
    holder = await world.holderWithWallet();
  });
  afterAll(() => world?.close());

  const setPolicy = async (gasPolicy: object): Promise<void> => {
    const path = `/v1/admin/partners/${world.partnerId}`;
    const { name, jwks, scopes, issuerDids, issueOnBehalf } = (await world.gateway.admin('GET', path)).body;
    const body = { name, jwks, scopes, issuerDids, issueOnBehalf, gasPolicy };
    expect((await world.gateway.admin('PUT', path, { body })).status).toBe(200);
  };
  /** Asks again what a busy machine does not answer in 5 s. */
  const rpc = async (method: string, ...params: unknown[]) => {
    for (;;) {
      const { body } = await holder.rest('POST', '/v1/chain/rpc', { jsonrpc: '2.0', id: 1, method, params });
      if (body.error?.message !== 'The response took longer than 5 seconds.') return body;
    }
  };
  /** Sends an operation, and returns the refusal; null once it is mined. */
  const operate = async (account: string, key: Key, factory: Record<string, string>): Promise<string | null> => {
    const callData = await encoded('CoreAccount', 'execute', [world.contracts.entryPoint, 0n, '0x']);
    const change = { sender: account, callData, verificationGasLimit: '0x30d40', ...factory };
    const { operation, hash } = await signedOperation(world, key, change);
    const { result, error } = await rpc('eth_sendUserOperation', operation, world.contracts.entryPoint);
    if (error !== undefined) return error.message;
    expect(result).toBe(hash);
    await until(async () => (await rpc('eth_getUserOperationReceipt', hash)).result !== null);
    return null;
  };
  let last: { account: string; key: Key };
  /** Has the account of a new key made by its first operation. */
  const make = async (): Promise<string | null> => {
    const key = await makeKey();
    const { data } = await register(holder, key.address, (message) => key.sign(message));
    const { abstractAccountAddress: account } = data.initializeWallet.result;
    const factoryData = await encoded('CoreAccountFactory', 'createAccount', [key.address, 0n]);
    const refusal = await operate(account, key, { factory: world.contracts.accountFactory, factoryData });
    last = { account, key };
    return refusal;
  };

  it('an operation that deploys counts as a deployment of its holder and partner, whatever key the holder has by then', async () => {
    const SHARE = "The holder's share of the partner's budget for gas is used up for today.";
    await setPolicy({ deploysPerHolderPerDay: 2 });
    expect([await make(), await make()]).toEqual([null, null]);
    const { account, key } = last;
    // Operations of accounts that exist are no deployments.
    expect(await operate(account, key, {})).toBeNull();
    expect(await make()).toBe(SHARE);
    // They count together with those that are asked for as such.
    const deployment = await holder.rest('POST', '/v1/holders/me/account/deploy');
    expect([deployment.status, deployment.body.message]).toEqual([429, SHARE]);
    await setPolicy({ deploysPerDay: 2, deploysPerHolderPerDay: 10 });
    expect(await make()).toBe('The budget of the partner for gas is used up for today.');
    await setPolicy({ deploysPerDay: 3, deploysPerHolderPerDay: 10 });
    expect(await make()).toBeNull();
  });
});
