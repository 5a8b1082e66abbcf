// How many database commands run at the same time for one caller, and for all anonymous callers together. The others wait: each caller in
// its own line, and anonymous lines are served in turn. Work without a request and the operator's never waits.
import type { Caller } from '../base/caller.js';
import { DomainError } from '../base/errors.js';
import type { RequestScope } from '../base/request-scope.js';
import { networkOf } from '../base/seats.js';

/** Commands at the same time. */
export interface GateLimits {
  /** Of one caller with credentials. */
  perCaller: number;
  /** Of all anonymous callers together; one address has a quarter of it. */
  anonymous: number;
}

/** Commands of one caller that may wait. */
const MAX_WAITING = 1_000;
const RETRY_SECONDS = 1;

/** The commands of one caller. */
interface Line {
  readonly key: string;
  readonly isAnonymous: boolean;
  readonly most: number;
  running: number;
  /** Commands that wait, each as what starts it. */
  readonly waiting: Set<() => void>;
}

export class CommandGate {
  readonly #lines = new Map<string, Line>();
  /** Anonymous lines with commands that wait; the first is served next. */
  readonly #turns = new Set<Line>();
  #anonymous = 0;

  constructor(private readonly limits: GateLimits) {}

  /** Commands that wait. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  /**
   * Runs a command, at once or when it is its turn.
   * @param scope whose command it is; undefined: the gateway's own.
   * @param leaves whether it leaves the line when the request ends.
   * @throws DomainError RATE_LIMITED when too many commands of the caller wait, or when its request ends before it is its turn.
   */
  run<T>(scope: RequestScope | undefined, command: () => Promise<T>, leaves = true): Promise<T> {
    if (leaves && scope?.hasEnded) return Promise.reject(gone());
    if (scope === undefined || scope.caller.kind === 'operator') return command();
    const line = this.#lineOf(scope);
    if (!this.#mayStart(line)) return this.#wait(line, leaves ? scope : undefined, command);
    return this.#start(line, command);
  }

  #lineOf({ caller, address }: RequestScope): Line {
    const key = keyOf(caller, address);
    const known = this.#lines.get(key);
    if (known) return known;
    const isAnonymous = caller.kind === 'anonymous';
    const { perCaller, anonymous } = this.limits;
    const most = isAnonymous ? Math.max(1, Math.floor(anonymous / 4)) : perCaller;
    const line = { key, isAnonymous, most, running: 0, waiting: new Set<() => void>() };
    this.#lines.set(key, line);
    return line;
  }

  #mayStart({ isAnonymous, most, running }: Line): boolean {
    return running < most && (!isAnonymous || this.#anonymous < this.limits.anonymous);
  }

  async #start<T>(line: Line, command: () => Promise<T>): Promise<T> {
    line.running += 1;
    if (line.isAnonymous) this.#anonymous += 1;
    try {
      return await command();
    } finally {
      line.running -= 1;
      if (line.isAnonymous) this.#anonymous -= 1;
      this.#next(line);
    }
  }

  #wait<T>(line: Line, scope: RequestScope | undefined, command: () => Promise<T>): Promise<T> {
    if (line.waiting.size >= MAX_WAITING) return Promise.reject(tooMany());
    return new Promise<T>((resolve, reject) => {
      const waiting = (): void => {
        stay?.();
        this.#remove(line, waiting);
        this.#start(line, command).then(resolve, reject);
      };
      const stay = scope?.onEnd(() => {
        this.#remove(line, waiting);
        this.#forget(line);
        reject(gone());
      });
      line.waiting.add(waiting);
      if (line.isAnonymous) this.#turns.add(line);
    });
  }

  #remove(line: Line, waiting: () => void): void {
    line.waiting.delete(waiting);
    if (line.waiting.size === 0) this.#turns.delete(line);
  }

  /** A place is free. */
  #next(line: Line): void {
    const turn = line.isAnonymous ? this.#turn() : line;
    if (turn && this.#mayStart(turn)) {
      const [first] = turn.waiting;
      first?.();
    }
    this.#forget(line);
  }

  /** The anonymous line that is next, which goes behind all others. */
  #turn(): Line | undefined {
    for (const turn of this.#turns) {
      if (!this.#mayStart(turn)) continue;
      this.#turns.delete(turn);
      this.#turns.add(turn);
      return turn;
    }
    return undefined;
  }

  #forget({ key, running, waiting }: Line): void {
    if (running === 0 && waiting.size === 0) this.#lines.delete(key);
  }
}

function keyOf(caller: Caller, address: string): string {
  if (caller.kind === 'partner') return `partner ${caller.partnerId}`;
  if (caller.kind === 'holder') return `holder ${caller.holderId}`;
  return `address ${networkOf(address)}`;
}

function tooMany(): DomainError {
  const message = `More than ${MAX_WAITING} database commands of this caller wait; try again shortly.`;
  return new DomainError('RATE_LIMITED', message, { retryAfter: RETRY_SECONDS });
}

/** Nobody is told of it. */
function gone(): DomainError {
  return new DomainError('RATE_LIMITED', 'The request has ended before the store was asked.');
}
