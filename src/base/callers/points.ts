// How much callers may ask for: each has points, which are refilled with time. One point is about 100 µs of processor time. Each process
// counts on its own.
import { LRUCache } from 'lru-cache';
import { ANONYMOUS, type Caller } from './caller.js';
import { Bucket } from '../concurrency/bucket.js';
import type { Config } from '../config/config.js';
import { DomainError } from '../errors.js';
import { callerKeyOf } from './seats.js';

/** Points per second, from the configuration. */
export type PointLimits = Pick<Config, 'requestPoints' | 'partnerRequestPoints'>;

/** A caller can save up, or owe, the points of this many seconds. */
export const SAVED_SECONDS = 5;
/** The cost of a refusal: even a refused request is read and gets a response. */
const REFUSAL_POINTS = 4;
/** For how long after a request background work gives way. Milliseconds. */
const BUSY_MS = 250;
/** Buckets in memory. A caller whose bucket was evicted has all its points again. */
const MAX_CALLERS = 20_000;

/** The cost of a request, as `extensions.cost` reports it (contract §11). */
export interface CostSummary {
  /** Points charged before the request ran, and for completed work. */
  requested: number;
  /** `requested` without the points that were returned. */
  actual: number;
  /** Points that its caller has left. */
  remaining: number;
  /** When the caller has all its points again, ISO 8601. */
  resetAt: string;
}

/** Charges one request to its caller's bucket. Without a bucket, the request is free. */
export class Charge {
  #requested = 0;
  #actual = 0;

  constructor(readonly bucket: Bucket | undefined) {}

  /** Charges points before the work. @throws DomainError RATE_LIMITED if the caller has too few; the refusal costs points too. */
  take(points: number): void {
    if (this.bucket?.take(points) === false) {
      this.bucket.spend(REFUSAL_POINTS);
      throw outOfPoints(this.bucket, points);
    }
    this.#requested += points;
    this.#actual += points;
  }

  /** Charges points for completed work. */
  spend(points: number): void {
    this.bucket?.spend(points);
    this.#requested += points;
    this.#actual += points;
  }

  /** Refunds unused points. */
  giveBack(points: number): void {
    this.bucket?.giveBack(points);
    this.#actual -= points;
  }

  /** @param now milliseconds since the epoch. */
  summary(now: number): CostSummary {
    const { bucket } = this;
    const [left, capacity, perSecond] = bucket ? [bucket.left, bucket.capacity, bucket.perSecond] : [0, 0, 1];
    return {
      requested: Math.ceil(this.#requested),
      actual: Math.ceil(this.#actual),
      remaining: Math.max(0, Math.floor(left)),
      resetAt: new Date(now + ((capacity - left) / perSecond) * 1_000).toISOString(),
    };
  }
}

/** The points of one caller: it may owe as many as it may save. */
export function bucketOf(perSecond: number, clock: () => number): Bucket {
  const capacity = perSecond * SAVED_SECONDS;
  return new Bucket({ perSecond, capacity, maxDebt: capacity, clock });
}

/** The buckets of a process. */
export class Points {
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_CALLERS });
  /** The bucket of the last anonymous caller, whose requests often come in a row. */
  #newest: { address: string; bucket: Bucket } | undefined;
  /** When a caller last asked, by the monotonic clock. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly limits: PointLimits,
    private readonly clock: () => number = Date.now,
  ) {}

  /** A charge for a caller's next request; the operator pays nothing. @param address the client's IP address. */
  chargeTo(caller: Caller, address: string): Charge {
    return new Charge(this.of(caller, address));
  }

  /** Whether callers have asked for something just now; operators do not count. */
  get isBusy(): boolean {
    return performance.now() - this.#askedAt < BUSY_MS;
  }

  /** A caller's bucket; undefined for the operator. */
  of(caller: Caller, address: string): Bucket | undefined {
    if (caller.kind === 'operator') return undefined;
    this.#askedAt = performance.now();
    const { requestPoints, partnerRequestPoints } = this.limits;
    if (caller === ANONYMOUS) return this.#ofAnonymous(address);
    return this.#bucket(callerKeyOf(caller, address), caller.kind === 'partner' ? partnerRequestPoints : requestPoints);
  }

  /** The bucket that pays for wrong keys and tokens from an address. It is separate: strangers at its address must not use up a partner's points. */
  ofWrongCredentials(address: string): Bucket {
    return this.#bucket(`wrong ${callerKeyOf(ANONYMOUS, address)}`, this.limits.requestPoints);
  }

  #ofAnonymous(address: string): Bucket {
    if (this.#newest?.address === address) return this.#newest.bucket;
    const bucket = this.#bucket(callerKeyOf(ANONYMOUS, address), this.limits.requestPoints);
    this.#newest = { address, bucket };
    return bucket;
  }

  #bucket(key: string, perSecond: number): Bucket {
    const cached = this.#buckets.get(key);
    if (cached !== undefined) return cached;
    const bucket = bucketOf(perSecond, this.clock);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** The error for a caller without enough points. @param points what its work needs. */
export function outOfPoints(bucket: Bucket, points: number): DomainError {
  // Whole seconds, at least 1.
  const retryAfter = Math.max(1, Math.ceil(bucket.msUntil(points) / 1_000));
  const message = `This caller has asked for too much in a short time; try again in ${retryAfter} seconds.`;
  return new DomainError('RATE_LIMITED', message, { retryAfter });
}
