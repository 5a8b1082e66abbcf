// What other issuers publish (keys, status lists): one read of an address at a time, in 5 seconds, and cached. An issuer that is dead, slow or
// hostile takes neither the reads nor the cache of the others.
import { LRUCache } from 'lru-cache';
import { Limit } from '../../base/concurrency/limit.js';

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
  /** For one read with all its requests, and its turn; default 5,000. */
  timeoutMs?: number;
}

/** Reads an address, until the signal. */
type Read<T> = (signal: AbortSignal) => Promise<Fresh<T> | undefined>;

interface Entry<T> {
  /** Undefined: it could not be read. */
  value: T | undefined;
  size: number;
  readAt: number;
  until: number;
}

const TIMEOUT_MS = 5_000;
const LIMITS = { atOnce: 64, perKey: 4, maxWaitingPerKey: 100 };
/** How soon an address that could not be read is asked again. */
export const AGAIN_MS = 10_000;
const MAX_SIZE = 67_108_864;
const MAX_SIZE_OF_ISSUER = 8_388_608;
/** Of an entry, beside what was read. */
const ENTRY_SIZE = 1_000;

/** Reads and caches. */
export class IssuerReads<T> {
  readonly #byIssuer = new LRUCache<string, LRUCache<string, Entry<T>>>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ calculatedSize }) => calculatedSize + ENTRY_SIZE,
  });
  readonly #reading = new Map<string, Promise<T | undefined>>();
  readonly #limit = new Limit(LIMITS);

  constructor(private readonly options: IssuerReadsOptions) {}

  /**
   * What is at an issuer's address; undefined if it cannot be read.
   * @param maxAgeMs reads again what was read longer ago
   */
  async get(
    issuerId: string,
    address: string,
    read: Read<T>,
    maxAgeMs = Number.POSITIVE_INFINITY,
  ): Promise<T | undefined> {
    const now = this.options.clock();
    const cached = this.#byIssuer.get(issuerId)?.get(address);
    if (cached && cached.until > now && cached.readAt + maxAgeMs > now) return cached.value;
    const key = `${issuerId} ${address}`;
    const reading =
      this.#reading.get(key) ?? this.#read(issuerId, address, read).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  #read(issuerId: string, address: string, read: Read<T>): Promise<T | undefined> {
    const signal = AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS);
    const work = async (): Promise<T | undefined> =>
      this.#store(issuerId, address, await read(signal).catch(() => undefined));
    // What got no turn was not read, so nothing is known of its address.
    return this.#limit.run(work, { key: issuerId, signal }).catch(() => undefined);
  }

  /** Stores what was read, or that it could not be read; what is still good then stays. */
  #store(issuerId: string, address: string, fresh: Fresh<T> | undefined): T | undefined {
    const now = this.options.clock();
    const ofIssuer =
      this.#byIssuer.get(issuerId) ??
      new LRUCache<string, Entry<T>>({ maxSize: MAX_SIZE_OF_ISSUER, sizeCalculation: ({ size }) => size + ENTRY_SIZE });
    const before = ofIssuer.get(address);
    const failed = before && before.until > now ? before : { value: undefined, size: 0, until: now + AGAIN_MS };
    const entry = fresh ? { ...fresh, until: now + fresh.goodForMs } : failed;
    ofIssuer.set(address, { value: entry.value, size: entry.size, until: entry.until, readAt: now });
    // Its size is computed when it is set, and not if it is there.
    this.#byIssuer.delete(issuerId);
    this.#byIssuer.set(issuerId, ofIssuer);
    return entry.value;
  }
}
