// What other issuers publish (keys, status lists): one read of an address at a time, in 5 seconds, and cached. An issuer that is dead, slow or
// hostile takes neither the reads nor the cache of the others. One that cannot be reached may be reached later; what it publishes wrongly is wrong.
import { LRUCache } from 'lru-cache';
import { Limit } from '../../base/concurrency/limit.js';
import { afterRunning } from '../../base/concurrency/running-time.js';
import { DomainError } from '../../base/errors.js';
import { GuardedFetchError } from './guarded-fetch-error.js';

/** What was read. */
export interface Fresh<T> {
  value: T;
  /** Bytes of memory, about. */
  size: number;
  /** How long it is good, ms. */
  goodForMs: number;
}

export interface IssuerReadsOptions {
  clock(): number;
  /** For one read with all its requests, and its turn, by `afterRunning`; default 5,000. */
  timeoutMs?: number;
}

/** Reads an address, until the signal. */
type Read<T> = (signal: AbortSignal) => Promise<Fresh<T> | undefined>;

/** One read of an address. */
interface Reading<T> {
  /** When it began. */
  readAt: number;
  /** Absent: it could not be read. */
  fresh?: Fresh<T> | undefined;
  isUnreached?: boolean;
}

interface Entry<T> {
  /** Undefined: there is nothing that can be used. */
  value: T | undefined;
  /** The last read did not reach the issuer. */
  isUnreached: boolean;
  size: number;
  readAt: number;
  until: number;
}

const TIMEOUT_MS = 5_000;
const LIMITS = { atOnce: 64, perKey: 4, maxWaitingPerKey: 100 };
/** How soon an address that could not be read is asked again. */
export const AGAIN_MS = 10_000;
const TOO_MANY = 429;
const FIRST_OF_SERVER = 500;
const PASSING: ReadonlySet<GuardedFetchError['reason']> = new Set(['connect', 'timeout', 'broken']);
const MAX_SIZE = 67_108_864;
const MAX_SIZE_OF_ISSUER = 8_388_608;
/** Of an entry, beside what was read. */
const ENTRY_SIZE = 1_000;

/** An issuer did not respond, or asks to come back later. */
export class IssuerUnreachable extends DomainError {
  constructor(cause?: unknown) {
    const message = 'The issuer of the credential cannot be reached right now; try again in 10 seconds.';
    super('STORE_UNAVAILABLE', message, { retryAfter: AGAIN_MS / 1_000 }, { cause });
  }
}

/** @throws IssuerUnreachable for the statuses 429 and 5xx. */
export function requireServed(status: number): void {
  if (status === TOO_MANY || status >= FIRST_OF_SERVER) throw new IssuerUnreachable();
}

/** Whether the failure of a read says nothing of what is at the address. */
const isUnreached = (error: unknown): boolean =>
  error instanceof IssuerUnreachable || (error instanceof GuardedFetchError && PASSING.has(error.reason));

/** Reads and caches. */
export class IssuerReads<T> {
  readonly #byIssuer = new LRUCache<string, LRUCache<string, Entry<T>>>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ calculatedSize }) => calculatedSize + ENTRY_SIZE,
  });
  readonly #reading = new Map<string, Promise<Entry<T>>>();
  readonly #limit = new Limit(LIMITS);

  constructor(private readonly options: IssuerReadsOptions) {}

  /**
   * What is at an issuer's address; undefined if it cannot be used.
   * @param maxAgeMs reads again what was read longer ago
   * @throws IssuerUnreachable if it is not cached, or too old, and the issuer does not respond
   */
  async get(
    issuerId: string,
    address: string,
    read: Read<T>,
    maxAgeMs = Number.POSITIVE_INFINITY,
  ): Promise<T | undefined> {
    const now = this.options.clock();
    const cached = this.#byIssuer.get(issuerId)?.get(address);
    const isCached = cached && cached.until > now && cached.readAt + maxAgeMs > now;
    const { value, isUnreached } = isCached ? cached : await this.#readOnce(issuerId, address, read);
    if (isUnreached && (value === undefined || maxAgeMs !== Number.POSITIVE_INFINITY)) throw new IssuerUnreachable();
    return value;
  }

  #readOnce(issuerId: string, address: string, read: Read<T>): Promise<Entry<T>> {
    const key = `${issuerId} ${address}`;
    const reading =
      this.#reading.get(key) ?? this.#read(issuerId, address, read).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #read(issuerId: string, address: string, read: Read<T>): Promise<Entry<T>> {
    const late = new AbortController();
    const { signal } = late;
    const endWait = afterRunning(this.options.timeoutMs ?? TIMEOUT_MS, () => late.abort());
    const work = async (): Promise<Entry<T>> => {
      // As old as the request: it may have changed since its issuer began to respond.
      const readAt = this.options.clock();
      try {
        return this.#store(issuerId, address, { readAt, fresh: await read(signal) });
      } catch (error) {
        return this.#store(issuerId, address, { readAt, isUnreached: signal.aborted || isUnreached(error) });
      }
    };
    // What got no turn was not read, so nothing is known of its address.
    try {
      return await this.#limit.run(work, { key: issuerId, signal });
    } catch (cause) {
      throw new IssuerUnreachable(cause);
    } finally {
      endWait();
    }
  }

  /** Stores what was read, or that it could not be read; what is still good then stays. */
  #store(issuerId: string, address: string, { readAt, fresh, isUnreached = false }: Reading<T>): Entry<T> {
    const now = this.options.clock();
    const ofIssuer =
      this.#byIssuer.get(issuerId) ??
      new LRUCache<string, Entry<T>>({ maxSize: MAX_SIZE_OF_ISSUER, sizeCalculation: ({ size }) => size + ENTRY_SIZE });
    const before = ofIssuer.get(address);
    const failed = before && before.until > now ? before : { value: undefined, size: 0, until: now + AGAIN_MS };
    const { value, size, until } = fresh ? { ...fresh, until: readAt + fresh.goodForMs } : failed;
    const entry = { value, size, until, isUnreached, readAt };
    ofIssuer.set(address, entry);
    // Its size is computed when it is set, and not if it is there.
    this.#byIssuer.delete(issuerId);
    this.#byIssuer.set(issuerId, ofIssuer);
    return entry;
  }
}
