// The table of JSON-RPC methods (contract §22): the only way to the node. Each checks its parameters, and what is not in it does not exist.
import type { z } from 'zod';
import { ask, type Hex, NODE, type Rpc } from '../../evm/rpc.js';
import { RPC_CODES, RpcError } from './errors.js';
import {
  address,
  blockOrLatest,
  blockTag,
  bytes,
  call,
  checkedParams,
  feeBlocks,
  hash,
  isFull,
  type LogFilter,
  logFilter,
  percentiles,
  slot,
} from './params.js';

const MAX_LOG_BLOCKS = 1_000;

/** A method of the node: the forms of its parameters, and what becomes of them before they are passed on. */
interface Passed {
  forms: readonly z.ZodType[];
  before?(params: unknown[], rpc: Rpc): Promise<unknown[]>;
}

const passed = (...forms: z.ZodType[]): Passed => ({ forms });

const PASSED: Readonly<Record<string, Passed>> = {
  eth_blockNumber: passed(),
  eth_gasPrice: passed(),
  eth_maxPriorityFeePerGas: passed(),
  eth_getBalance: passed(address, blockOrLatest),
  eth_getCode: passed(address, blockOrLatest),
  eth_getStorageAt: passed(address, slot, blockOrLatest),
  eth_getTransactionCount: passed(address, blockOrLatest),
  eth_getTransactionByHash: passed(hash),
  eth_getTransactionReceipt: passed(hash),
  eth_getBlockByNumber: passed(blockTag, isFull),
  eth_getBlockByHash: passed(hash, isFull),
  eth_call: passed(call, blockOrLatest),
  eth_estimateGas: passed(call, blockOrLatest),
  eth_feeHistory: passed(feeBlocks, blockTag, percentiles),
  eth_getLogs: { forms: [logFilter], before: async ([filter], rpc) => [await bounded(filter as LogFilter, rpc)] },
  eth_sendRawTransaction: passed(bytes),
};

/** The names of all methods that are passed on. */
export const PASSED_METHODS = Object.keys(PASSED);

/** Passes a method on to the node; undefined for one that is not. @throws RpcError, NodeRefused, ChainAway. */
export async function passedOn(rpc: () => Promise<Rpc>, method: string, params: readonly unknown[]): Promise<unknown> {
  const row = Object.hasOwn(PASSED, method) ? PASSED[method] : undefined;
  if (row === undefined) throw new RpcError(RPC_CODES.unsupported, 'This method is not supported.');
  const values = checkedParams(row.forms, params);
  const node = await rpc();
  return node(method, row.before ? await row.before(values, node) : values);
}

/** A filter over few blocks, by their numbers: what "latest" means must not change between the check and the answer. */
async function bounded(filter: LogFilter, rpc: Rpc): Promise<LogFilter> {
  const { fromBlock = 'latest', toBlock = 'latest', ...rest } = filter;
  if (filter.blockHash !== undefined) {
    if (filter.fromBlock === undefined && filter.toBlock === undefined) return rest;
    throw new RpcError(RPC_CODES.invalidParams, 'blockHash or a range of blocks is given, and not both.');
  }
  const [from, to] = [await numberOf(fromBlock, rpc), await numberOf(toBlock, rpc)];
  if (to - from >= MAX_LOG_BLOCKS)
    throw new RpcError(RPC_CODES.limit, `Logs of at most ${MAX_LOG_BLOCKS} blocks are given at once.`);
  return { ...rest, fromBlock: hexOf(from), toBlock: hexOf(to) };
}

async function numberOf(tag: string, rpc: Rpc): Promise<number> {
  if (tag.startsWith('0x')) return Number(tag);
  if (tag === 'earliest') return 0;
  const block = await ask(rpc, NODE.block, 'eth_getBlockByNumber', [tag === 'pending' ? 'latest' : tag, false]);
  return block?.number ?? 0;
}

const hexOf = (number: number): Hex => `0x${number.toString(16)}`;
