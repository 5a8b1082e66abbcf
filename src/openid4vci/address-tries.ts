// Limits by address of what wallets send: it is refused after so many refusals in a minute. What is good does not count: many people with offers
// may be behind one address (contract §34).
import { networkOf } from '../base/callers/client-address.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';

/** Counts the refusals of each address. */
export class AddressTries {
  readonly #limit: RateLimit;

  /** @param max refusals in a minute */
  constructor(
    private readonly limits: RateLimits,
    max: number,
  ) {
    this.#limit = { name: 'wallet refusals by address', max, seconds: 60, what: 'refused requests' };
  }

  /**
   * Runs a request, and counts its refusal.
   * @throws DomainError RATE_LIMITED, before it runs, after too many refusals; what the request throws.
   */
  async count<T>(address: string, run: () => Promise<T>): Promise<T> {
    const subject = networkOf(address);
    await this.limits.requireLeft([this.#limit, subject]);
    try {
      return await run();
    } catch (thrown) {
      if (thrown instanceof ProtocolError) await this.limits.count([this.#limit, subject]);
      throw thrown;
    }
  }
}
