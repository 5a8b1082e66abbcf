// The table of JSON-RPC methods (contract §22) that the node serves. Each checks its parameters; clients cannot call other methods.
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

/**
 * A method that is passed on to the node: the schemas of its parameters, and a function that changes them before the
 * call.
 */
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

/** Passes a method on to the node; undefined for a method that is not in the table. @throws RpcError, NodeRefused, ChainUnreachable. */
export async function passedOn(rpc: () => Promise<Rpc>, method: string, params: readonly unknown[]): Promise<unknown> {
  const row = Object.hasOwn(PASSED, method) ? PASSED[method] : undefined;
  if (row === undefined) throw new RpcError(RPC_CODES.unsupported, 'This method is not supported.');
  const values = checkedParams(row.forms, params);
  const node = await rpc();
  return node(method, row.before ? await row.before(values, node) : values);
}

/** Requires a filter over few blocks, and replaces names by numbers: "latest" must not change between the check and the call. */
async function bounded(filter: LogFilter, rpc: Rpc): Promise<LogFilter> {
  const { fromBlock = 'latest', toBlock = 'latest', ...rest } = filter;
  if (filter.blockHash !== undefined) {
    if (filter.fromBlock === undefined && filter.toBlock === undefined) return rest;
    throw new RpcError(RPC_CODES.invalidParams, 'Send blockHash or a range of blocks, not both.');
  }
  const [from, to] = [await numberOf(fromBlock, rpc), await numberOf(toBlock, rpc)];
  if (to - from >= MAX_LOG_BLOCKS)
    throw new RpcError(RPC_CODES.limit, `One request reads the logs of at most ${MAX_LOG_BLOCKS} blocks.`);
  return { ...rest, fromBlock: hexOf(from), toBlock: hexOf(to) };
}

async function numberOf(tag: string, rpc: Rpc): Promise<number> {
  if (tag.startsWith('0x')) return Number(tag);
  if (tag === 'earliest') return 0;
  const block = await ask(rpc, NODE.block, 'eth_getBlockByNumber', [tag === 'pending' ? 'latest' : tag, false]);
  return block?.number ?? 0;
}

const hexOf = (number: number): Hex => `0x${number.toString(16)}`;
