// Forms of JSON-RPC parameters. Each is strict: anything else, such as state overrides, is refused.
import { z } from 'zod';
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
const blockNumber = z.string().regex(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,12})$/);
/** A block by its number or its name. EIP-1898's objects are refused. */
export const blockTag = z.union(
  [z.enum(['latest', 'earliest', 'pending', 'safe', 'finalized']), blockNumber],
  'must be a block: its number, latest, earliest, pending, safe or finalized',
);
/** A block; the newest one if it is missing. */
export const blockOrLatest = blockTag.default('latest');
export const slot = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, 'must be a place in the storage: hex with 0x');

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

const topic = z.union([z.null(), hash, z.array(hash).max(MAX_LIST)], 'must be topics');

export const logFilter = z.strictObject({
  address: z.union([address, z.array(address).max(MAX_LIST)]).optional(),
  topics: z.array(topic).max(MAX_TOPICS).optional(),
  fromBlock: blockTag.optional(),
  toBlock: blockTag.optional(),
  blockHash: hash.optional(),
});

export type LogFilter = z.output<typeof logFilter>;

/** Whether a block is given with its transactions. */
export const isFull = z.boolean().default(false);

/** How many blocks of fees one request may ask for. */
const MAX_FEE_BLOCKS = 1_024n;
export const feeBlocks = quantity.refine((text) => BigInt(text) <= MAX_FEE_BLOCKS, 'must be at most 0x400');
export const percentiles = z.array(z.number().min(0).max(100)).max(MAX_LIST).default([]);

/** Checks parameters by their forms, in order. @throws RpcError -32602 that names the first wrong one. */
export function checkedParams(forms: readonly z.ZodType[], params: readonly unknown[]): unknown[] {
  if (params.length > forms.length)
    throw new RpcError(RPC_CODES.invalidParams, `There are ${params.length} parameters; ${forms.length} are taken.`);
  return forms.map((form, at) => checked(form, params[at], `The parameter ${at + 1}`));
}

/** @throws RpcError -32602. */
export function checked<T>(form: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = form.safeParse(value, {
    error: ({ code, input }) => (input === undefined ? 'is missing' : WORDS[code ?? '']),
  });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'does not fit' };
  const where = path.length === 0 ? name : `${name}, ${path.map(String).join('.').slice(0, 100)},`;
  throw new RpcError(RPC_CODES.invalidParams, `${where} ${message.slice(0, 200)}.`);
}

const WORDS: Readonly<Record<string, string>> = {
  invalid_type: 'is of another type',
  unrecognized_keys: 'has a member that is not taken',
  too_big: 'is too large',
};
