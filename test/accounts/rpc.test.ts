// JSON-RPC for wallets (contract §22): the table of methods is the only way in, parameters are checked, and everything is bounded.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANVIL } from '../support/anvil.js';
import { eventually } from '../support/eventually.js';
import { startGateway } from '../support/gateway.js';
import { logIn, registerPartner } from '../support/partner.js';
import { REFUSED, SENTENCES, ZERO } from './rpc-parameters.js';
import { type AccountsWorld, CODES, randomAddress, startAccountsWorld } from './support.js';

describe.skipIf(ANVIL === undefined)('JSON-RPC', () => {
  let world: AccountsWorld;
  let holder: Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;
  beforeAll(async () => {
    world = await startAccountsWorld();
    holder = await world.holderWithWallet();
  });
  afterAll(() => world?.close());

  const post = async (body: unknown, headers?: Record<string, string>) =>
    world.gateway.rest('POST', '/v1/chain/rpc', {
      body,
      headers: headers ?? { authorization: `Bearer ${(await fresh()).token}` },
    });
  // 300 calls a minute and holder.
  const fresh = (() => {
    let calls = 0;
    let one: Awaited<ReturnType<AccountsWorld['holder']>> | undefined;
    return async () => {
      if (one === undefined || calls > 250) [one, calls] = [await world.holder(), 0];
      calls += 1;
      return one;
    };
  })();
  const request = (method: string, params: unknown[] = [], id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
  /** Asks again what a busy machine does not answer in 5 s. */
  const call = async (method: string, ...params: unknown[]) => {
    for (;;) {
      const { status, body } = await post(request(method, params));
      expect([status, body.jsonrpc, body.id]).toEqual([200, '2.0', 1]);
      if (body.error?.message !== 'The response took longer than 5 seconds.') return body;
    }
  };

  it('JSON-RPC methods that need no node are served by the gateway itself', async () => {
    const own = { authorization: `Bearer ${holder.token}` };
    for (const method of ['eth_accounts', 'eth_requestAccounts'])
      expect((await post(request(method), own)).body.result).toEqual([holder.account]);
    const partner = { 'x-partner-auth': await world.token() };
    expect((await post(request('eth_accounts'), partner)).body.result).toEqual([]);
    expect((await call('eth_chainId')).result).toBe('0x7a69');
    expect((await call('net_version')).result).toBe('31337');
    expect((await call('web3_clientVersion')).result).toBe('credential-gateway');
    expect((await call('eth_supportedEntryPoints')).result).toEqual([world.contracts.entryPoint]);
  });

  it('JSON-RPC methods of the table are passed on to the node', async () => {
    const { coreId, accountFactory } = world.contracts;
    const block = await world.chain.rpc('eth_getBlockByNumber', 'latest', false);
    const transaction = (await world.chain.rpc('eth_getBlockByNumber', '0x1', false)).transactions[0];
    const asked: [string, ...unknown[]][] = [
      ['eth_blockNumber'],
      ['eth_gasPrice'],
      ['eth_maxPriorityFeePerGas'],
      ['eth_getBalance', world.relayer],
      ['eth_getBalance', world.relayer, 'latest'],
      ['eth_getCode', coreId, 'latest'],
      ['eth_getStorageAt', coreId, '0x0', 'latest'],
      ['eth_getTransactionCount', world.relayer, '0x1'],
      ['eth_getTransactionByHash', transaction],
      ['eth_getTransactionReceipt', transaction],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getBlockByHash', block.hash, true],
      ['eth_call', { to: coreId, data: '0x06fdde03' }, 'latest'],
      ['eth_estimateGas', { to: accountFactory, data: '0x5c60da1b' }],
      ['eth_feeHistory', '0x2', 'latest', [50]],
      ['eth_getLogs', { address: coreId, fromBlock: 'earliest', toBlock: 'latest', topics: [null] }],
      ['eth_getLogs', { blockHash: block.hash }],
    ];
    for (const [method, ...params] of asked) {
      const { result, error } = await call(method, ...params);
      expect([method, error]).toEqual([method, undefined]);
      expect(result).not.toBeNull();
    }
    expect((await call('eth_getTransactionByHash', `0x${'00'.repeat(32)}`)).result).toBeNull();
  });

  it.each([
    'anvil_setBalance',
    'anvil_setCode',
    'evm_mine',
    'hardhat_reset',
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTransaction',
    'personal_sign',
    'debug_traceTransaction',
    'trace_block',
    'admin_nodeInfo',
    'txpool_content',
    'eth_newFilter',
    'eth_subscribe',
    'eth_createAccessList',
    'eth_simulateV1',
    'eth_getProof',
    'constructor',
    '__proto__',
    'toString',
    'ETH_CHAINID',
    '',
  ])('JSON-RPC refuses the method %s', async (method) => {
    const { error } = await call(method, world.relayer, '0x1');
    expect(error).toEqual({ code: 4200, message: 'This method is not supported.' });
  });

  it.each(REFUSED)('JSON-RPC refuses the parameters of %s', async (_, method, params) => {
    const { error } = await call(method, ...params);
    expect(error.code).toBe(-32602);
  });

  it.each(SENTENCES)('JSON-RPC names the wrong parameter: %s', async (message, method, params) => {
    expect((await call(method, ...params)).error).toEqual({ code: -32602, message });
  });

  it('eth_getLogs returns logs of at most 1,000 blocks', async () => {
    await world.chain.rpc('anvil_mine', '0x500');
    for (const filter of [
      { fromBlock: 'earliest' },
      { fromBlock: '0x0', toBlock: 'latest' },
      { fromBlock: '0x0', toBlock: '0x3e8' },
    ]) {
      expect((await call('eth_getLogs', filter)).error).toEqual({
        code: -32005,
        message: 'One request reads the logs of at most 1000 blocks.',
      });
    }
    expect((await call('eth_getLogs', { fromBlock: '0x0', toBlock: '0x3e7' })).error).toBeUndefined();
  });

  it('JSON-RPC limits the gas of calls and the size of responses', async () => {
    const [endless, megabyte] = [randomAddress(), randomAddress()];
    await world.chain.rpc('anvil_setCode', endless, CODES.endless);
    await world.chain.rpc('anvil_setCode', megabyte, CODES.megabyte);
    expect((await call('eth_call', { to: endless, gas: '0xffffffffffff' })).error).toBeDefined();
    expect((await call('eth_call', { to: megabyte })).error).toEqual({
      code: -32005,
      message: 'The response is larger than 1 MiB.',
    });
    // 300 KB each: three fit, the others do not.
    const large = randomAddress();
    await world.chain.rpc('anvil_setCode', large, '0x62024a006000f3');
    const batch = Array.from({ length: 5 }, (_, id) => request('eth_call', [{ to: large }], id));
    const { body } = await post(batch);
    expect(body.map(({ id }: { id: number }) => id)).toEqual([0, 1, 2, 3, 4]);
    expect(body.filter(({ error }: { error?: { code: number } }) => error?.code === -32005)).toHaveLength(2);
  });

  it('the error of a reverted call has its data, and nothing about the node', async () => {
    const { error } = await call('eth_call', {
      from: ZERO,
      to: world.contracts.coreId,
      data: `0x6352211e${'11'.repeat(32)}`,
    });
    expect(error).toEqual({ code: 3, message: 'execution reverted', data: expect.stringMatching(/^0x7e273289/) });
    const raw = await call('eth_sendRawTransaction', '0x02c0');
    expect(raw.error.message).toBe('The node refuses this call.');
  });

  it('JSON-RPC sends transactions that were signed elsewhere', async () => {
    const { viem } = await import('../../src/evm/viem.js');
    const tools = await viem();
    const account = tools.privateKeyToAccount(`0x${'42'.repeat(32)}`);
    await world.chain.rpc('anvil_setBalance', account.address, '0xde0b6b3a7640000');
    const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, gas: 21_000n, value: 1n };
    const sign = (nonce: number) =>
      account.signTransaction({ type: 'eip1559', chainId: 31_337, nonce, to: holder.account, ...fees });
    const raw = await sign(0);
    expect((await call('eth_sendRawTransaction', raw)).result).toBe(tools.keccak256(raw));
    // The node takes a transaction before it mines it.
    await expect.poll(async () => (await call('eth_getBalance', holder.account)).result).toBe('0x1');
    expect((await call('eth_sendRawTransaction', raw)).error.message).toMatch(/nonce too low|already/);
  });

  it('a batch has at most 100 calls, and the responses are in order, each with its id', async () => {
    const batch = [request('eth_chainId', [], 'a'), { jsonrpc: '2.0' }, request('nothing', [], null), 7];
    const { status, body } = await post(batch);
    expect(status).toBe(200);
    expect(body).toEqual([
      { jsonrpc: '2.0', id: 'a', result: '0x7a69' },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: '2.0', id: null, error: { code: 4200, message: expect.any(String) } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
    ]);
    const many = Array.from({ length: 101 }, (_, id) => request(id % 2 ? 'eth_chainId' : 'nothing', [], id));
    const own = { authorization: `Bearer ${(await world.holder()).token}` };
    expect((await post(many, own)).body).toEqual({
      ...{ jsonrpc: '2.0', id: null },
      error: { code: -32005, message: 'A batch has at most 100 calls.' },
    });
    for (const size of [100, 99, 11, 1]) {
      const answers = (await post(many.slice(0, size), own)).body;
      expect(answers.map(({ id, error }: { id: number; error?: object }) => [id, error === undefined])).toEqual(
        many.slice(0, size).map(({ id }) => [id, Number(id) % 2 === 1]),
      );
    }
    expect((await post([])).body.error.code).toBe(-32600);
  });

  it('a JSON-RPC request has at most 64 KiB', async () => {
    const answer = await post(request('eth_call', [{ to: ZERO, data: `0x${'00'.repeat(33_000)}` }]));
    expect([answer.status, answer.body.error]).toEqual([
      200,
      { code: -32005, message: 'The request has at most 64 KiB.' },
    ]);
  });

  /** Which minute it is: calls are counted in each on its own. */
  const minute = () => Math.floor(Date.now() / 60_000);

  it('each caller may make 300 calls a minute, those in batches included', async () => {
    const batch = Array.from({ length: 80 }, (_, id) => request('eth_chainId', [], id));
    const run = async () => {
      const { token } = await world.holder();
      const begun = minute();
      const answers: { result?: unknown; error?: object }[] = [];
      for (let at = 0; at < 5; at += 1) answers.push(...(await post(batch, { authorization: `Bearer ${token}` })).body);
      return { answers, ofOneMinute: minute() === begun };
    };
    let last = await run();
    while (!last.ofOneMinute) last = await run();
    const refused = last.answers.filter(({ result }) => result === undefined);
    expect([last.answers.length, refused.length]).toEqual([400, 100]);
    expect(refused[0]?.error).toMatchObject({ code: -32005, data: { retryAfter: expect.any(Number) } });
  });

  it('JSON-RPC is for holders and partners', async () => {
    expect((await post(request('eth_chainId'), {})).status).toBe(401);
    expect((await post(request('eth_chainId'), { 'x-admin-api-key': world.gateway.operatorKey })).status).toBe(403);
  });

  it('JSON-RPC reports that the chain does not respond', async () => {
    await world.chain.pause();
    // The node and the response have the same time, 5 seconds: either may be over first.
    const { body } = await post(request('eth_blockNumber'));
    world.chain.resume();
    expect([-32005, 4900]).toContain(body.error.code);
  });

  it('a transaction is shown only to the callers that it was created for', async () => {
    // Where signing takes longer than the request waits, its response has no hash: then another holder asks.
    const { rest, txHash } = await eventually(async () => {
      const { rest } = await world.holderWithWallet();
      const { body } = await rest('POST', '/v1/holders/me/account/deploy');
      expect(body).toEqual({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
      return { rest, txHash: body.txHash };
    });
    const path = `/v1/chain/transactions/${txHash}`;
    const own = await rest('GET', path);
    expect(own.body).toMatchObject({ txHash, replacedBy: null });
    await eventually(async () => {
      expect((await rest('GET', path)).body).toMatchObject({ state: 'confirmed', blockNumber: expect.any(Number) });
    });
    const row = await world.gateway.app.connection.collection('chainJobs').findOne({ transactionHash: txHash });
    const job = `/v1/chain/jobs/${row?._id}`;
    expect((await rest('GET', job)).body).toMatchObject({ jobId: row?._id, txHash, state: 'confirmed' });
    for (const one of [path, job]) {
      expect((await holder.rest('GET', one)).status).toBe(404);
      expect((await world.partner('GET', one)).status).toBe(200);
      expect((await world.gateway.admin('GET', one)).status).toBe(200);
      expect((await (await registerPartner(world.gateway)).rest('GET', one)).status).toBe(404);
      expect((await world.gateway.rest('GET', one)).status).toBe(401);
    }
  });
});

describe('Without a chain JSON-RPC', () => {
  it('without a chain, every JSON-RPC method gets 4900', async () => {
    const gateway = await startGateway();
    const partner = await registerPartner(gateway);
    const authorization = `Bearer ${await logIn(gateway, partner, 'a@example.org')}`;
    for (const method of ['eth_chainId', 'eth_call', 'eth_sendUserOperation', 'nothing']) {
      const body = { jsonrpc: '2.0', id: 1, method };
      const answer = await gateway.rest('POST', '/v1/chain/rpc', { body, headers: { authorization } });
      expect([answer.status, answer.body.error.code]).toEqual([200, 4900]);
    }
    await gateway.close();
  });
});
