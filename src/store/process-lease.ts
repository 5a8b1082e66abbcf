// The lease of this process: one row that is renewed while the process runs, timed by the database's clock. Elections
// (election.ts) and claimed rows (row-claims.ts) depend on it. A lease that has ended is never renewed: the process gets another one, with
// another id, so a process that has read the end of a lease can rely on it.
import { randomUUID } from 'node:crypto';
import type { ChangeListener } from './change-feed.js';
import { pause } from './lease.js';
import { LeaseEnds } from './lease-ends.js';
import { HOLDS, NOT_OVER, type ProcessFacts, type ProcessLeaseModels, TERM_MS } from './process-rows.js';

const BEAT_MS = TERM_MS / 3;
const RETRY_MS = 500;

export interface ProcessLeaseOptions {
  models: ProcessLeaseModels;
  /** Facts about the process that are written with the lease. */
  facts?(): Partial<ProcessFacts>;
}

/** One lease, from its first row until it is lost. */
export interface HeldLease {
  id: string;
  /** Aborts when the lease has ended, or may have, because the store did not respond for as long as it lasts. */
  lost: AbortSignal;
}

/** One lease of this process; each renewal restarts the timer of its end. */
class Life {
  readonly id = randomUUID();
  readonly #lost = new AbortController();
  readonly lost = this.#lost.signal;
  /** When it was last renewed, by the monotonic clock. */
  renewedAt = Number.NEGATIVE_INFINITY;
  #watchdog: NodeJS.Timeout | undefined;

  renewed(askedAt: number, onEnd: () => void): void {
    this.renewedAt = askedAt;
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(onEnd, Math.max(0, TERM_MS - (performance.now() - askedAt))).unref();
  }

  end(): void {
    clearTimeout(this.#watchdog);
    this.#lost.abort();
  }
}

/** Renews this process's lease. */
export class ProcessLease {
  readonly #stop = new AbortController();
  readonly #ends: LeaseEnds;
  readonly #afterBeat: (() => Promise<void>)[] = [];
  #life = new Life();
  /** The ids of this process's rows. A lease that was lost may still have its own. */
  readonly #rows = new Set<string>();
  /** Whether the store did not respond to the last renewal. */
  #isAway = false;
  #renewal: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The work after a renewal, while it is in progress. */
  #work: Promise<void> | undefined;

  constructor(private readonly options: ProcessLeaseOptions) {
    this.#ends = new LeaseEnds(options.models, this.#stop.signal);
  }

  /** The listener for the collection `processes`: a process that stops deletes its lease. */
  readonly changes: ChangeListener = {
    ignores: ['insert', 'update', 'replace'],
    changed: () => this.#ends.readNow(),
    interrupted: () => this.#ends.readNow(),
  };

  /** Adds work that is started after each renewal, unless it is still in progress from the previous one. */
  afterBeat(work: () => Promise<void>): void {
    this.#afterBeat.push(work);
  }

