// The operator's commands for the chain, without a gateway and beside one.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifactOf } from '../../src/evm/contracts.js';
import { viem } from '../../src/evm/viem.js';
import { type ChainWorld, startChainWorld, statusOnce } from '../chain/support.js';
import { issueMember } from '../events/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';
import { folderOf, runCli } from './run-cli.js';

describe.skipIf(ANVIL === undefined)('cli chain', () => {
  let chain: TestChain;
  let env: Record<string, string>;
  beforeAll(async () => {
    chain = await startChain();
    const key = `0x${randomBytes(32).toString('hex')}` as const;
    await chain.rpc('anvil_setBalance', (await viem()).privateKeyToAccount(key).address, '0xd3c21bcecceda1000000');
    env = {
      MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`),
      KEYSTORE_KEY: randomBytes(32).toString('base64'),
      CHAIN_RPC_URL: chain.url,
      CHAIN_ID: '31337',
      RELAYER_PRIVATE_KEY: key,
      CHAIN_CONFIRMATIONS: '1',
    };
  });
  afterAll(() => chain?.close());

  it('chain deploy deploys the contracts on any chain, and does nothing the second time', async () => {
    const cli = (...args: string[]) => runCli(args, { ...env, DATA_DIR: folderOf() });
    const first = await cli('chain', 'deploy', '--json');
    expect(first.err).toBe('');
    const { contracts } = JSON.parse(first.out);
    for (const address of Object.values(contracts))
      expect((await chain.rpc('eth_getCode', address, 'latest')).length).toBeGreaterThan(2);
    expect((await cli('chain', 'deploy')).out).toContain('all contracts are on chain 31337 already');
    expect((await cli('chain', 'jobs')).out.match(/confirmed/g)).toHaveLength(4);
    const other = `0x${'ab'.repeat(20)}`;
    expect((await cli('chain', 'allow', other)).out).toContain('2 transactions are confirmed');
    expect((await cli('chain', 'allow', '0x12')).err).toContain('40 hex digits');
    expect((await cli('chain', 'resume')).out).toContain('not stopped');
    expect((await cli('chain', 'reset')).err).toContain('There is no devnet here');
  });

  it('chain deploy sets the metadata address of tokens to PUBLIC_URL, once, and again when it changes', async () => {
    const store = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
    const other = `0x${'ef'.repeat(20)}`;
    const deploy = async (url: string) => {
      const { out } = await runCli(['chain', 'deploy', '--json'], {
        ...env,
        ...store,
        DATA_DIR: folderOf(),
        PUBLIC_URL: url,
      });
      return JSON.parse(out);
    };
    const { contracts } = await deploy('https://one.example');
    const { encodeFunctionData, decodeFunctionResult } = await viem();
    const abi = artifactOf('CoreId').abi as never;
    const call = (functionName: string, args: unknown[]) => ({
      from: other,
      to: contracts.coreId,
      data: encodeFunctionData({ abi, functionName, args } as never),
    });
    await runCli(['chain', 'allow', other], { ...env, ...store, DATA_DIR: folderOf() });
    await chain.rpc('anvil_setBalance', other, '0xd3c21bcecceda1000000');
    await chain.rpc('anvil_impersonateAccount', other);
    await chain.rpc('eth_sendTransaction', call('mint', [`0x${'cd'.repeat(20)}`, `0x${'7'.padStart(64, '0')}`]));
    const tokenUri = async () => {
      const data = await chain.rpc('eth_call', call('tokenURI', [7n]), 'latest');
      return decodeFunctionResult({ abi, functionName: 'tokenURI', data } as never);
    };
    // Once its transaction is in a block.
    await eventually(async () => expect(await tokenUri()).toBe('https://one.example/v1/core-ids/7'));
    expect((await deploy('https://one.example')).jobs).toEqual([]);
    expect((await deploy('https://two.example')).jobs).toMatchObject([{ kind: 'metadata', state: 'confirmed' }]);
    expect(await tokenUri()).toBe('https://two.example/v1/core-ids/7');
  });

  it('a chain command reports in one sentence that the node belongs to another chain', async () => {
    const { code, err } = await runCli(['chain', 'deploy'], { ...env, CHAIN_ID: '5', DATA_DIR: folderOf() });
    expect([code, err.trim()]).toEqual([1, 'The chain at CHAIN_RPC_URL has the id 31337, CHAIN_ID says 5.']);
  });
});

describe.skipIf(ANVIL === undefined)('cli anchor verify', () => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await startChainWorld();
  });
  afterAll(() => world?.close());

  it('anchor verify checks a claim on the chain itself', async () => {
    const hash = await issueMember(world, { rest: world.partner }, 'checked@example.org');
    await statusOnce(world, hash, 'ONCHAIN');
    const verify = (claim: string, ...more: string[]) =>
      runCli(['anchor', 'verify', claim, '--url', world.gateway.url, ...more], { DATA_DIR: folderOf() });
    const checked = await verify(hash, '--rpc', world.chain.url);
    expect([checked.code, checked.err]).toEqual([0, '']);
    expect(checked.out).toContain('is under the root');
    const elsewhere = await startChain(['--chain-id', '99']);
    expect((await verify(hash, '--rpc', elsewhere.url)).code).toBe(1);
    await elsewhere.close();
    expect((await verify('00'.repeat(32), '--rpc', world.chain.url)).code).toBe(1);
  });
});
