// User operations that the relayer sends and the session's partner pays for (contract §22): whose, of what, and what they cost.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import type { Hex } from '../../src/evm/rpc.js';
import { jobsOf } from '../chain/support.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { startGateway } from '../support/gateway.js';
import { type Operation, signedOperation } from './operation.js';
import { type AccountsWorld, CODES, type Key, makeKey, randomAddress, startAccountsWorld } from './support.js';

type HolderWithWallet = Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;

describe.skipIf(ANVIL === undefined)('A user operation', () => {
  let world: AccountsWorld;
  let holder: HolderWithWallet;
  /** Takes whatever it is sent. */
  const target = randomAddress();
  beforeAll(async () => {
    world = await startAccountsWorld();
    await world.chain.rpc('anvil_setCode', target, '0x00');
    holder = await world.holderWithWallet();
    await deployed(holder);
  });
  afterAll(() => world?.close());
  beforeEach(() => setPolicy({}));

  const setPolicy = async (gasPolicy: object): Promise<void> => {
    const path = `/v1/admin/partners/${world.partnerId}`;
    const { name, jwks, scopes, issuerDids, issueOnBehalf } = (await world.gateway.admin('GET', path)).body;
    const body = { name, jwks, scopes, issuerDids, issueOnBehalf, gasPolicy };
    expect((await world.gateway.admin('PUT', path, { body })).status).toBe(200);
  };
  const deployed = async ({ rest }: HolderWithWallet): Promise<void> => {
    await rest('POST', '/v1/holders/me/account/deploy');
    await until(async () => (await rest('GET', '/v1/holders/me/account')).body.deployed);
  };
  /** Asks again what a busy machine does not answer in 5 s. */
  const rpc = async ({ rest }: Pick<HolderWithWallet, 'rest'>, method: string, ...params: unknown[]) => {
    for (;;) {
      const { body } = await rest('POST', '/v1/chain/rpc', { jsonrpc: '2.0', id: 1, method, params });
      if (body.error?.message !== 'The response took longer than 5 seconds.') return body;
    }
  };
  const execute = (to: Hex = target, data: Hex = '0x') => encoded('CoreAccount', 'execute', [to, 0n, data]);
  const operationOf = async ({ account, key }: HolderWithWallet, change: Operation = {}, signer: Key = key) =>
    signedOperation(world, signer, { sender: account, callData: await execute(), ...change });
  const send = (one: HolderWithWallet, operation: Operation, entryPoint: string = world.contracts.entryPoint) =>
    rpc(one, 'eth_sendUserOperation', operation, entryPoint);
  const onceMined = async (one: HolderWithWallet, hash: Hex) => {
    await until(async () => (await rpc(one, 'eth_getUserOperationReceipt', hash)).result !== null);
    return (await rpc(one, 'eth_getUserOperationReceipt', hash)).result;
  };
  const gasOf = async (txHash: string): Promise<number> =>
    Number((await world.chain.rpc('eth_getTransactionReceipt', txHash)).gasUsed);
  const jobs = async () => (await jobsOf(world)).filter(({ kind }) => kind === 'operation');
  const factoryOf = async (key: Key) => ({
    factory: world.contracts.accountFactory,
    factoryData: await encoded('CoreAccountFactory', 'createAccount', [key.address, 0n]),
  });

  it('a user operation is sent and paid by the relayer, for at most 70,000 gas, and found by its hash', async () => {
    const { operation, hash } = await operationOf(holder);
    expect((await send(holder, operation)).result).toBe(hash);
    const receipt = await onceMined(holder, hash);
    expect(receipt).toMatchObject({
      userOpHash: hash,
      sender: holder.account,
      success: true,
      actualGasCost: '0x0',
      entryPoint: world.contracts.entryPoint,
    });
    // The first one of an account writes its nonce where there was none, which costs 17,100 more.
    expect(await gasOf(receipt.receipt.transactionHash)).toBeLessThanOrEqual(70_000 + 17_100);
    const next = await operationOf(holder);
    await send(holder, next.operation);
    const { transactionHash } = (await onceMined(holder, next.hash)).receipt;
    expect(await gasOf(transactionHash)).toBeLessThanOrEqual(70_000);
    expect((await rpc(holder, 'eth_getUserOperationByHash', hash)).result).toMatchObject({
      userOperation: operation,
      transactionHash: receipt.receipt.transactionHash,
      blockNumber: receipt.receipt.blockNumber,
    });
    const stranger = await world.holder();
    expect((await rpc(stranger, 'eth_getUserOperationByHash', hash)).result).toBeNull();
    expect((await rpc(stranger, 'eth_getUserOperationReceipt', hash)).result).toBeNull();
  });

  it('a user operation may deploy its account, for at most 220,000 gas', async () => {
    const fresh = await world.holderWithWallet();
    const limits = { verificationGasLimit: '0x30d40' };
    const { operation, hash } = await operationOf(fresh, { ...(await factoryOf(fresh.key)), ...limits });
    expect((await send(fresh, operation)).result).toBe(hash);
    const receipt = await onceMined(fresh, hash);
    expect(receipt.success).toBe(true);
    expect(await gasOf(receipt.receipt.transactionHash)).toBeLessThanOrEqual(220_000);
    expect((await fresh.rest('GET', '/v1/holders/me/account')).body.deployed).toBe(true);
  });

  it('a user operation with the estimated gas can be sent unchanged', async () => {
    const { operation: draft } = await operationOf(holder);
    const { callGasLimit, verificationGasLimit, preVerificationGas, signature, ...rest } = draft as Operation;
    const estimated = await rpc(holder, 'eth_estimateUserOperationGas', rest, world.contracts.entryPoint);
    const { operation, hash } = await operationOf(holder, estimated.result);
    expect((await send(holder, operation)).result).toBe(hash);
    expect((await onceMined(holder, hash)).success).toBe(true);
    const fresh = await world.holderWithWallet();
    const made = await factoryOf(fresh.key);
    const { signature: _, ...unsigned } = (await operationOf(fresh, made)).operation;
    const first = await rpc(fresh, 'eth_estimateUserOperationGas', unsigned, world.contracts.entryPoint);
    const whole = await operationOf(fresh, { ...made, ...first.result });
    expect((await send(fresh, whole.operation)).result).toBe(whole.hash);
    expect((await onceMined(fresh, whole.hash)).success).toBe(true);
  });

  it('a user operation may send money of its own account only', async () => {
    const { address } = await makeKey();
    await world.chain.rpc('anvil_setBalance', holder.account, '0x64');
    const pay = (value: bigint) => encoded('CoreAccount', 'execute', [address, value, '0x']);
    const { operation, hash } = await operationOf(holder, { callData: await pay(40n) });
    expect((await send(holder, operation)).result).toBe(hash);
    expect((await onceMined(holder, hash)).success).toBe(true);
    expect(await world.chain.rpc('eth_getBalance', address, 'latest')).toBe('0x28');
    const { error } = await send(holder, (await operationOf(holder, { callData: await pay(61n) })).operation);
    expect(error.code).toBe(-32521);
  });

  it('a user operation that is sent twice is executed once', async () => {
    const { operation, hash } = await operationOf(holder);
    const before = (await jobs()).length;
    const answers = await Promise.all([send(holder, operation), send(holder, operation), send(holder, operation)]);
    expect(answers.map(({ result }) => result)).toEqual([hash, hash, hash]);
    await onceMined(holder, hash);
    expect((await send(holder, operation)).result).toBe(hash);
    expect((await jobs()).length).toBe(before + 1);
  });

  it('a user operation that two gateways get at the same time is executed once', async () => {
    const other = await startGateway({ env: world.env });
    onTestFinished(() => other.app.close());
    const { operation, hash } = await operationOf(holder);
    const before = (await jobs()).length;
    const operations = other.app.connection.model('UserOperation');
    const write = operations.updateOne.bind(operations) as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(operations, 'updateOne').mockImplementationOnce((async (...args: unknown[]) => {
      expect((await send(holder, operation)).result).toBe(hash);
      return write(...args);
    }) as never);
    const headers = { authorization: `Bearer ${holder.token}` };
    const rest = (method: string, path: string, body?: unknown) => other.rest(method, path, { headers, body });
    expect((await send({ ...holder, rest }, operation)).result).toBe(hash);
    expect((await jobs()).length).toBe(before + 1);
    expect((await onceMined(holder, hash)).success).toBe(true);
  });

  describe('Refused user operations, which are not sent', () => {
    const refused = async (
      operation: Operation | Record<string, unknown>,
      code: number,
      entryPoint?: string,
      one = holder,
    ) => {
      const before = (await jobs()).length;
      const { error } = await send(one, operation as Operation, entryPoint);
      expect(error).toMatchObject({ code });
      expect((await jobs()).length).toBe(before);
    };

    it("a user operation of another holder's account is refused", async () => {
      const other = await world.holderWithWallet();
      await refused((await operationOf(other)).operation, 4100);
      await refused((await operationOf(holder)).operation, 4100, undefined, other);
      const partner = { 'x-partner-auth': await world.token() };
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendUserOperation', params: [] };
      expect((await world.gateway.rest('POST', '/v1/chain/rpc', { body, headers: partner })).body.error.code).toBe(
        4100,
      );
    });

    it('a user operation with fees, a paymaster, an authorization or another EntryPoint is refused', async () => {
      await refused((await operationOf(holder, { maxFeePerGas: '0x1' })).operation, -32602);
      await refused((await operationOf(holder, { maxPriorityFeePerGas: '0x1' })).operation, -32602);
      const { operation } = await operationOf(holder);
      await refused({ ...operation, paymaster: target }, -32602);
      await refused({ ...operation, paymasterData: '0x' }, -32602);
      await refused({ ...operation, eip7702Auth: {} }, -32602);
      await refused({ ...operation, other: '0x' }, -32602);
      await refused(operation, -32602, randomAddress());
    });

    it('a user operation with gas limits above 2,000,000 in all is refused', async () => {
      for (const name of ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'])
        for (const gas of ['0x1e8481', '0x10000000000000000', `0x${'f'.repeat(64)}`])
          await refused((await operationOf(holder, { [name]: gas })).operation, -32602);
    });

    it('a user operation with another factory, or for an account of another key or salt, is refused', async () => {
      const fresh = await world.holderWithWallet();
      const other = await makeKey();
      const stranger = randomAddress();
      await world.chain.rpc('anvil_setCode', stranger, CODES.yes);
      const { factory, factoryData } = await factoryOf(fresh.key);
      for (const change of [
        { factory: stranger, factoryData },
        { factory, factoryData: (await factoryOf(other)).factoryData },
        { factory, factoryData: await encoded('CoreAccountFactory', 'createAccount', [fresh.key.address, 1n]) },
        { factory, factoryData: '0x' },
      ])
        await refused((await operationOf(fresh, change)).operation, -32500, undefined, fresh);
    });

    it('a user operation with a wrong signature, nonce or call is refused', async () => {
      await refused((await operationOf(holder, {}, await makeKey())).operation, -32507);
      await refused((await operationOf(holder, { nonce: '0x77' })).operation, -32500);
      const { operation } = await operationOf(holder);
      await refused({ ...operation, signature: '0x' }, -32507);
      const endless = randomAddress();
      await world.chain.rpc('anvil_setCode', endless, CODES.endless);
      await refused((await operationOf(holder, { callData: await execute(endless) })).operation, -32521);
      await refused((await operationOf(holder, { callData: '0x12345678' })).operation, -32521);
    });

    it("a user operation that calls what the partner's policy does not name is refused, in a batch too", async () => {
      const transfer = `0xa9059cbb${'00'.repeat(64)}` as Hex;
      await setPolicy({ targets: [{ address: target, selectors: ['0xa9059cbb'] }] });
      const { operation, hash } = await operationOf(holder, { callData: await execute(target, transfer) });
      expect((await send(holder, operation)).result).toBe(hash);
      await onceMined(holder, hash);
      const batch = (calls: [Hex, Hex][]) =>
        encoded('CoreAccount', 'executeBatch', [calls.map(([to, data]) => ({ target: to, value: 0n, data }))]);
      for (const callData of [
        await execute(),
        await execute(target, '0x095ea7b3'),
        await execute(randomAddress(), transfer),
        await batch([
          [target, transfer],
          [holder.account, transfer],
        ]),
        '0x',
        '0x12345678',
        `${await execute(target, transfer)}00`.slice(0, 100),
      ])
        await refused((await operationOf(holder, { callData })).operation, -32500);
      const allowed = await operationOf(holder, { callData: await batch([[target, transfer]]) });
      expect((await send(holder, allowed.operation)).result).toBe(allowed.hash);
      await onceMined(holder, allowed.hash);
      await setPolicy({ targets: [] });
      await refused((await operationOf(holder, { callData: await execute(target, transfer) })).operation, -32500);
    });

    it('a user operation over the budget, or of a session that nobody vouches for, is refused', async () => {
      await setPolicy({ opsPerHolderPerDay: 0 });
      await refused((await operationOf(holder)).operation, -32005);
      await setPolicy({ gasPerDay: 50_000 });
      await refused((await operationOf(holder)).operation, -32005);
      await setPolicy({ anyLogin: false });
      const { account, key } = holder;
      const login = await world.gateway.rest('POST', '/v1/auth/login', {
        body: { address: account, partnerId: world.partnerId },
      });
      const { loginId, message } = login.body;
      const { body } = await world.gateway.rest('POST', '/v1/auth/verify', {
        body: { loginId, signature: await key.sign(message) },
      });
      const headers = { authorization: `Bearer ${body.token}` };
      const alone = {
        rest: (method: string, path: string, sent?: unknown) =>
          world.gateway.rest(method, path, { headers, body: sent }),
      };
      await refused((await operationOf(holder)).operation, 4100, undefined, { ...holder, ...alone });
    });
  });

  it('a user operation counts for its holder, and unused gas is returned', async () => {
    const own = await world.holderWithWallet();
    await deployed(own);
    await setPolicy({ opsPerHolderPerDay: 2 });
    for (let at = 0; at < 2; at += 1) {
      const { operation, hash } = await operationOf(own);
      expect((await send(own, operation)).result).toBe(hash);
      await onceMined(own, hash);
    }
    const { operation } = await operationOf(own);
    expect((await send(own, operation)).error.code).toBe(-32005);
    const takings = world.gateway.app.connection.collection('gasTakings');
    await until(async () => (await takings.countDocuments()) === 0);
    const day = new Date().toISOString().slice(0, 10);
    const spending = world.gateway.app.connection.collection('gasSpending');
    const used = (await jobsOf(world)).reduce(
      (sum, { kind, gasUsed = 0 }) => sum + (kind === 'anchor' ? 0 : gasUsed),
      0,
    );
    expect((await spending.findOne({ _id: `${day} ${world.partnerId}` as never }))?.gas).toBe(used);
  });
});
