// Limits wrong codes across all logins, per hour and day: the five tries of a login do not stop an attacker who starts many logins.
import type { Counter } from 'prom-client';
import { networkOf } from '../base/callers/client-address.js';
import { canonicalEmail } from './email.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';

/** The login of a code, and the client that sent the code. */
export interface CodeSender {
  email: string;
  partnerId: string;
  /** Who vouches for the login; absent for strangers. */
  vouchedBy?: 'partner' | 'holder';
  /** The client's IP address. */
  address: string;
}

/** The outcome of sending a code. Refused: the code was not compared. */
export type CodeResult = 'right' | 'wrong' | 'refused';

const what = 'wrong codes';
const HOUR = 3_600;
const DAY = 24 * HOUR;
const BY_NETWORK: RateLimit = { name: 'wrong codes by network', max: 30, seconds: HOUR, what };
const BY_NETWORK_AND_EMAIL: RateLimit = { name: 'wrong codes by network and e-mail', max: 10, seconds: DAY, what };
const BY_EMAIL_IN_A_DAY: RateLimit = { name: 'wrong codes by e-mail in a day', max: 30, seconds: DAY, what };
const BY_EMAIL_IN_A_WEEK: RateLimit = { name: 'wrong codes by e-mail in a week', max: 100, seconds: 7 * DAY, what };

export interface WrongCodesOptions {
  limits: RateLimits;
  /** Maximum of wrong codes in an hour: of all strangers together, and of all logins for which one partner vouches. */
  perHour: number;
  /** The metric of codes by result. */
  results: Counter<'result'>;
}

/** Counts wrong codes, and refuses codes over a limit. */
export class WrongCodes {
  readonly #together: RateLimit;

  constructor(private readonly options: WrongCodesOptions) {
    this.#together = { name: 'wrong codes together', max: options.perHour, seconds: HOUR, what };
  }

  /** @throws DomainError RATE_LIMITED if a code of this login would be refused now. */
  requireLeft(sender: CodeSender): Promise<void> {
    return this.options.limits.requireLeft(...this.#limitsOf(sender));
  }

  /**
   * Compares a code. It is counted as wrong before the comparison, so that concurrent guesses do not get extra tries;
   * the count of a correct one is reverted. @returns whether it is correct. @throws DomainError RATE_LIMITED, before
   * the code is compared.
   */
  async compare(sender: CodeSender, isRight: () => boolean): Promise<boolean> {
    const { limits } = this.options;
    const takeBack = await limits.count(...this.#limitsOf(sender)).catch((error: unknown) => {
      this.#record('refused');
      throw error;
    });
    const right = isRight();
    this.#record(right ? 'right' : 'wrong');
    if (right) await takeBack();
    return right;
  }

  #record(result: CodeResult): void {
    this.options.results.inc({ result });
  }

  /**
   * The limits of a login. Strangers have separate limits, so that they cannot lock out clients with a session or a
   * partner token; the limits of their network come first.
   */
  #limitsOf({ partnerId, vouchedBy, address, ...sender }: CodeSender): [RateLimit, string][] {
    const email = canonicalEmail(sender.email);
    const asker = vouchedBy === 'partner' ? `partner ${partnerId}` : (vouchedBy ?? 'strangers');
    const byEmail: [RateLimit, string][] = [BY_EMAIL_IN_A_DAY, BY_EMAIL_IN_A_WEEK].map((limit) => [
      limit,
      `${asker} ${email}`,
    ]);
    if (vouchedBy === 'holder') return byEmail;
    if (vouchedBy === 'partner') return [...byEmail, [this.#together, asker]];
    const network = networkOf(address);
    return [[BY_NETWORK, network], [BY_NETWORK_AND_EMAIL, `${network} ${email}`], ...byEmail, [this.#together, asker]];
  }
}
