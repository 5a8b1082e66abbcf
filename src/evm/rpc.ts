// JSON-RPC 2.0 to a chain's node, over the guarded fetch. Responses are checked before they are used.
import { z } from 'zod';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';

/** Bytes in hex with 0x. */
export type Hex = `0x${string}`;

/** One call of the node. @throws NodeRefused, ChainUnreachable. */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>;

/** The node returned an error: its code, its message for the log, and the data of a revert. */
export class NodeRefused extends Error {
  override readonly name = 'NodeRefused';

  constructor(
    message: string,
    readonly code: number,
    readonly data?: Hex,
  ) {
    super(message);
  }

  /** Whether a call was executed and reverted. */
  get reverted(): boolean {
    return this.code === 3 || /revert/i.test(this.message);
  }
}

/** Thrown if the node did not respond, or responded in an invalid form. */
export class ChainUnreachable extends Error {
  override readonly name = 'ChainUnreachable';
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

const hexText = z.string().regex(/^0x[0-9a-fA-F]*$/);
const responseBody = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/** Makes the RPC of one address. */
export function rpcOver(fetch: GuardedFetch, url: string): Rpc {
  let id = 0;
  return async (method, params = []) => {
    id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = {
      method: 'POST',
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      repeatable: true,
    } as const;
    const response = await fetch(url, request).catch((cause: unknown) => {
      throw new ChainUnreachable(`The chain does not respond to ${method}.`, { cause });
    });
    return resultOf(method, response.body);
  };
}

function resultOf(method: string, body: Buffer): unknown {
  const parsed = responseBody.safeParse(jsonOf(body));
  if (!parsed.success) throw new ChainUnreachable(`The chain's response to ${method} is not JSON-RPC.`);
  const { result, error } = parsed.data;
  if (error === undefined) return result ?? null;
  const data = hexText.safeParse(error.data);
  throw new NodeRefused(error.message.slice(0, 500), error.code, data.success ? (data.data as Hex) : undefined);
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Calls the node and checks the response. @throws ChainUnreachable if the response has another form. */
export async function ask<T>(rpc: Rpc, form: z.ZodType<T>, method: string, params?: readonly unknown[]): Promise<T> {
  const parsed = form.safeParse(await rpc(method, params));
  if (parsed.success) return parsed.data;
  throw new ChainUnreachable(`The chain's response to ${method} has another form.`);
}

/** Forms of a node's responses. */
const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text));
const safeNumber = quantity.transform((value, issue) => {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  issue.addIssue({ code: 'custom', message: 'is too large' });
  return z.NEVER;
});
const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex);

export const NODE = {
  quantity,
  number: safeNumber,
  hex: hexText.transform((text) => text as Hex),
  hash,
  block: z.object({ number: safeNumber, hash, baseFeePerGas: quantity.optional() }).nullable(),
  receipt: z
    .object({
      transactionHash: hash,
      blockNumber: safeNumber,
      blockHash: hash,
      status: z.enum(['0x0', '0x1']),
      gasUsed: safeNumber,
    })
    .nullable(),
} as const;

export type Block = NonNullable<z.output<typeof NODE.block>>;
export type Receipt = NonNullable<z.output<typeof NODE.receipt>>;
