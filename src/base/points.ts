// What callers may still ask for: points, which come back with time. One point is about 100 µs of processor time. Each process holds its own.
import { LRUCache } from 'lru-cache';
import { ANONYMOUS, type Caller } from './caller.js';
import type { Config } from './config.js';
import { DomainError } from './errors.js';
import { callerKeyOf } from './seats.js';

/** Points a second, from the configuration. */
export type PointLimits = Pick<Config, 'requestPoints' | 'partnerRequestPoints'>;

/** A caller saves up, or owes, the points of so many seconds. */
export const SAVED_SECONDS = 5;
/** What it costs to find out that work cannot be paid for: a request was read, and is answered. */
const REFUSAL_POINTS = 4;
/** Callers that are remembered; one that is forgotten has all its points again. */
const MAX_CALLERS = 20_000;

/** The points of one caller: a token bucket that may fall below 0. */
export class Bucket {
  readonly capacity: number;
  #points: number;
  #countedAt: number;

  constructor(
    readonly perSecond: number,
    private readonly clock: () => number,
  ) {
    this.capacity = perSecond * SAVED_SECONDS;
    this.#points = this.capacity;
    this.#countedAt = clock();
  }

  /** Points that are left, below 0 what is owed. */
  get left(): number {
    const now = this.clock();
    // A clock that was set back takes nothing away.
    const grown = (Math.max(0, now - this.#countedAt) / 1_000) * this.perSecond;
    this.#points = Math.min(this.capacity, this.#points + grown);
    this.#countedAt = now;
    return this.#points;
  }

  /** Takes points, or none when there are fewer. What costs more than half of a bucket needs half of one, and the rest is owed. */
  take(points: number): boolean {
    if (this.left < this.#needed(points)) return false;
    this.spend(points);
    return true;
  }

  /** Takes points for what is done already. */
  spend(points: number): void {
    this.#points = Math.max(-this.capacity, this.left - points);
  }

  giveBack(points: number): void {
    this.#points = Math.min(this.capacity, this.left + points);
  }

  /** Seconds until so many points are left, at least 1: whole, as `Retry-After` has them. */
  secondsUntil(points: number): number {
    return Math.max(1, Math.ceil((this.#needed(points) - this.left) / this.perSecond));
  }

  #needed(points: number): number {
    return Math.min(points, this.capacity / 2);
  }
}

/** What a request has cost, as `extensions.cost` tells it (contract §11). */
export interface CostSummary {
  /** Points taken before it ran. */
  requested: number;
  /** Points that it was worth. */
  actual: number;
  /** Points that its caller has left. */
  remaining: number;
  /** When all points are back, ISO 8601. */
  resetAt: string;
}

/** What one request takes from its caller's bucket; without one, the request is free. */
export class Charge {
  #requested = 0;
  #actual = 0;

  constructor(readonly bucket: Bucket | undefined) {}

  /** Takes points before the work that they are for. @throws DomainError RATE_LIMITED when the caller has fewer; that costs as well. */
  take(points: number): void {
    if (this.bucket?.take(points) === false) {
      this.bucket.spend(REFUSAL_POINTS);
      throw spent(this.bucket, points);
    }
    this.#requested += points;
    this.#actual += points;
  }

  /** Takes points for work that is done. */
  spend(points: number): void {
    this.bucket?.spend(points);
    this.#requested += points;
    this.#actual += points;
  }

  /** Gives back points that were not used. */
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

/** The buckets of a process. */
export class Points {
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_CALLERS });

  constructor(
    private readonly limits: PointLimits,
    private readonly clock: () => number = Date.now,
  ) {}

  /** What a caller's next request is charged to. The operator pays nothing. @param address the client's IP address. */
  chargeTo(caller: Caller, address: string): Charge {
    return new Charge(this.of(caller, address));
  }

  /** A caller's bucket; undefined for the operator. */
  of(caller: Caller, address: string): Bucket | undefined {
    if (caller.kind === 'operator') return undefined;
    const { requestPoints, partnerRequestPoints } = this.limits;
    return this.#bucket(callerKeyOf(caller, address), caller.kind === 'partner' ? partnerRequestPoints : requestPoints);
  }

  /** What an address pays for wrong keys and tokens with: apart from the rest, so that a partner is not behind strangers at its address. */
  ofWrongCredentials(address: string): Bucket {
    return this.#bucket(`wrong ${callerKeyOf(ANONYMOUS, address)}`, this.limits.requestPoints);
  }

  #bucket(key: string, perSecond: number): Bucket {
    const present = this.#buckets.get(key);
    if (present !== undefined) return present;
    const bucket = new Bucket(perSecond, this.clock);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** @param points what the caller should have. */
export function spent(bucket: Bucket, points: number): DomainError {
  const retryAfter = bucket.secondsUntil(points);
  const message = `This caller has asked for too much in a short time; try again in ${retryAfter} seconds.`;
  return new DomainError('RATE_LIMITED', message, { retryAfter });
}
