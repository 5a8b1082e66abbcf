// The sandbox's pool on a real chain: what comes out of swaps, and which of them fail.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAbi } from 'viem';
import { CREATE2_PROXY, sandboxPool } from '../../src/evm/contracts.js';
import { type Viem, viem } from '../../src/evm/viem.js';
import type { Hex } from '../../src/evm/rpc.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { eventually } from '../support/eventually.js';
import { type DeployedContracts, deployContracts } from './deployed.js';

const ABI = parseAbi([
  'function dollars() view returns (address)',
  'function euros() view returns (address)',
  'function quote(address from, uint256 amountIn) view returns (uint256)',
  'function swap(address from, uint256 amountIn, uint256 minimum) returns (uint256)',
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
]);
const DOLLAR = 1_000_000n;
const EURO = 10n ** 18n;

describe.skipIf(ANVIL === undefined)('The pool of the sandbox', () => {
  let chain: TestChain;
  let contracts: DeployedContracts;
  let tools: Viem;
  let pool: Hex;
  let dollars: Hex;
  let euros: Hex;
  let gas: number;
  beforeAll(async () => {
    chain = await startChain();
    contracts = await deployContracts(chain);
    tools = await viem();
    const { address, data } = await sandboxPool();
    pool = address;
    ({ gas } = await contracts.send(CREATE2_PROXY, data));
    [dollars, euros] = [await read(pool, 'dollars'), await read(pool, 'euros')];
  });
  afterAll(() => chain?.close());

  const coded = (functionName: string, args: unknown[]) =>
    tools.encodeFunctionData({ abi: ABI, functionName, args } as never);
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  const read = async (to: Hex, functionName: string, ...args: unknown[]): Promise<any> => {
    const data = await chain.rpc('eth_call', { to, data: coded(functionName, args) }, 'latest');
    return tools.decodeFunctionResult({ abi: ABI, functionName, data } as never);
  };
  const write = (to: Hex, functionName: string, ...args: unknown[]) => contracts.send(to, coded(functionName, args));
  const swap = async (from: Hex, amount: bigint, minimum: bigint) => {
    await write(from, 'mint', contracts.owner, amount);
    await write(from, 'approve', pool, amount);
    return write(pool, 'swap', from, amount, minimum);
  };
  const product = async () => (await read(dollars, 'balanceOf', pool)) * (await read(euros, 'balanceOf', pool));

  it('is one deployment with both tokens, for at most 2,600,000 gas, and full', async () => {
    expect(gas).toBeLessThanOrEqual(2_600_000);
    expect(await product()).toBe(1_080_000n * DOLLAR * 1_000_000n * EURO);
  });

  it.each([
    ['dollars', 108n * DOLLAR],
    ['euros', 100n * EURO],
    ['euros', 500_000n * EURO],
  ])('gives for %s what it quoted, and never gets poorer', async (name, amount) => {
    const [from, to] = name === 'dollars' ? [dollars, euros] : [euros, dollars];
    const [quoted, before, had] = [
      await read(pool, 'quote', from, amount),
      await product(),
      await read(to, 'balanceOf', contracts.owner),
    ];
    expect((await swap(from, amount, quoted)).status).toBe('success');
    expect((await read(to, 'balanceOf', contracts.owner)) - had).toBe(quoted);
    expect(await product()).toBeGreaterThan(before);
  });

  it('does nothing for a minimum that it does not reach, an unknown token, or without an allowance', async () => {
    const quoted = await read(pool, 'quote', dollars, DOLLAR);
    expect((await swap(dollars, DOLLAR, quoted + 1n)).status).toBe('reverted');
    expect((await write(pool, 'swap', pool, 1n, 0n)).status).toBe('reverted');
    await write(dollars, 'approve', pool, 0n);
    expect((await write(pool, 'swap', dollars, DOLLAR, 0n)).status).toBe('reverted');
  });

  it('quotes nothing where nothing would come out', async () => {
    await expect(read(pool, 'quote', euros, 1n)).rejects.toThrow();
    await chain.rpc('anvil_impersonateAccount', pool);
    await chain.rpc('anvil_setBalance', pool, '0xde0b6b3a7640000');
    const all = await read(euros, 'balanceOf', pool);
    await chain.rpc('eth_sendTransaction', { from: pool, to: euros, data: coded('transfer', [contracts.owner, all]) });
    // The node may respond before the block is there.
    await eventually(async () => expect(await read(euros, 'balanceOf', pool)).toBe(0n));
    await expect(read(pool, 'quote', dollars, DOLLAR)).rejects.toThrow();
  });
});
