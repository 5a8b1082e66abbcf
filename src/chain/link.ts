// A connection to a chain, with the key that signs on it.

import { randomBytes } from 'node:crypto';
import type { ChainConfig } from '../base/config/chain-config.js';
import { addressesOf, type ContractAddresses } from '../evm/contracts.js';
import { ask, ChainUnreachable, type Hex, NODE, type Rpc } from '../evm/rpc.js';
import { viem } from '../evm/viem.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { ChainModels, ChainRow, RelayerKeyRow } from './models.js';

/** A transaction to sign (EIP-1559). */
export interface Transaction {
  to: Hex;
  data: Hex;
  nonce: number;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** A chain that responded with the right id. */
export interface ChainLink {
  chainId: number;
  rpc: Rpc;
  /** The address that signs. */
  relayer: Hex;
  contracts: ContractAddresses;
  sign(transaction: Transaction): Promise<{ raw: Hex; hash: Hex }>;
}

export interface LinkParts {
  config: ChainConfig;
  models: ChainModels;
  box: SealedBox;
}

/** The link over an RPC address. @throws ChainUnreachable, one sentence, when it does not respond, or is another chain. */
export async function linkOver(rpc: Rpc, { config, models, box }: LinkParts): Promise<ChainLink> {
  const { chainId } = config;
  await requireChain(rpc, chainId);
  const { privateKeyToAccount, keccak256 } = await viem();
  const account = privateKeyToAccount(config.relayerKey ?? (await devnetKey(models, box)));
  const { contracts } = await chainRow(models, config, account.address);
  return {
    chainId,
    rpc,
    relayer: account.address,
    contracts,
    sign: async (transaction) => {
      const raw = await account.signTransaction({ type: 'eip1559', chainId, value: 0n, ...transaction });
      return { raw, hash: keccak256(raw) };
    },
  };
}

/** @throws ChainUnreachable, one sentence, when the node does not respond or belongs to another chain. */
export async function requireChain(rpc: Rpc, chainId: number): Promise<void> {
  const actual = await ask(rpc, NODE.number, 'eth_chainId');
  if (actual !== chainId)
    throw new ChainUnreachable(`The chain at CHAIN_RPC_URL has the id ${actual}, CHAIN_ID says ${chainId}.`);
}

/** The row of a chain. The first relayer becomes the owner of its contracts; that never changes. */
async function chainRow({ chains }: ChainModels, config: ChainConfig, relayer: Hex): Promise<ChainRow> {
  const _id = String(config.chainId);
  const row = await chains.findById(_id).lean<ChainRow>();
  if (row !== null) return row;
  const first = { owner: relayer, contracts: await addressesOf(relayer, config.entryPoint), deployed: false };
  await chains.updateOne({ _id }, { $setOnInsert: first }, { upsert: true });
  return (await chains.findById(_id).lean<ChainRow>()) as ChainRow;
}

/** The devnet's relayer key, which is created once and sealed. */
async function devnetKey({ relayerKeys }: ChainModels, box: SealedBox): Promise<Hex> {
  const context = { what: 'relayer-key', whose: 'devnet' } as const;
  const sealed = box.seal(`0x${randomBytes(32).toString('hex')}`, context);
  await relayerKeys.updateOne({ _id: 'devnet' }, { $setOnInsert: { sealed } }, { upsert: true });
  const row = await relayerKeys.findById('devnet').lean<RelayerKeyRow>();
  return box.unsealText(row?.sealed ?? '', context) as Hex;
}
