// Calls an issuer's own back end (contract §6). Retries if the issuer has certainly done nothing, has a circuit breaker
// for each address, and reports each kind of failure in a sentence.
import { createHash } from 'node:crypto';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  handleWhen,
} from 'cockatiel';
import type { HolderCaller } from '../base/callers/caller.js';
import { DELAYS, retrying } from '../base/concurrency/retry.js';
import { DomainError } from '../base/errors.js';
import { isTextDeeperThan, MAX_LEVELS } from '../base/json/nesting.js';
import { withoutBom } from '../base/json/unicode.js';
import type { Charge } from '../base/callers/points.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import type { GuardedResponse, GuardedFetch } from '../http/outbound/guarded-fetch.js';
import { GuardedFetchError } from '../http/outbound/guarded-fetch-error.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { BYTES_PER_POINT, CALL_POINTS, type IssuerLoad } from './issuer-load.js';

/** Largest response, bytes. */
export const MAX_BYTES = 1_048_576;
/** Time limit of one call with its retries. */
const TIMEOUT_MS = 10_000;
/** No attempt begins later than this after the first one: the remaining time would be too short. */
const RETRY_WITHIN_MS = 8_000;
/**
 * Consecutive failures (or time-outs) that open the circuit of an issuer's address, and how long the circuit stays
 * open.
 */
const BREAK_AFTER = 5;
const BREAK_MS = 30_000;
/** Seconds until clients may try a failed or busy issuer again. */
export const RETRY_AFTER = 5;
/** How many circuits are in memory. */
const MAX_CIRCUITS = 1_000;

/** The issuer's response was neither 2xx nor 4xx. */
class IssuerFailed extends Error {
  override readonly name = 'IssuerFailed';

  constructor(readonly status: number) {
    super(`HTTP ${status}`);
  }
}

/** Statuses of a proxy that cannot reach its issuer. */
const UNREACHABLE: readonly number[] = [502, 503, 504];

/**
 * Whether the issuer has certainly done nothing: no connection was made, or its proxy responded. After a time-out, that
 * is not certain.
 */
const isRetriable = (error: Error): boolean =>
  (error instanceof IssuerFailed && UNREACHABLE.includes(error.status)) ||
  (error instanceof GuardedFetchError && error.reason === 'connect');

const isTimeout = (error: unknown): boolean => error instanceof GuardedFetchError && error.reason === 'timeout';

/** A call to an issuer. */
export interface IssuerCall {
  /** The holder for whom the call is made. */
  caller: HolderCaller;
  /**
   * The holder's charge for this call. Each retry costs as much as the call, and the response costs points by its size.
   */
  charge: Charge;
  url: string;
  /** Sent as `idempotency-key`. */
  key: string;
  body: object;
}

/** Calls the back ends of issuers, with retries and a circuit breaker for each address. */
export class IssuerCalls {
  readonly #circuits = new Map<string, CircuitBreakerPolicy>();

  constructor(
    private readonly outbound: GuardedFetch,
    private readonly box: SealedBox,
    private readonly load: IssuerLoad,
  ) {}

