// Wrong codes of all logins together, over hours and days: the five tries of one login bound nobody who begins many.
import type { Counter } from 'prom-client';
import { networkOf } from '../base/callers/client-address.js';
import { canonicalEmail } from './email.js';
import type { Limit, RateLimits } from '../store/rate-limits.js';

/** A login, and where its code comes from. */
export interface CodeSender {
  email: string;
  partnerId: string;
  /** Who vouches for the login; absent for strangers. */
  vouchedBy?: 'partner' | 'holder';
  /** The client's IP address. */
  address: string;
}

/** What became of a code; refused: it was not compared. */
export type CodeResult = 'right' | 'wrong' | 'refused';

const what = 'wrong codes';
const HOUR = 3_600;
const DAY = 24 * HOUR;
const BY_NETWORK: Limit = { name: 'wrong codes by network', max: 30, seconds: HOUR, what };
const BY_NETWORK_AND_EMAIL: Limit = { name: 'wrong codes by network and e-mail', max: 10, seconds: DAY, what };
const BY_EMAIL_IN_A_DAY: Limit = { name: 'wrong codes by e-mail in a day', max: 30, seconds: DAY, what };
const BY_EMAIL_IN_A_WEEK: Limit = { name: 'wrong codes by e-mail in a week', max: 100, seconds: 7 * DAY, what };

export interface WrongCodesOptions {
  limits: RateLimits;
  /** Wrong codes of all strangers together in an hour, and of all logins that one partner vouches for. */
  perHour: number;
  /** Counts codes for the operator. */
  results: Counter<'result'>;
}

/** Counts wrong codes, and refuses further ones. */
export class WrongCodes {
  readonly #together: Limit;

  constructor(private readonly options: WrongCodesOptions) {
    this.#together = { name: 'wrong codes together', max: options.perHour, seconds: HOUR, what };
  }

  /** @throws DomainError RATE_LIMITED when a code of this login would be refused now. */
  requireLeft(sender: CodeSender): Promise<void> {
    return this.options.limits.requireLeft(...this.#limitsOf(sender));
  }

  /**
   * Compares a code. It counts as wrong from before, so that concurrent guesses get no more tries; a right one is taken back.
   * @returns whether it is right. @throws DomainError RATE_LIMITED, before the code is compared.
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
   * Those who vouch, and strangers, have limits of their own, so that strangers lock out nobody with a session or a partner token. Strangers
   * use up the limits of their network first.
   */
  #limitsOf({ partnerId, vouchedBy, address, ...sender }: CodeSender): [Limit, string][] {
    const email = canonicalEmail(sender.email);
    const asker = vouchedBy === 'partner' ? `partner ${partnerId}` : (vouchedBy ?? 'strangers');
    const byEmail: [Limit, string][] = [BY_EMAIL_IN_A_DAY, BY_EMAIL_IN_A_WEEK].map((limit) => [
      limit,
      `${asker} ${email}`,
    ]);
    if (vouchedBy === 'holder') return byEmail;
    if (vouchedBy === 'partner') return [...byEmail, [this.#together, asker]];
    const network = networkOf(address);
    return [[BY_NETWORK, network], [BY_NETWORK_AND_EMAIL, `${network} ${email}`], ...byEmail, [this.#together, asker]];
  }
}
