// Works on claimed rows, such as jobs, in turns. In a turn, a process claims the row that has waited longest, works on a part of it, and releases it.
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { ChangeListener, StoreChange } from './change-feed.js';
import { pause } from './lease.js';
import { pollDue } from './poll-due.js';
import type { ProcessLease } from './process-lease.js';
import type { ClaimedRow, RowClaim, RowClaims } from './row-claims.js';

/** Shortest time between two reads that find no work, milliseconds. */
const GAP_MS = 200;
/** The pause after a failure, and while gateways of earlier versions have rows. */
const RETRY_MS = 2_000;
/** How often rows of dead processes are searched while there is other work. Milliseconds. */
const RECOVER_MS = 5_000;

export interface RowWorkerOptions<R extends ClaimedRow> {
  claims: RowClaims<R>;
  processLease: ProcessLease;
  /** One turn of work on a claimed row. The signal aborts when the turn must end. */
  work(row: R, signal: AbortSignal): Promise<void>;
  onError(error: unknown): void;
}

/** Works on rows, turn by turn, until it is stopped. */
export class RowWorker<R extends ClaimedRow> implements Worker {
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  readonly #awaited = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #recoveredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: RowWorkerOptions<R>) {}

  /** The listener for the rows' collection: reports rows with a new state, and released rows. */
  readonly changes: ChangeListener = {
    ignores: ['delete'],
    onlyUpdatesOf: ['state', 'worker'],
    changed: (changes) => {
      if (changes.some(mayBeFree)) this.#bell.ring();
    },
    interrupted: () => this.#bell.ring(),
  };

  /** Starts to look for rows; returns at once. */
  start(): void {
    const { signal } = this.#stop;
    this.#running = pollDue({ signal, bell: this.#bell, clock: Date.now, gapMs: GAP_MS, work: () => this.#work() });
  }

  /** Ends the turn in progress, releases its row and resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Claims the row that has waited longest and works on it for a turn. Returns whether there was one. */
  async turn(): Promise<boolean> {
    const { claims, work } = this.options;
    const claim = await claims.next();
    if (claim === undefined) return false;
    try {
      await work(claim.row, this.#endOf(claim));
    } finally {
      await claims.release(claim.row);
    }
    return true;
  }

  #endOf({ lost }: RowClaim<R>): AbortSignal {
    return AbortSignal.any([this.#stop.signal, lost]);
  }

  async #work(): Promise<number | undefined> {
    const { signal } = this.#stop;
    try {
      do {
        if (performance.now() - this.#recoveredAt > RECOVER_MS) await this.#recover();
      } while (!signal.aborted && (await this.turn()));
      if (signal.aborted) return undefined;
      return (await this.#recover()) ? Date.now() + RETRY_MS : undefined;
    } catch (error) {
      if (!signal.aborted) this.options.onError(error);
      // Does not wait for the bell, because the release of the row has just rung it.
      await pause(RETRY_MS, signal);
      return Date.now();
    }
  }

  /** Frees the rows of dead processes. Runs between turns, because it frees this process's rows, too. Returns whether earlier versions may have some. */
  async #recover(): Promise<boolean> {
    this.#recoveredAt = performance.now();
    const { others, hasFormers } = await this.options.claims.recover();
    for (const id of others) this.#await(id);
    return hasFormers;
  }

  /** Rings the bell when the lease of another process that has rows ends. */
  #await(id: string): void {
    if (this.#awaited.has(id)) return;
    this.#awaited.add(id);
    void this.options.processLease.untilEnded(id, this.#stop.signal).then(() => {
      this.#awaited.delete(id);
      this.#bell.ring();
    });
  }
}

/** Whether a row may be free after a change. A claim never frees a row. */
const mayBeFree = ({ operation, set }: StoreChange): boolean =>
  operation !== 'update' || (set?.state ?? null) !== null || set?.worker === '';
