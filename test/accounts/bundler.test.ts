// With BUNDLER_URL user operations go to a bundler, with whatever fees it wants; the relayer sends none (contract §22).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import { jobsOf } from '../chain/support.js';
import { ANVIL } from '../support/anvil.js';
import { type Operation, signedOperation } from './operation.js';
import { type AccountsWorld, startAccountsWorld } from './support.js';

const HASH = `0x${'ab'.repeat(32)}`;

describe.skipIf(ANVIL === undefined)('A bundler', () => {
  let world: AccountsWorld;
  let server: Server;
  let holder: Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;
  let asked: { method: string; params: unknown[] }[];
  let answer: (method: string) => object;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const body = (await json(request)) as { method: string; params: unknown[] };
      asked.push({ method: body.method, params: body.params });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer(body.method) }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    world = await startAccountsWorld({ env: { BUNDLER_URL: `http://127.0.0.1:${port}` } });
    holder = await world.holderWithWallet();
  });
  afterAll(async () => {
    server?.close();
    await world?.close();
  });
  beforeEach(() => {
    asked = [];
    answer = () => ({ result: HASH });
  });

  /** Asks again what a busy machine does not answer in 5 s. */
  const rpc = async (method: string, params: unknown[], one = holder) => {
    for (;;) {
      const { body } = await one.rest('POST', '/v1/chain/rpc', { jsonrpc: '2.0', id: 1, method, params });
      if (body.error?.message !== 'The response took longer than 5 seconds.') return body;
    }
  };
  const withFees = async (): Promise<Operation> => {
    const callData = await encoded('CoreAccount', 'execute', [holder.key.address, 0n, '0x']);
    const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' };
    return (await signedOperation(world, holder.key, { sender: holder.account, callData, ...fees })).operation;
  };

  it("a bundler gets operations of the holder's own account, and its response is returned", async () => {
    const params = [await withFees(), world.contracts.entryPoint];
    expect((await rpc('eth_sendUserOperation', params)).result).toBe(HASH);
    expect((await rpc('eth_estimateUserOperationGas', params)).result).toBe(HASH);
    expect((await rpc('eth_getUserOperationReceipt', [HASH])).result).toBe(HASH);
    expect((await rpc('eth_getUserOperationByHash', [HASH])).result).toBe(HASH);
    expect(asked.map(({ method }) => method)).toEqual([
      'eth_sendUserOperation',
      'eth_estimateUserOperationGas',
      'eth_getUserOperationReceipt',
      'eth_getUserOperationByHash',
    ]);
    expect(asked[0]?.params).toEqual(params);
    expect((await jobsOf(world)).filter(({ kind }) => kind === 'operation')).toEqual([]);
  });

  it('a bundler is not called for other accounts, other EntryPoints or malformed operations', async () => {
    const operation = await withFees();
    const other = await world.holderWithWallet();
    const { entryPoint } = world.contracts;
    expect((await rpc('eth_sendUserOperation', [operation, entryPoint], other)).error.code).toBe(4100);
    expect((await rpc('eth_sendUserOperation', [operation, holder.account])).error.code).toBe(-32602);
    expect((await rpc('eth_sendUserOperation', [{ ...operation, paymaster: entryPoint }, entryPoint])).error.code).toBe(
      -32602,
    );
    expect((await rpc('eth_getUserOperationReceipt', ['0x12'])).error.code).toBe(-32602);
    expect(asked).toEqual([]);
  });

  it('if a bundler refuses or its response never ends, the error has our own message', async () => {
    const params = [await withFees(), world.contracts.entryPoint];
    answer = () => ({ error: { code: -32502, message: 'https://user:secret@bundler.example failed' } });
    expect((await rpc('eth_sendUserOperation', params)).error).toEqual({
      code: -32502,
      message: 'The node refuses this call.',
    });
    answer = () => ({ result: 'x'.repeat(2_000_000) });
    expect((await rpc('eth_sendUserOperation', params)).error.code).toBe(-32005);
  });
});
