// Bounded concurrency: so much work of one kind at a time, fair by key, with a bounded queue (docs/mechanisms.md#bounded-concurrency).

/** The key of work: keys are served in rotation. Work without a key is bounded only together with all other work. */
type Key = string | undefined;

/** Why work did not run: the queue is full, it waited too long, its result is no longer needed, or the limit is closed. */
export type LimitReason = 'full' | 'late' | 'abandoned' | 'closed';

/** Thrown if work was refused before it began. */
export class LimitRefusal extends Error {
  override readonly name = 'LimitRefusal';

  constructor(readonly reason: LimitReason) {
    super(`the work was not started: ${reason}`);
  }
}

export interface LimitOptions {
  /** How many pieces of work may run at the same time. */
  atOnce: number;
  /** How many pieces with the same key may run at the same time; default `atOnce`. */
  perKey?: number;
  /** How many pieces may wait, in all and with the same key; default: no limit. */
  maxWaiting?: number;
  maxWaitingPerKey?: number;
  /** How long work may wait, milliseconds; default: no bound. */
  maxWaitMs?: number;
  /** The error that refused work throws; default `LimitRefusal`. */
  refusal?(reason: LimitReason, key?: string): Error;
}

/** Options of one piece of work. */
export interface RunOptions {
  key?: string | undefined;
  /** Removes the work from the queue. Work that runs is not stopped. */
  signal?: AbortSignal;
  /** Whether the result is no longer needed; called before the work starts, and when the queue is full. */
  isAbandoned?(): boolean;
  /** Milliseconds after which the work continues without its slot. */
  slotMs?: number | undefined;
}

/** Releases the slot; further calls do nothing. */
export type Leave = () => void;

/** The work of one key. */
interface Line {
  readonly key: Key;
  running: number;
  /** Oldest first. */
  readonly waiting: Waiting[];
}

interface Waiting {
  start(): void;
  refuse(reason: LimitReason): void;
  isAbandoned: (() => boolean) | undefined;
}

/** Runs work within its bounds. Work of one key starts in order, and keys with waiting work take turns. */
export class Limit {
  readonly #lines = new Map<Key, Line>();
  /** Lines with waiting work that may have one more slot; the first is served next. */
  readonly #turns = new Set<Line>();
  #running = 0;
  #waiting = 0;
  #isClosed = false;
  #atOnce: number;

  constructor(private readonly options: LimitOptions) {
    this.#atOnce = options.atOnce;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many keys have work that runs or waits. */
  get keys(): number {
    return this.#lines.size;
  }

  get atOnce(): number {
    return this.#atOnce;
  }

  /** A higher bound starts waiting work at once. A lower one stops nothing. */
  set atOnce(atOnce: number) {
    this.#atOnce = atOnce;
    this.#startNext();
  }

  /** Work of a key that runs or waits. */
  countOf(key: Key): number {
    return (this.#lines.get(key)?.running ?? 0) + this.waitingOf(key);
  }

  waitingOf(key: Key): number {
    return this.#lines.get(key)?.waiting.length ?? 0;
  }

  /** A slot, if one is free now, for example for a connection; never waits. */
  enter(key?: string): Leave | undefined {
    const line = this.#lineOf(key);
    if (!this.#mayStart(line)) return undefined;
    this.#take(line);
    let leave = (): void => this.#leave(line);
    return () => {
      leave();
      leave = () => {};
    };
  }

  /**
   * Runs work at once, or after the work before it. @throws the refusal of the options if it does not start, and the
   * errors of the work.
   */
  run<T>(work: () => Promise<T>, options: RunOptions = {}): Promise<T> {
    if (this.#isClosed) return Promise.reject(this.#refusal('closed', options.key));
    if (options.signal?.aborted || options.isAbandoned?.())
      return Promise.reject(this.#refusal('abandoned', options.key));
    const line = this.#lineOf(options.key);
    return this.#mayStart(line) ? this.#start(line, work, options.slotMs) : this.#wait(line, work, options);
  }

  /** Refuses all waiting work, and all later work. */
  close(): void {
    this.#isClosed = true;
    for (const { waiting } of this.#lines.values()) for (const { refuse } of [...waiting]) refuse('closed');
  }

  #lineOf(key: Key): Line {
    const line = this.#lines.get(key);
    return line ?? { key, running: 0, waiting: [] };
  }

  #mayStart(line: Line): boolean {
    return this.#running < this.#atOnce && this.#mayHaveMore(line);
  }

  #mayHaveMore({ key, running }: Line): boolean {
    return key === undefined || running < (this.options.perKey ?? Number.POSITIVE_INFINITY);
  }

  #take(line: Line): void {
    if (line.running === 0) this.#lines.set(line.key, line);
    line.running += 1;
    this.#running += 1;
    if (line.waiting.length > 0) this.#update(line);
  }

  #leave(line: Line): void {
    line.running -= 1;
    this.#running -= 1;
    this.#update(line);
    this.#startNext();
  }

  async #start<T>(line: Line, work: () => Promise<T>, slotMs?: number): Promise<T> {
    this.#take(line);
    let hasSlot = true;
    const leave = (): void => {
      if (hasSlot) this.#leave(line);
      hasSlot = false;
    };
    const timer = slotMs === undefined ? undefined : setTimeout(leave, slotMs);
    try {
      return await work();
    } finally {
      if (timer !== undefined) clearTimeout(timer);
      leave();
    }
  }

