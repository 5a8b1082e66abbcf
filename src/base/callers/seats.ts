// Limits how many connections a caller may hold open: sockets and event streams together, in this process.
import { type Caller, limitedAs } from './caller.js';
import { networkOf } from './client-address.js';
import type { Config } from '../config/config.js';
import { type Leave, Limit } from '../concurrency/limit.js';
import { DomainError } from '../errors.js';

/** Limits of long connections, from the configuration. */
export type ConnectionLimits = Pick<
  Config,
  'sockets' | 'socketOperations' | 'partnerSockets' | 'partnerSocketOperations'
>;

/** Releases the seat; further calls do nothing. */
export type Seat = Leave;

const RETRY_SECONDS = 60;

/** The seats of all callers. */
export class Seats {
  readonly #ofTrusted: Limit;
  readonly #ofOthers: Limit;

  constructor(private readonly limits: ConnectionLimits) {
    const seats = (perKey: number): Limit => new Limit({ atOnce: Number.POSITIVE_INFINITY, perKey });
    this.#ofTrusted = seats(limits.partnerSockets);
    this.#ofOthers = seats(limits.sockets);
  }

  /**
   * Takes a seat for one connection of a caller.
   * @param address the client's IP address, which identifies callers without credentials.
   * @throws DomainError RATE_LIMITED when all the caller's seats are taken.
   */
  take(caller: Caller, address: string): Seat {
    const { sockets, partnerSockets } = this.limits;
    const [limit, max] = isTrusted(caller) ? [this.#ofTrusted, partnerSockets] : [this.#ofOthers, sockets];
    const seat = limit.enter(callerKeyOf(caller, address));
    if (seat === undefined) throw tooMany(caller, max);
    return seat;
  }

  /** Operations that one socket of this caller may run at the same time. */
  operationsOf(caller: Caller): number {
    return isTrusted(caller) ? this.limits.partnerSocketOperations : this.limits.socketOperations;
  }
}

const isTrusted = ({ kind }: Caller): boolean => kind === 'partner' || kind === 'operator';

/** Callers that share their limits have the same key; `address`: the client's IP address. */
export function callerKeyOf(caller: Caller, address: string): string {
  if (caller.kind === 'partner') return `partner ${caller.partnerId}`;
  if (caller.kind === 'holder') return `holder ${limitedAs(caller)}`;
  // Any script of a partner's page has a page token: it must not use up what the holder's own sessions have.
  if (caller.kind === 'page') return `page ${limitedAs(caller.holder)}`;
  return caller.kind === 'operator' ? 'operator' : `address ${networkOf(address)}`;
}

function tooMany({ kind }: Caller, max: number): DomainError {
  const who = kind === 'anonymous' ? 'One address without credentials' : 'One caller';
  const message = `${who} may have ${max} sockets and event streams open at the same time.`;
  return new DomainError('RATE_LIMITED', message, { retryAfter: RETRY_SECONDS });
}
