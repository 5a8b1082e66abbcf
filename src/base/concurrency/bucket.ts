// Rate: a token bucket that may fall below 0 (docs/mechanisms.md#rate).

export interface BucketOptions {
  /** Tokens that are added each second. */
  perSecond: number;
  /** The most tokens that are saved; a new bucket is full. */
  capacity: number;
  /** The most tokens that are owed. */
  maxDebt: number;
  /** Milliseconds. */
  clock(): number;
}

/** Tokens that are added with time, and spent by work. */
export class Bucket {
  #tokens: number;
  #countedAt: number;

  constructor(private readonly options: BucketOptions) {
    this.#tokens = options.capacity;
    this.#countedAt = options.clock();
  }

  get capacity(): number {
    return this.options.capacity;
  }

  get perSecond(): number {
    return this.options.perSecond;
  }

  /** Tokens that are left; negative when some are owed. */
  get left(): number {
    const { perSecond, capacity, clock } = this.options;
    const now = clock();
    // A clock that was set back does not reduce the tokens.
    const refill = (Math.max(0, now - this.#countedAt) / 1_000) * perSecond;
    this.#tokens = Math.min(capacity, this.#tokens + refill);
    this.#countedAt = now;
    return this.#tokens;
  }

  /** Charges tokens, or none if too few remain. Work of more than half a bucket needs only half a bucket; the rest is owed. */
  take(tokens: number): boolean {
    if (this.left < this.#needed(tokens)) return false;
    this.spend(tokens);
    return true;
  }

  /** Charges tokens for completed work; the balance may become negative. */
  spend(tokens: number): void {
    this.#tokens = Math.max(-this.options.maxDebt, this.left - tokens);
  }

  /** Returns tokens that were charged and not used. */
  giveBack(tokens: number): void {
    this.#tokens = Math.min(this.options.capacity, this.left + tokens);
  }

  /** Milliseconds until `take` of this many succeeds. */
  msUntil(tokens: number): number {
    return Math.max(0, ((this.#needed(tokens) - this.left) / this.options.perSecond) * 1_000);
  }

  #needed(tokens: number): number {
    return Math.min(tokens, this.options.capacity / 2);
  }
}
