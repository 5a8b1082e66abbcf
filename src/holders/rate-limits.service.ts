// Limits on what can be tried by guessing or filled by repeating: counted in the database, so that more processes give no more
// tries. What is counted (addresses, e-mails) is kept as keyed hashes only.
import { DomainError } from '../errors.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { isDuplicateKey } from '../keys/signing-keys.service.js';
import type { HolderModels } from './models.js';

/** At most `max` in each window of `seconds`. */
export interface Limit {
  /** What is counted: `login by e-mail`. */
  name: string;
  max: number;
  seconds: number;
}

/** Counts and refuses. */
export class RateLimits {
  constructor(
    private readonly models: Pick<HolderModels, 'rates'>,
    private readonly box: SealedBox,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Counts one more for each limit and its subject. @throws DomainError RATE_LIMITED with the seconds until the window ends. */
  async count(...counted: readonly [limit: Limit, subject: string][]): Promise<void> {
    await Promise.all(counted.map(([limit, subject]) => this.#countOne(limit, subject)));
  }

  async #countOne({ name, max, seconds }: Limit, subject: string): Promise<void> {
    const now = this.clock();
    const window = Math.floor(now / (seconds * 1_000));
    const endsAt = (window + 1) * seconds * 1_000;
    const _id = `${name} ${window} ${this.box.blindIndex('rate-limit', subject)}`;
    const count = await this.#increment(_id, new Date(endsAt));
    if (count <= max) return;
    const retryAfter = Math.max(1, Math.ceil((endsAt - now) / 1_000));
    throw new DomainError('RATE_LIMITED', `Too many requests; try again in ${retryAfter} seconds.`, { retryAfter });
  }

  async #increment(_id: string, expiresAt: Date): Promise<number> {
    const change = { $inc: { count: 1 }, $setOnInsert: { expiresAt } };
    const increment = () =>
      this.models.rates.findOneAndUpdate({ _id }, change, { upsert: true, returnDocument: 'after' }).lean();
    // Two processes may both find no row and insert; the second then increments what the first made.
    const row = await increment().catch((error: unknown) => {
      if (isDuplicateKey(error)) return increment();
      throw error;
    });
    return row?.count ?? 0;
  }
}
