// The command gate: bounds the concurrent work on the store of one caller, and of all anonymous callers together. Further work waits: each
// caller has a queue, and anonymous queues take turns. The gateway's own work bypasses the gate, and the operator's never waits.
import type { Caller } from '../base/callers/caller.js';
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

/** Runs work in its caller's turn: one command, or a few in a row. The work must not call this again. */
export type Ask = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits of concurrent work. */
export interface GateLimits {
  /** Of one caller with credentials. */
  perCaller: number;
  /** Of all anonymous callers together; one address may use a quarter of it. */
  anonymous: number;
}

/** Most work of one caller that may wait. */
const MAX_WAITING = 1_000;
const RETRY_SECONDS = 1;

/** The work of one caller. */
interface CallerQueue {
  readonly key: string;
  readonly isAnonymous: boolean;
  readonly most: number;
  running: number;
  /** Waiting work, oldest first. */
  readonly queue: QueuedCommand[];
}

interface QueuedCommand {
  asker: Asker;
  start(): void;
  leave(): void;
}

/** Admits work on the store, by caller. */
export class CommandGate {
  readonly #lines = new Map<string, CallerQueue>();
  /** Anonymous queues with waiting work; the first is served next. */
  readonly #turns = new Set<CallerQueue>();
  #anonymous = 0;

  constructor(private readonly limits: GateLimits) {}

  /** How many callers have work that runs or waits. */
  get callers(): number {
    return this.#lines.size;
  }

  /** How much work waits. */
  get queued(): number {
    return [...this.#lines.values()].reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** The way to the store for one caller. @param onDone told of each piece of work how long the store took for it, milliseconds. */
  of(asker: Asker, onDone?: (ms: number) => void): Ask {
    if (onDone === undefined) return (work) => this.run(asker, work);
    return (work) => this.run(asker, () => timed(work, onDone));
  }

  /**
   * Runs work at once, or in its caller's turn.
   * @throws DomainError RATE_LIMITED when too much of the caller's work waits, or its client has gone before the work began.
   */
  run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    if (asker.caller.kind === 'operator') return work();
    if (asker.hasLeft()) return Promise.reject(clientLeft());
    const line = this.#lineOf(asker);
    if (!this.#mayStart(line)) return this.#wait(line, asker, work);
    return this.#start(line, work);
  }

  #lineOf({ caller, address }: Asker): CallerQueue {
    const key = callerKeyOf(caller, address);
    const present = this.#lines.get(key);
    if (present) return present;
    const isAnonymous = caller.kind === 'anonymous';
    const { perCaller, anonymous } = this.limits;
    const most = isAnonymous ? Math.max(1, Math.floor(anonymous / 4)) : perCaller;
    const line: CallerQueue = { key, isAnonymous, most, running: 0, queue: [] };
    this.#lines.set(key, line);
    return line;
  }

  #mayStart({ isAnonymous, most, running }: CallerQueue): boolean {
    return running < most && (!isAnonymous || this.#anonymous < this.limits.anonymous);
  }

  async #start<T>(line: CallerQueue, work: () => Promise<T>): Promise<T> {
    line.running += 1;
    if (line.isAnonymous) this.#anonymous += 1;
    try {
      return await work();
    } finally {
      line.running -= 1;
      if (line.isAnonymous) this.#anonymous -= 1;
      this.#next(line);
    }
  }

  #wait<T>(line: CallerQueue, asker: Asker, work: () => Promise<T>): Promise<T> {
    if (line.queue.length >= MAX_WAITING) this.#dropLeft(line);
    if (line.queue.length >= MAX_WAITING) return Promise.reject(tooMuch());
    return new Promise<T>((resolve, reject) => {
      line.queue.push({
        asker,
        start: () => void this.#start(line, work).then(resolve, reject),
        leave: () => reject(clientLeft()),
      });
      if (line.isAnonymous) this.#turns.add(line);
    });
  }

  /** Removes waiting work whose client has gone. */
  #dropLeft(line: CallerQueue): void {
    for (const { asker, leave } of line.queue) if (asker.hasLeft()) leave();
    line.queue.splice(0, Number.POSITIVE_INFINITY, ...line.queue.filter(({ asker }) => !asker.hasLeft()));
    if (line.queue.length === 0) this.#turns.delete(line);
  }

  /** A slot is free: starts the next work whose client still waits. */
  #next(line: CallerQueue): void {
    for (let turn = this.#turnAfter(line); turn && this.#mayStart(turn); turn = this.#turnAfter(line)) {
      const first = turn.queue.shift();
      if (turn.queue.length === 0) this.#turns.delete(turn);
      if (!first) break;
      if (!first.asker.hasLeft()) {
        first.start();
        break;
      }
      first.leave();
      this.#forget(turn);
    }
    this.#forget(line);
  }

  #turnAfter(line: CallerQueue): CallerQueue | undefined {
    return line.isAnonymous ? this.#turn() : line;
  }

  /** The next anonymous queue, which then goes to the end of the line. */
  #turn(): CallerQueue | undefined {
    for (const turn of this.#turns) {
      if (!this.#mayStart(turn)) continue;
      this.#turns.delete(turn);
      this.#turns.add(turn);
      return turn;
    }
    return undefined;
  }

  #forget({ key, running, queue }: CallerQueue): void {
    if (running === 0 && queue.length === 0) this.#lines.delete(key);
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

function tooMuch(): DomainError {
  const message = `More than ${MAX_WAITING} requests of this caller wait for the store; try again shortly.`;
  return new DomainError('RATE_LIMITED', message, { retryAfter: RETRY_SECONDS });
}

/** No client receives this error. */
function clientLeft(): DomainError {
  return new DomainError('RATE_LIMITED', 'The request has ended before the store was asked.');
}
