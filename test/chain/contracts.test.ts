// The contracts on a real chain: what they take and refuse, and what it costs (gas is exact).
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leafOf, MerkleTree } from '../../src/chain/merkle.js';
import type { Hex } from '../../src/evm/rpc.js';
import { viem } from '../../src/evm/viem.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { type DeployedContracts, deployContracts, randomHash } from './deployed.js';

const STRANGER: Hex = '0x00000000000000000000000000000000000000bb';
const hex = (bytes: Buffer): Hex => `0x${bytes.toString('hex')}`;

describe.skipIf(ANVIL === undefined)('The contracts', () => {
  let chain: TestChain;
  let contracts: DeployedContracts;
  beforeAll(async () => {
    chain = await startChain();
    contracts = await deployContracts(chain);
  });
  afterAll(() => chain?.close());

  const anchor = (batches: { root: Hex; kind: number; count: number }[]) =>
    contracts.write('AnchorRegistry', contracts.at.AnchorRegistry, 'anchor', [batches]);
  const account = async (owner: Hex): Promise<Hex> =>
    contracts.read('CoreAccountFactory', contracts.at.CoreAccountFactory, 'getAddress', [owner, 0n]);
  const newAccount = async (owner: Hex) => {
    const { gas } = await contracts.write('CoreAccountFactory', contracts.at.CoreAccountFactory, 'createAccount', [
      owner,
      0n,
    ]);
    return { address: await account(owner), gas };
  };

  it('the contracts without the EntryPoint cost at most 3,200,000 gas to deploy', () => {
    const { EntryPoint: _theirs, ...ours } = contracts.gas;
    expect(Object.values(ours).reduce((sum, gas) => sum + gas, 0)).toBeLessThanOrEqual(3_200_000);
  });

  it('AnchorRegistry anchors a batch of any size for 52,000 gas, and three kinds for 105,000', async () => {
    expect((await anchor([{ root: randomHash(), kind: 0, count: 4_096 }])).gas).toBeLessThanOrEqual(52_000);
    const kinds = [0, 1, 2].map((kind) => ({ root: randomHash(), kind, count: 4_096 }));
    expect((await anchor(kinds)).gas).toBeLessThanOrEqual(105_000);
  });

  it('AnchorRegistry skips an existing root, so that a transaction may be sent twice', async () => {
    const batch = [{ root: randomHash(), kind: 0, count: 7 }];
    await anchor(batch);
    const again = await anchor(batch);
    expect(again.status).toBe('success');
    expect(again.gas).toBeLessThanOrEqual(28_000);
  });

  it('AnchorRegistry returns whether a leaf is under an anchored root of its kind', async () => {
    const digests = Array.from({ length: 5 }, () => randomBytes(32).toString('hex'));
    const leaves = digests.map((digest) => leafOf(0, digest));
    const tree = await MerkleTree.of(leaves);
    await anchor([{ root: hex(tree.root), kind: 0, count: 5 }]);
    const includes = (kind: number, leaf: Buffer, proof: Buffer[]) =>
      contracts.read('AnchorRegistry', contracts.at.AnchorRegistry, 'includes', [
        kind,
        hex(tree.root),
        hex(leaf),
        proof.map(hex),
      ]);
    for (const leaf of leaves) expect(await includes(0, leaf, tree.proofOf(leaf))).toBe(true);
    const [first = Buffer.alloc(0)] = leaves;
    expect(await includes(1, first, tree.proofOf(first))).toBe(false);
    expect(await includes(0, leafOf(1, digests[0] ?? ''), tree.proofOf(first))).toBe(false);
  });

  it('the contracts refuse calls of strangers', async () => {
    const tools = await viem();
    const call = tools.encodeFunctionData({
      abi: [
        {
          type: 'function',
          name: 'setRelayer',
          inputs: [{ type: 'address' }, { type: 'bool' }],
          outputs: [],
          stateMutability: 'nonpayable',
        },
      ] as const,
      functionName: 'setRelayer',
      args: [STRANGER, true],
    });
    for (const to of [contracts.at.AnchorRegistry, contracts.at.CoreId])
      await expect(chain.rpc('eth_call', { from: STRANGER, to, data: call }, 'latest')).rejects.toThrow(/revert/);
  });

  it('CoreId mints one identity record for each account, for 100,000 gas, which cannot be transferred', async () => {
    const { address } = await newAccount(STRANGER);
    const node = randomHash();
    const mint = (to: Hex, of: Hex) => contracts.write('CoreId', contracts.at.CoreId, 'mint', [to, of]);
    const minted = await mint(address, node);
    expect(minted.gas).toBeLessThanOrEqual(100_000);
    expect((await mint(address, randomHash())).status).toBe('reverted');
    expect((await mint(contracts.owner, node)).status).toBe('reverted');
    const data = (await viem()).encodeFunctionData({
      abi: [
        {
          type: 'function',
          name: 'transferFrom',
          inputs: [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }],
          outputs: [],
          stateMutability: 'nonpayable',
        },
      ] as const,
      functionName: 'transferFrom',
      args: [address, STRANGER, BigInt(node)],
    });
    await expect(chain.rpc('eth_call', { from: address, to: contracts.at.CoreId, data }, 'latest')).rejects.toThrow();
    expect(await contracts.read('CoreId', contracts.at.CoreId, 'locked', [BigInt(node)])).toBe(true);
  });

  it('CoreAccountFactory deploys an account for 155,000 gas, at the predicted address, once', async () => {
    const owner = `0x${randomBytes(20).toString('hex')}` as Hex;
    const said = await account(owner);
    const { address, gas } = await newAccount(owner);
    expect(address).toBe(said);
    expect(gas).toBeLessThanOrEqual(155_000);
    expect((await newAccount(owner)).gas).toBeLessThan(gas);
    expect((await contracts.read('CoreAccount', address, 'owner', [])).toLowerCase()).toBe(owner);
  });

  it('CoreAccount accepts a signature only for the account and chain that it was created for', async () => {
    const { privateKeyToAccount } = await viem();
    const key = privateKeyToAccount(randomHash());
    const { address } = await newAccount(key.address);
    const hash = randomHash();
    const sign = (verifyingContract: Hex, chainId: number) =>
      key.signTypedData({
        domain: { name: 'CoreAccount', version: '1', chainId, verifyingContract },
        types: { CoreMessage: [{ name: 'hash', type: 'bytes32' }] },
        primaryType: 'CoreMessage',
        message: { hash },
      });
    const isValid = async (signature: Hex) =>
      contracts.read('CoreAccount', address, 'isValidSignature', [hash, signature]);
    expect(await isValid(await sign(address, 31_337))).toBe('0x1626ba7e');
    for (const other of [await sign(STRANGER, 31_337), await sign(address, 1), await key.sign({ hash }), '0x' as Hex])
      expect(await isValid(other)).toBe('0xffffffff');
  });
});