  /** The issuer's response, 2xx or 4xx. @throws DomainError STORE_UNAVAILABLE with Retry-After when it fails or does not respond. */
  async call(issuer: IssuerRow, call: IssuerCall): Promise<GuardedResponse> {
    const { caller, charge } = call;
    const obstacle = this.load.obstacle(caller, issuer._id);
    if (obstacle !== undefined) {
      charge.giveBack(CALL_POINTS);
      throw issuerUnavailable(issuer, obstacle);
    }
    try {
      // One circuit for each address: responses of one address must not hide that another one does not respond.
      const circuit = this.#circuit(`${issuer._id} ${call.url}`);
      const answer = await this.load.run(caller, issuer._id, () => circuit.execute(() => this.#tries(issuer, call)));
      charge.spend(Math.floor(answer.body.length / BYTES_PER_POINT));
      return answer;
    } catch (cause) {
      if (cause instanceof BrokenCircuitError) {
        charge.giveBack(CALL_POINTS);
        throw issuerUnavailable(issuer, 'has failed several times; it is asked again in a moment', {
          retryAfter: BREAK_MS / 1_000,
        });
      }
      throw issuerUnavailable(issuer, whatFailed(cause), { cause });
    }
  }

  /** All attempts together have the time limit of one call, because a client waits for them. */
  #tries(issuer: IssuerRow, call: IssuerCall): Promise<GuardedResponse> {
    const startedAt = performance.now();
    const passed = (): number => performance.now() - startedAt;
    const again = handleWhen((error) => isRetriable(error) && passed() < RETRY_WITHIN_MS);
    let failure: unknown;
    return retrying(DELAYS.issuerCall, again).execute(async ({ attempt }) => {
      if (attempt > 0) call.charge.spend(CALL_POINTS);
      try {
        return await this.#once(issuer, call, TIMEOUT_MS - passed());
      } catch (error) {
        // A retry has less time than the first attempt, so the issuer's earlier failure is a better description than
        // the retry's time-out.
        failure = isTimeout(error) ? (failure ?? error) : error;
        throw failure;
      }
    });
  }

  async #once(issuer: IssuerRow, { url, key, body }: IssuerCall, timeoutMs: number): Promise<GuardedResponse> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'idempotency-key': key,
      ...this.#apiKey(issuer),
    };
    const request = { method: 'POST', headers, body: JSON.stringify(body) } as const;
    const answer = await this.outbound(url, { ...request, timeoutMs, maxBytes: MAX_BYTES });
    // A redirect is not followed, so it is also a failure.
    const kind = Math.floor(answer.status / 100);
    if (kind !== 2 && kind !== 4) throw new IssuerFailed(answer.status);
    return answer;
  }

  #apiKey({ _id, apiKeySealed }: IssuerRow): { 'x-api-key'?: string } {
    if (apiKeySealed === undefined) return {};
    return { 'x-api-key': this.box.unsealText(apiKeySealed, { what: 'api-key', whose: _id }) };
  }

  #circuit(key: string): CircuitBreakerPolicy {
    const existing = this.#circuits.get(key);
    if (existing) return existing;
    const breaker = new ConsecutiveBreaker(BREAK_AFTER);
    const circuit = circuitBreaker(handleAll, { halfOpenAfter: BREAK_MS, breaker });
    if (this.#circuits.size >= MAX_CIRCUITS) this.#circuits.delete(this.#circuits.keys().next().value ?? '');
    this.#circuits.set(key, circuit);
    return circuit;
  }
}

/** The error for an issuer that is unavailable. `retryAfter` in seconds. */
export function issuerUnavailable(
  { _id }: IssuerRow,
  what: string,
  { retryAfter = RETRY_AFTER, cause }: { retryAfter?: number; cause?: unknown } = {},
): DomainError {
  return new DomainError('STORE_UNAVAILABLE', `The issuer ${_id} ${what}.`, { retryAfter }, { cause });
}

/** How the call failed. @throws the cause if it is not the issuer's failure. */
function whatFailed(cause: unknown): string {
  if (cause instanceof IssuerFailed) return `answered HTTP ${cause.status}`;
  if (!(cause instanceof GuardedFetchError)) throw cause;
  return FAILURES[cause.reason];
}

const FAILURES: Readonly<Record<GuardedFetchError['reason'], string>> = {
  refused: 'has an address that the gateway may not call',
  connect: 'could not be reached',
  timeout: `did not answer in ${TIMEOUT_MS / 1_000} s`,
  'too-large': `answered with more than ${MAX_BYTES / 1_048_576} MiB`,
  compressed: 'sent an answer that is compressed in a way that cannot be read',
  broken: 'closed the connection before its answer was complete',
};

/** Request Timeout and Too Many Requests: the same request may succeed later. */
export const BUSY: readonly number[] = [408, 429];

/** A UUID (version 8, RFC 9562) derived from these parts. */
export function uuidOf(parts: readonly unknown[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The parsed JSON; undefined if the body is not JSON, or nested too deeply. */
export function jsonOf({ body }: GuardedResponse): unknown {
  const text = withoutBom(body.toString('utf8'));
  if (isTextDeeperThan(text, MAX_LEVELS)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller reports that the response does not have the contract's form.
  }
}
