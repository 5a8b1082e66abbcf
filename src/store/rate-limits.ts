// Rate limits against guessing and flooding. They are counted in the database, so that additional processes do not
// allow additional tries. Subjects (IP addresses, e-mails) are stored only as keyed hashes.
import { LRUCache } from 'lru-cache';
import { type Connection, type Model, Schema } from 'mongoose';
import { ON_DUPLICATE } from '../base/mongodb/duplicate-key.js';
import { DomainError } from '../base/errors.js';
import type { SealedBox } from '../keys/sealed-box.js';

/** The count of a limit in one window of time. */
export interface RateRow {
  _id: string;
  count: number;
  expiresAt: Date;
}

const rate = new Schema<RateRow>(
  { _id: { type: String, required: true }, count: Number, expiresAt: Date },
  { collection: 'rateLimits', versionKey: false },
);
rate.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Registers the counts on a connection; builds no index (`migrate` does that). */
export const rateModel = (connection: Connection): Model<RateRow> => connection.model<RateRow>('RateLimit', rate);

/** A limit of `max` requests in each window of `seconds`. */
export interface RateLimit {
  /** The name of the limit, such as `login by e-mail`. */
  name: string;
  max: number;
  seconds: number;
  /** The noun in the refusal "Too many …"; default: requests. */
  what?: string;
}

/** One limit's count for one subject in the current window. */
interface Window {
  limit: RateLimit;
  /** The id of its row. */
  id: string;
  /** Milliseconds since the epoch. */
  endsAt: number;
}

/** The requests that a process may still allow without a database command. */
interface Grant {
  left: number;
  /** Until when the window's limit counts as reached across all processes, ms since the epoch: another one may revert counts. */
  spentUntil: number;
  reserving?: Promise<void>;
}

/** A process reserves this fraction of a limit at a time: small limits are counted one by one, large ones need few commands. */
const PART = 20;
const MAX_GRANTS = 20_000;
const SPENT_MS = 1_000;

/** Counts requests across all processes, and refuses those over a limit. */
export class RateLimits {
  readonly #grants = new LRUCache<string, Grant>({ max: MAX_GRANTS });

  constructor(
    private readonly rates: Model<RateRow>,
    private readonly box: SealedBox,
    private readonly clock: () => number = Date.now,
  ) {}

  /**
   * Counts a request for each limit and its subject, in order. A request that one limit refuses is not counted for the
   * next ones, so the limits of the requester's own subjects should come first. @returns a function that reverts the
   * counts.
   * @throws DomainError RATE_LIMITED with the seconds until the window ends.
   */
  async count(...counted: readonly [limit: RateLimit, subject: string][]): Promise<() => Promise<void>> {
    const windows = counted.map(([limit, subject]) => this.#windowOf(limit, subject));
    for (const window of windows) await this.#countOne(window);
    return () => this.#revert(windows);
  }

  /** Checks limits without counting. @throws DomainError RATE_LIMITED if one of them is reached for its subject. */
  async requireLeft(...counted: readonly [limit: RateLimit, subject: string][]): Promise<void> {
    const windows = counted.map(([limit, subject]) => this.#windowOf(limit, subject));
    const ids = windows.map(({ id }) => id);
    const rows = await this.rates.find({ _id: { $in: ids } }).lean();
    const counts = new Map(rows.map(({ _id, count }) => [_id, count]));
    const reached = windows.find(
      ({ id, limit }) => (counts.get(id) ?? 0) >= limit.max && !((this.#grants.get(id)?.left ?? 0) > 0),
    );
    if (reached !== undefined) throw this.#refusal(reached);
  }

  #windowOf(limit: RateLimit, subject: string): Window {
    const { name, seconds } = limit;
    const window = Math.floor(this.clock() / (seconds * 1_000));
    const id = `${name} ${window} ${this.box.blindIndex('rate-limit', subject)}`;
    return { limit, id, endsAt: (window + 1) * seconds * 1_000 };
  }

  async #countOne(window: Window): Promise<void> {
    const { limit, id, endsAt } = window;
    const grant = this.#grants.get(id) ?? { left: 0, spentUntil: 0 };
    this.#grants.set(id, grant);
    while (grant.left === 0 && grant.spentUntil <= this.clock()) {
      grant.reserving ??= this.#reserve(id, grant, limit, new Date(endsAt)).finally(() => {
        grant.reserving = undefined;
      });
      await grant.reserving;
    }
    if (grant.left === 0) throw this.#refusal(window);
    grant.left -= 1;
  }

  async #revert(windows: readonly Window[]): Promise<void> {
    const change = { $inc: { count: -1 } };
    await this.rates.bulkWrite(windows.map(({ id: _id }) => ({ updateOne: { filter: { _id }, update: change } })));
    for (const { id } of windows) {
      const grant = this.#grants.get(id);
      if (grant !== undefined) grant.spentUntil = 0;
    }
  }

  async #reserve(id: string, grant: Grant, { max }: RateLimit, expiresAt: Date): Promise<void> {
    const part = Math.max(1, Math.floor(max / PART));
    const count = await this.#increment(id, part, expiresAt);
    const granted = Math.max(0, part - Math.max(0, count - max));
    grant.left += granted;
    if (granted === 0) grant.spentUntil = this.clock() + SPENT_MS;
    // What is refused does not count, because what was granted may be reverted.
    if (granted < part) await this.rates.updateOne({ _id: id }, { $inc: { count: granted - part } });
  }

  async #increment(_id: string, by: number, expiresAt: Date): Promise<number> {
    const change = { $inc: { count: by }, $setOnInsert: { expiresAt } };
    const increment = () =>
      this.rates.findOneAndUpdate({ _id }, change, { upsert: true, returnDocument: 'after' }).lean();
    // Two processes may both find no row and insert one; the second then increments the row of the first.
    const row = await ON_DUPLICATE.execute(increment);
    return row?.count ?? 0;
  }

  #refusal({ limit: { what = 'requests' }, endsAt }: Window): DomainError {
    const retryAfter = Math.max(1, Math.ceil((endsAt - this.clock()) / 1_000));
    return new DomainError('RATE_LIMITED', `Too many ${what}; try again in ${retryAfter} seconds.`, { retryAfter });
  }
}