  #wait<T>(line: Line, work: () => Promise<T>, { signal, isAbandoned, slotMs }: RunOptions): Promise<T> {
    if (this.#isFull(line)) this.#dropAbandoned(line);
    if (this.#isFull(line)) return Promise.reject(this.#refusal('full', line.key));
    return new Promise<T>((resolve, reject) => {
      const abort = (): void => entry.refuse('abandoned');
      const { maxWaitMs } = this.options;
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => entry.refuse('late'), maxWaitMs);
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#remove(line, entry);
      };
      const entry: Waiting = {
        isAbandoned,
        start: () => {
          end();
          this.#start(line, work, slotMs).then(resolve, reject);
        },
        refuse: (reason) => {
          end();
          reject(this.#refusal(reason, line.key));
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#lines.set(line.key, line);
      line.waiting.push(entry);
      this.#waiting += 1;
      this.#update(line);
    });
  }

  #isFull({ key, waiting }: Line): boolean {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitingPerKey = Number.POSITIVE_INFINITY } = this.options;
    return this.#waiting >= maxWaiting || (key !== undefined && waiting.length >= maxWaitingPerKey);
  }

  #dropAbandoned({ waiting }: Line): void {
    for (const { isAbandoned, refuse } of [...waiting]) if (isAbandoned?.()) refuse('abandoned');
  }

  #remove(line: Line, entry: Waiting): void {
    // Nearly always the first entry.
    line.waiting.splice(line.waiting.indexOf(entry), 1);
    this.#waiting -= 1;
    this.#update(line);
  }

  /** Lists a line in `#turns` while it has waiting work and may have one more slot; removes a line without any work. */
  #update(line: Line): void {
    if (line.waiting.length > 0 && this.#mayHaveMore(line)) this.#turns.add(line);
    else this.#turns.delete(line);
    if (line.waiting.length === 0 && line.running === 0) this.#lines.delete(line.key);
  }

  /** Starts waiting work while slots are free. A line that was served has the last turn. */
  #startNext(): void {
    while (this.#running < this.#atOnce) {
      const [line] = this.#turns;
      const next = line?.waiting[0];
      if (line === undefined || next === undefined) return;
      // The line keeps its turn for its next work.
      if (next.isAbandoned?.()) next.refuse('abandoned');
      else {
        this.#turns.delete(line);
        next.start();
      }
    }
  }

  #refusal(reason: LimitReason, key: Key): Error {
    return this.options.refusal?.(reason, key) ?? new LimitRefusal(reason);
  }
}
