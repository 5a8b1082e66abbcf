// Forms of JSON-RPC parameters. Each is strict: anything else, such as state overrides, is refused.
import { z } from 'zod';
import { fieldOf, sentenceOf } from '../../base/input.js';
import { RPC_CODES, RpcError } from './errors.js';

const MAX_CALL_GAS = 10_000_000n;
const MAX_LIST = 100;
const MAX_TOPICS = 4;

export const quantity = z.string().regex(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/, {
  error: 'must be a quantity: hex with 0x and no leading zeros, such as 0x1a',
  abort: true,
});
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 20 bytes in hex with 0x');
export const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex with 0x');
export const bytes = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be bytes in hex with 0x');
const BLOCK = 'must be a block: its number in hex, such as 0x1a, or latest, earliest, pending, safe or finalized';
const blockNumber = z.string().regex(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,12})$/, BLOCK);
/** A block by its number or its name. EIP-1898's objects are refused. */
export const blockTag = z.union([z.enum(['latest', 'earliest', 'pending', 'safe', 'finalized']), blockNumber], BLOCK);
/** A block; the newest one if it is missing. */
export const blockOrLatest = blockTag.default('latest');
export const slot = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, 'must be a storage slot: hex with 0x');

const accessList = z.array(z.strictObject({ address, storageKeys: z.array(hash).max(MAX_LIST) })).max(MAX_LIST);

/** A call, with the most gas that it may use. */
export const call = z
  .strictObject({
    from: address.optional(),
    to: address.nullish(),
    gas: quantity.optional(),
    gasPrice: quantity.optional(),
    maxFeePerGas: quantity.optional(),
    maxPriorityFeePerGas: quantity.optional(),
    value: quantity.optional(),
    data: bytes.optional(),
    input: bytes.optional(),
    nonce: quantity.optional(),
    type: quantity.optional(),
    chainId: quantity.optional(),
    accessList: accessList.optional(),
  })
  .transform(({ gas, ...rest }) => ({ ...rest, gas: `0x${smaller(BigInt(gas ?? MAX_CALL_GAS)).toString(16)}` }));

const smaller = (gas: bigint): bigint => (gas < MAX_CALL_GAS ? gas : MAX_CALL_GAS);

const topic = z.union(
  [z.null(), hash, z.array(hash).max(MAX_LIST)],
  'must be null, 32 bytes in hex with 0x, or a list of these',
);

export const logFilter = z.strictObject({
  address: z.union([address, z.array(address).max(MAX_LIST)], 'must be an address or a list of addresses').optional(),
  topics: z.array(topic).max(MAX_TOPICS).optional(),
  fromBlock: blockTag.optional(),
  toBlock: blockTag.optional(),
  blockHash: hash.optional(),
});

export type LogFilter = z.output<typeof logFilter>;

/** Whether a block is returned with its transactions. */
export const isFull = z.boolean().default(false);

/** How many blocks of fees one request may ask for. */
const MAX_FEE_BLOCKS = 1_024n;
export const feeBlocks = quantity.refine((text) => BigInt(text) <= MAX_FEE_BLOCKS, 'must be at most 0x400');
export const percentiles = z.array(z.number().min(0).max(100)).max(MAX_LIST).default([]);

/** Checks parameters by their forms, in order. @throws RpcError -32602 that names the first wrong one. */
export function checkedParams(forms: readonly z.ZodType[], params: readonly unknown[]): unknown[] {
  if (params.length > forms.length) throw invalid(`This method takes ${countOf(forms.length)}, not ${params.length}.`);
  return forms.map((form, at) => checked(form, params[at], `parameter ${at + 1}`));
}

/** @throws RpcError -32602, one sentence that names the wrong member. */
function checked<T>(form: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = form.safeParse(value, { error: sentenceOf });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const whose = (path: readonly PropertyKey[]): string =>
    path.length === 0 ? `P${name.slice(1)}` : `"${fieldOf(path)}" of ${name}`;
  if (issue?.code === 'unrecognized_keys')
    throw invalid(`${whose([...issue.path, issue.keys[0] ?? ''])} is not a known member.`);
  throw invalid(`${whose(issue?.path ?? [])} ${issue?.message ?? 'does not fit'}.`);
}

const invalid = (message: string): RpcError => new RpcError(RPC_CODES.invalidParams, message);

function countOf(most: number): string {
  if (most === 0) return 'no parameters';
  return `at most ${most} ${most === 1 ? 'parameter' : 'parameters'}`;
}
