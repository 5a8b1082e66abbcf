// JSON-RPC for wallets (contract §22): one request or a small batch, each through the table of methods, with limits on everything.
import { z } from 'zod';
import { type Caller, type HolderCaller, limitedAs, type PartnerCaller } from '../../base/callers/caller.js';
import { inParallel } from '../../base/concurrency/parallel.js';
import type { Chain } from '../../chain/chain.service.js';
import { accountIn } from '../../holders/holder-accounts.service.js';
import type { Holders } from '../../holders/holders.service.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import { RPC_CODES, RpcError, toRpcError } from './errors.js';
import { passedOn } from './methods.js';
import { checkedParams } from './params.js';
import type { UserOperations } from './user-operations.js';

/** Callers that may use JSON-RPC. */
export type RpcCaller = HolderCaller | PartnerCaller;

/** A response of JSON-RPC 2.0. */
export const rpcResponse = z
  .object({
    jsonrpc: z.enum(['2.0']),
    id: z.custom<string | number | null>().meta({ type: ['string', 'number', 'null'] }),
    result: z.unknown().optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  })
  .meta({ id: 'RpcAnswer' });
export type RpcResponse = z.output<typeof rpcResponse>;

export interface ChainRpcParts {
  chain: Chain;
  holders: Holders;
  limits: RateLimits;
  operations: UserOperations;
  onError(error: unknown): void;
}

/** Calls in a batch: the default of ethers. */
export const MAX_BATCH = 100;
/** How many calls of a batch run at the same time. */
const AT_ONCE = 10;
const MAX_IN = 64 * 1024;
const MAX_OUT = 1024 * 1024;
const TIMEOUT_MS = 5_000;
const CALLS: RateLimit = { name: 'json-rpc calls', max: 300, seconds: 60 };
const CLIENT = 'credential-gateway';

const requestId = z.union([z.string().max(255), z.number(), z.null()]);

/** A request of JSON-RPC 2.0; without an id it is a notification. */
export const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: requestId.optional(),
  method: z.string().max(100),
  params: z.array(z.unknown()).default([]),
});

type Own = (caller: RpcCaller) => Promise<unknown>;

/** Serves JSON-RPC requests of wallets. */
export class ChainRpc {
  /** Methods that the gateway serves itself. */
  readonly #own: Readonly<Record<string, Own>> = {
    eth_accounts: (caller) => this.#accounts(caller),
    eth_requestAccounts: (caller) => this.#accounts(caller),
    eth_chainId: async () => `0x${this.parts.chain.chainId.toString(16)}`,
    net_version: async () => String(this.parts.chain.chainId),
    web3_clientVersion: async () => CLIENT,
    eth_supportedEntryPoints: async () => [(await this.parts.chain.link()).contracts.entryPoint],
  };

  constructor(private readonly parts: ChainRpcParts) {}

  /** Responds to a request, or to a batch of up to 100. Nothing that a caller sends makes it throw. Returns undefined or an empty list for notifications alone. */
  async respond(caller: RpcCaller, body: unknown): Promise<RpcResponse | RpcResponse[] | undefined> {
    if (JSON.stringify(body ?? null).length > MAX_IN) return failure(idOf(body), tooMuch('The request', '64 KiB'));
    const until = performance.now() + TIMEOUT_MS;
    if (!Array.isArray(body)) return first(bounded([await this.#one(caller, body, until)]));
    if (body.length === 0) return failure(null, new RpcError(RPC_CODES.invalidRequest, 'The batch is empty.'));
    if (body.length > MAX_BATCH) return failure(null, tooMuch('A batch', `${MAX_BATCH} calls`));
    return bounded(await inParallel(body, AT_ONCE, (one) => this.#one(caller, one, until)));
  }

  /** Undefined for a notification, which has no response, not even an error (JSON-RPC 2.0 §4.1). */
  async #one(caller: RpcCaller, body: unknown, until: number): Promise<RpcResponse | undefined> {
    const parsed = rpcRequest.safeParse(body);
    if (!parsed.success)
      return failure(idOf(body), new RpcError(RPC_CODES.invalidRequest, 'This is not a request of JSON-RPC 2.0.'));
    const { id, method, params } = parsed.data;
    try {
      await this.parts.limits.count([CALLS, subjectOf(caller)]);
      const result = await inTime(() => this.#result(caller, method, params), until);
      return id === undefined ? undefined : { jsonrpc: '2.0', id, result: result ?? null };
    } catch (error) {
      const rpcError = this.#toRpcError(error);
      return id === undefined ? undefined : failure(id, rpcError);
    }
  }

  async #result(caller: RpcCaller, method: string, params: readonly unknown[]): Promise<unknown> {
    const { chain, operations } = this.parts;
    if (!chain.isConfigured) throw new RpcError(RPC_CODES.disconnected, 'There is no chain.');
    if (Object.hasOwn(this.#own, method)) {
      checkedParams([], params);
      return this.#own[method]?.(caller);
    }
    const operation = operations.method(method);
    if (operation === undefined) return passedOn(async () => (await chain.link()).rpc, method, params);
    if (caller.kind !== 'holder') throw new RpcError(RPC_CODES.unauthorized, 'Only holders have accounts.');
    return operation(caller, params);
  }

  async #accounts(caller: RpcCaller): Promise<string[]> {
    if (caller.kind !== 'holder') return [];
    const account = accountIn(await this.parts.holders.own(caller));
    return account === undefined ? [] : [account.address];
  }

  #toRpcError(error: unknown): RpcError {
    const rpcError = toRpcError(error);
    if (rpcError !== undefined) return rpcError;
    this.parts.onError(error);
    return new RpcError(RPC_CODES.internal, 'Something went wrong on our side.');
  }
}

/** Whether a caller may use JSON-RPC. */
export const isRpcCaller = (caller: Caller): caller is RpcCaller =>
  caller.kind === 'holder' || caller.kind === 'partner';

const subjectOf = (caller: RpcCaller): string =>
  caller.kind === 'holder' ? `holder ${limitedAs(caller)}` : `partner ${caller.partnerId}`;

/** The id of an invalid request, if it has one; else null (JSON-RPC 2.0 §5). */
const idOf = (body: unknown): RpcResponse['id'] => requestId.catch(null).parse(Object(body).id);

const tooMuch = (what: string, most: string): RpcError => new RpcError(RPC_CODES.limit, `${what} has at most ${most}.`);

function failure(id: RpcResponse['id'], { code, message, data }: RpcError): RpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

const first = ([response]: RpcResponse[]): RpcResponse | undefined => response;

/** The responses in order, up to 1 MiB in all; later ones are replaced by an error. */
function bounded(responses: (RpcResponse | undefined)[]): RpcResponse[] {
  let size = 0;
  return responses
    .filter((response) => response !== undefined)
    .map((response) => {
      const length = Buffer.byteLength(JSON.stringify(response));
      if (size + length > MAX_OUT) return failure(response.id, tooMuch('The response', '1 MiB'));
      size += length;
      return response;
    });
}

async function inTime<T>(begin: () => Promise<T>, until: number): Promise<T> {
  const error = new RpcError(RPC_CODES.limit, 'The response took longer than 5 seconds.');
  const left = until - performance.now();
  // The time of the batch is over: earlier calls have used it up.
  if (left <= 0) throw error;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(error), left);
  });
  const work = begin();
  // After the time limit, nothing awaits the work, so its error must not be unhandled.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
