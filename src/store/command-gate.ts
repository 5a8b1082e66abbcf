// The command gate: limits the concurrent work on the store of each caller, and of all anonymous callers together. Work
// above a limit waits (base/concurrency/limit.ts). The gateway's own work bypasses the gate, and the operator's never
// waits.
import type { Caller } from '../base/callers/caller.js';
import { Limit, type LimitReason } from '../base/concurrency/limit.js';
import { DomainError } from '../base/errors.js';
import { callerKeyOf } from '../base/callers/seats.js';

/** The caller that needs the store. */
export interface Asker {
  caller: Caller;
  /** The client's IP address. */
  address: string;
  /** Whether the client has gone, so that no response is needed. */
  hasLeft(): boolean;
}

/** Runs work as soon as its caller's limit allows: one command, or a few in a row. The work must not call this function again. */
export type Ask = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits of concurrent work. */
export interface GateLimits {
  /** The limit of one caller with credentials. */
  perCaller: number;
  /** The limit of all anonymous callers together; one address may use a quarter of it. */
  anonymous: number;
}

/** Most work of one caller that may wait. */
const MAX_WAITING = 1_000;
const RETRY_SECONDS = 1;

/** Admits work on the store, by caller. */
export class CommandGate {
  readonly #credentialed: Limit;
  readonly #anonymous: Limit;

  constructor({ perCaller, anonymous }: GateLimits) {
    const queue = { maxWaitingPerKey: MAX_WAITING, refusal };
    this.#credentialed = new Limit({ ...queue, atOnce: Number.POSITIVE_INFINITY, perKey: perCaller });
    const perKey = Math.max(1, Math.floor(anonymous / 4));
    this.#anonymous = new Limit({ ...queue, atOnce: anonymous, perKey });
  }

  /** The number of callers with running or waiting work. */
  get callers(): number {
    return this.#credentialed.keys + this.#anonymous.keys;
  }

  /** The amount of waiting work. */
  get queued(): number {
    return this.#credentialed.waiting + this.#anonymous.waiting;
  }

  /**
   * The function that runs work of one caller, at once or after waiting. It throws DomainError RATE_LIMITED when too much of the caller's work
   * waits, or when the client has gone before the work began.
   * @param onDone called after each piece of work with the time that the store took for it, milliseconds.
   */
  of(asker: Asker, onDone?: (ms: number) => void): Ask {
    const run = this.#runnerOf(asker);
    return onDone === undefined ? run : (work) => run(() => timed(work, onDone));
  }

  /** Runs one piece of work, as `of` does. */
  run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    return this.#runnerOf(asker)(work);
  }

  #runnerOf(asker: Asker): Ask {
    const { caller, address } = asker;
    if (caller.kind === 'operator') return (work) => work();
    const limit = caller.kind === 'anonymous' ? this.#anonymous : this.#credentialed;
    const options = { key: callerKeyOf(caller, address), isAbandoned: () => asker.hasLeft() };
    return (work) => limit.run(work, options);
  }
}

async function timed<T>(work: () => Promise<T>, onDone: (ms: number) => void): Promise<T> {
  const from = performance.now();
  try {
    return await work();
  } finally {
    onDone(performance.now() - from);
  }
}

/** The error of refused work. If the client has gone, nobody receives it. */
function refusal(reason: LimitReason): DomainError {
  if (reason !== 'full') return new DomainError('RATE_LIMITED', 'The request has ended before the store was read.');
  const message = `More than ${MAX_WAITING} requests of this caller wait for the store; try again shortly.`;
  return new DomainError('RATE_LIMITED', message, { retryAfter: RETRY_SECONDS });
}
