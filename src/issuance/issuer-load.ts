// Limits calls to issuers: a holder pays points for each call, and concurrent calls are limited per holder, per issuer and per both.
import { type HolderCaller, limitedAs } from '../base/callers/caller.js';
import type { Charge, Points } from '../base/callers/points.js';
import { Limit } from '../base/concurrency/limit.js';
import { DomainError } from '../base/errors.js';

/** The price of a call: its connection, and reading and checking a response of the usual size. */
export const CALL_POINTS = 50;
/** Bytes of a response that cost one more point: parsing a MiB of JSON with many small parts takes 30 ms or more. */
export const BYTES_PER_POINT = 1_024;
/**
 * Concurrent calls in a process: of one holder, to one issuer, and of one holder to one issuer, so that no holder can
 * use up all calls to an issuer.
 */
const MAX_OF_HOLDER = 40;
const MAX_TO_ISSUER = 32;
const MAX_OF_HOLDER_TO_ISSUER = 4;
const RETRY_SECONDS = 10;
const UNBOUNDED = { atOnce: Number.POSITIVE_INFINITY };

/** Counts the calls of a process. */
export class IssuerLoad {
  // These limits only count: `admit` and `obstacle` refuse calls before they begin.
  readonly #byHolder = new Limit(UNBOUNDED);
  readonly #byIssuer = new Limit(UNBOUNDED);
  readonly #byBoth = new Limit(UNBOUNDED);

  constructor(private readonly points: Points) {}

  /**
   * Charges a holder for calls that begin at once. @throws DomainError RATE_LIMITED if it has too few points, or too
   * many calls in progress.
   */
  admit(caller: HolderCaller, calls: number): Charge {
    if (this.#byHolder.countOf(limitedAs(caller)) + calls > MAX_OF_HOLDER) {
      const message = `A holder may have ${MAX_OF_HOLDER} calls to issuers under way at the same time.`;
      throw new DomainError('RATE_LIMITED', message, { retryAfter: RETRY_SECONDS });
    }
    // A holder's points do not depend on its address.
    const charge = this.points.chargeTo(caller, '');
    charge.take(calls * CALL_POINTS);
    return charge;
  }

  /** Why a holder's call to an issuer may not begin now, as the end of a sentence; undefined if it may. */
  obstacle(caller: HolderCaller, issuerId: string): string | undefined {
    if (this.#byBoth.countOf(`${limitedAs(caller)} ${issuerId}`) >= MAX_OF_HOLDER_TO_ISSUER)
      return `has ${MAX_OF_HOLDER_TO_ISSUER} calls of this holder under way, the most at the same time`;
    return this.#byIssuer.countOf(issuerId) >= MAX_TO_ISSUER ? 'is asked by too many at the same time' : undefined;
  }

  /** Runs a call, which counts until it ends. */
  run<T>(caller: HolderCaller, issuerId: string, call: () => Promise<T>): Promise<T> {
    const key = limitedAs(caller);
    const ofBoth = () => this.#byBoth.run(call, { key: `${key} ${issuerId}` });
    return this.#byHolder.run(() => this.#byIssuer.run(ofBoth, { key: issuerId }), { key });
  }
}
