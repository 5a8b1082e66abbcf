// Limits by address of what wallets send: it is refused after so many refusals in a minute. What is good does not count: many people with offers
// may be behind one address (contract §34).
import { networkOf } from '../base/callers/client-address.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';

/** Counts the refusals of each address. */
export class AddressTries {
  readonly #limits: Readonly<Record<'request' | 'page', RateLimit>>;

  /** @param max refusals in a minute */
  constructor(
    private readonly limits: RateLimits,
    max: number,
  ) {
    const limit = { max, seconds: 60, what: 'refused requests' };
    this.#limits = {
      request: { ...limit, name: 'wallet refusals by address' },
      // Any web page can have its visitors ask for these.
      page: { ...limit, name: 'refused pages for wallets by address' },
    };
  }

  /**
   * Runs a request, and counts its refusal: those for pages apart from those that wallets send.
   * @throws DomainError RATE_LIMITED, before it runs, after too many refusals; what the request throws.
   */
  async count<T>(address: string, kind: 'request' | 'page', run: () => Promise<T>): Promise<T> {
    const subject = networkOf(address);
    const limit = this.#limits[kind];
    await this.limits.requireLeft([limit, subject]);
    try {
      return await run();
    } catch (thrown) {
      if (thrown instanceof ProtocolError) await this.limits.count([limit, subject]);
      throw thrown;
    }
  }
}
