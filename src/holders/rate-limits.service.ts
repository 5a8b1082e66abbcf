// Limits on what can be tried by guessing or filled by repeating: counted in the database, so that more processes give no more
// tries. What is counted (addresses, e-mails) is kept as keyed hashes only.
import { LRUCache } from 'lru-cache';
import { isDuplicateKey } from '../base/duplicate-key.js';
import { DomainError } from '../base/errors.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { HolderModels } from './models.js';

/** At most `max` in each window of `seconds`. */
export interface Limit {
  /** What is counted: `login by e-mail`. */
  name: string;
  max: number;
  seconds: number;
}

/** What a process may still let through without asking the database again. */
interface Grant {
  left: number;
  /** The window's limit is reached, for everybody. */
  spent: boolean;
  asking?: Promise<void>;
}

/** A process takes this part of a limit at a time: small limits are counted one by one, large ones cost next to nothing. */
const PART = 20;
const MAX_GRANTS = 20_000;

/** Counts and refuses: never more than `max`, whatever the number of processes. */
export class RateLimits {
  readonly #grants = new LRUCache<string, Grant>({ max: MAX_GRANTS });

  constructor(
    private readonly models: Pick<HolderModels, 'rates'>,
    private readonly box: SealedBox,
    private readonly clock: () => number = Date.now,
  ) {}

  /**
   * Counts one more for each limit and its subject, in their order: what is refused by one is not counted for those after it, so limits that
   * only the asker uses up come first.
   * @throws DomainError RATE_LIMITED with the seconds until the window ends.
   */
  async count(...counted: readonly [limit: Limit, subject: string][]): Promise<void> {
    for (const [limit, subject] of counted) await this.#countOne(limit, subject);
  }

  async #countOne(limit: Limit, subject: string): Promise<void> {
    const { name, seconds } = limit;
    const now = this.clock();
    const window = Math.floor(now / (seconds * 1_000));
    const endsAt = (window + 1) * seconds * 1_000;
    const id = `${name} ${window} ${this.box.blindIndex('rate-limit', subject)}`;
    const grant = this.#grants.get(id) ?? { left: 0, spent: false };
    this.#grants.set(id, grant);
    while (grant.left === 0 && !grant.spent) {
      grant.asking ??= this.#ask(id, grant, limit, new Date(endsAt)).finally(() => {
        grant.asking = undefined;
      });
      await grant.asking;
    }
    if (grant.left === 0) throw refusal(Math.max(1, Math.ceil((endsAt - now) / 1_000)));
    grant.left -= 1;
  }

  async #ask(id: string, grant: Grant, { max }: Limit, expiresAt: Date): Promise<void> {
    const part = Math.max(1, Math.floor(max / PART));
    const count = await this.#increment(id, part, expiresAt);
    const granted = Math.max(0, part - Math.max(0, count - max));
    grant.left += granted;
    grant.spent = granted === 0;
  }

  async #increment(_id: string, by: number, expiresAt: Date): Promise<number> {
    const change = { $inc: { count: by }, $setOnInsert: { expiresAt } };
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

function refusal(retryAfter: number): DomainError {
  return new DomainError('RATE_LIMITED', `Too many requests; try again in ${retryAfter} seconds.`, { retryAfter });
}