  /** Starts to renew it; returns at once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends it, and deletes its row; without an attempt if the last renewal failed, so that a store that is away does not delay the shutdown. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#running, this.#work, this.#renewal?.catch(() => {})]);
    this.#life.end();
    if (!this.#isAway) await this.#delete([...this.#rows]);
  }

  /** The lease, while it holds. @throws Error after `stop()`; the driver's error when it cannot be renewed. */
  async held(): Promise<HeldLease> {
    if (this.#stop.signal.aborted) throw new Error('this process has stopped its lease');
    const life = this.#life;
    if (performance.now() - life.renewedAt > TERM_MS - BEAT_MS) await this.#renew();
    // The lease was lost or given up during the renewal, which was for the old id.
    return this.#life === life && life.renewedAt > Number.NEGATIVE_INFINITY ? life : this.held();
  }

  /** The lease's id, while it holds. @throws the driver's error when it cannot be renewed. */
  async id(): Promise<string> {
    return (await this.held()).id;
  }

  /** Gives up this lease with all that depends on it, if it is this process's: the next one has another id. */
  renounce(id: string): void {
    if (id !== this.#life.id) return;
    this.#lose(this.#life);
    void this.#delete([id]);
  }

  /** Whether a lease holds. If it returns false, the lease is never renewed. */
  async holds(id: string): Promise<boolean> {
    return !(await this.#ends.haveEnded([id])).has(id);
  }

  /** Which of these leases have ended. These are never renewed. */
  haveEnded(ids: readonly string[]): Promise<Set<string>> {
    return this.#ends.haveEnded(ids);
  }

  /** Resolves when a lease has ended, or the signal aborts. */
  untilEnded(id: string, signal: AbortSignal): Promise<void> {
    return this.#ends.untilEnded(id, signal);
  }

  /**
   * The facts of all processes whose leases are not over; none of earlier versions. A lease whose end is too far in the
   * future is included: the clock was set back, and its process may be alive.
   */
  async others(): Promise<Partial<ProcessFacts>[]> {
    return this.options.models.processes.find(NOT_OVER).lean<Partial<ProcessFacts>[]>();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const isRenewed = await this.#renew().then(
        () => true,
        () => false,
      );
      if (isRenewed)
        this.#work ??= this.#workAfterBeat().finally(() => {
          this.#work = undefined;
        });
      await pause(isRenewed ? BEAT_MS : RETRY_MS, signal);
    }
  }

  async #workAfterBeat(): Promise<void> {
    // What fails is done again after the next renewal.
    for (const work of this.#afterBeat) await work().catch(() => {});
  }

  #renew(): Promise<void> {
    this.#renewal ??= this.#beat().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #beat(): Promise<void> {
    try {
      // A process that stood still until its lease was over gets the next one at once: while it runs, it has a row.
      while (!(await this.#extend(this.#life)));
      this.#isAway = false;
    } catch (error) {
      this.#isAway = true;
      throw error;
    }
    await this.#delete([...this.#rows].filter((id) => id !== this.#life.id));
  }

  /** Renews this process's lease. Returns false if it was over or given up: then the process has another one. */
  async #extend(life: Life): Promise<boolean> {
    const askedAt = performance.now();
    const isOurs = await this.#write(life);
    if (isOurs) this.#rows.add(life.id);
    if (life !== this.#life) return false;
    if (isOurs) life.renewed(askedAt, () => this.#lose(life));
    else this.#lose(life);
    return isOurs;
  }

  /** Writes the row, or renews it unless it is over. Returns whether it holds. */
  async #write({ id, renewedAt }: Life): Promise<boolean> {
    const { models, facts } = this.options;
    const isFirst = renewedAt === Number.NEGATIVE_INFINITY;
    const { problems = [], ...others } = facts?.() ?? {};
    // A text may begin with $, which is a path in a pipeline.
    const shown = problems.length === 0 ? '$$REMOVE' : { $literal: problems };
    const set = {
      ...others,
      problems: shown,
      ...(isFirst ? { elects: true } : {}),
      expiresAt: { $add: ['$$NOW', TERM_MS] },
    };
    const filter = isFirst ? { _id: id } : { _id: id, ...HOLDS };
    const { matchedCount, upsertedCount } = await models.processes.updateOne(filter, [{ $set: set }], {
      upsert: isFirst,
      updatePipeline: true,
    });
    return matchedCount + upsertedCount > 0;
  }

  #lose(life: Life): void {
    if (life !== this.#life) return;
    this.#life = new Life();
    life.end();
  }

  /** Deletes rows of leases of this process. Best effort: without it, they expire. */
  async #delete(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const isDeleted = this.options.models.processes.deleteMany({ _id: { $in: ids } }).then(
      () => true,
      () => false,
    );
    if (await isDeleted) for (const id of ids) this.#rows.delete(id);
  }
}
