// Elects one process among many for each kind of work. All elections of a process share its lease (process-lease.ts): the row of an election names
// it as holder, and is written only when the holder changes. A process that lost its lease cannot move the progress of the work, which stores the
// newest token (see `Checkpoint`). docs/decisions/0048-one-lease-a-process.md has the form of the rows.
import { ignoreDuplicate } from '../base/mongodb/duplicate-key.js';
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { ChangeListener } from './change-feed.js';
import { type LeaseModels, type LeaseRow, pause, Term } from './lease.js';
import { isOver } from './lease-end.js';
import type { HeldLease, ProcessLease } from './process-lease.js';
import { HOLDS, holderOf, type ProcessLeaseModels, processOf } from './process-rows.js';

/** How long a row's lease lasts for gateways of earlier versions, which renew each row. Milliseconds. */
const FORMER_TERM_MS = 6_000;
const FORMER_END = { $add: ['$$NOW', FORMER_TERM_MS] };
/** The pause after work has ended by itself, and after a failure. */
const RETRY_MS = 2_000;
const MARGIN_MS = 20;

export interface ElectionsParts {
  models: LeaseModels & ProcessLeaseModels;
  processLease: ProcessLease;
  onError(error: unknown): void;
}

/** The elections of this process. */
export class Elections {
  readonly #candidates = new Map<string, Candidate>();
  /** Whether gateways of earlier versions may be running. */
  #hasFormers = true;
  /** How often a process was reported that may be an earlier version. */
  #reports = 0;

  constructor(private readonly parts: ElectionsParts) {
    parts.processLease.afterBeat(() => this.#renewForFormers());
  }

  /** The listener for the collection `leases`: a change of the holder wakes the candidate. */
  readonly changes: ChangeListener = {
    ignores: ['delete'],
    onlyUpdatesOf: ['token', 'holder'],
    changed: (changes) => {
      for (const { id } of changes) this.#candidates.get(String(id))?.wake();
    },
    interrupted: () => {
      for (const candidate of this.#candidates.values()) candidate.wake();
    },
  };

  /** The listener for the collection `processes`: a gateway of an earlier version may have started. */
  readonly processChanges: ChangeListener = {
    ignores: ['delete', 'update'],
    changed: () => this.#expectFormers(),
    interrupted: () => this.#expectFormers(),
  };

  /** A candidate for one kind of work: runs it while this process is elected. */
  elect(name: string, work: (term: Term) => Promise<void>): Worker {
    const candidate = new Candidate(name, work, this.parts);
    this.#candidates.set(name, candidate);
    return candidate;
  }

  #expectFormers(): void {
    this.#hasFormers = true;
    this.#reports += 1;
    this.#renewForFormers().catch(this.parts.onError);
  }

  /** Extends this process's rows while gateways of earlier versions run, for which a row is free after its `expiresAt`. */
  async #renewForFormers(): Promise<void> {
    if (!this.#hasFormers) return;
    const { models, processLease } = this.parts;
    const reports = this.#reports;
    const hasFormers = (await models.processes.exists({ elects: { $exists: false }, ...HOLDS })) !== null;
    // If one was reported meanwhile, it may have started after this read.
    if (!hasFormers && reports === this.#reports) this.#hasFormers = false;
    if (!hasFormers) return;
    const mine = { holder: holderOf(await processLease.id()) };
    await models.leases.updateMany(mine, [{ $set: { expiresAt: FORMER_END } }], { updatePipeline: true });
  }
}

/** A row as candidates read it. */
type Seen = Pick<LeaseRow, '_id' | 'holder' | 'token'> & { leftMs: number; isOver: boolean };

class Candidate implements Worker {
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly work: (term: Term) => Promise<void>,
    private readonly parts: ElectionsParts,
  ) {}

  start(): void {
    this.#running = this.#loop();
  }

  /** Stops the work, releases the row and resolves when both are done. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Called when the row may have another holder. */
  wake(): void {
    this.#bell.ring();
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    let holder = '';
    while (!signal.aborted) {
      try {
        const lease = await this.parts.processLease.held();
        holder = holderOf(lease.id);
        const row = await this.#read();
        const token = (await this.#isFree(row, lease)) ? await this.#claim(row, holder) : undefined;
        if (token === undefined) await this.#untilFree(row);
        else await this.#serve(token, lease);
        // The work has ended by itself, and is started again after a pause.
        if (token !== undefined && !lease.lost.aborted) await pause(RETRY_MS, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.parts.onError(error);
        await pause(RETRY_MS, signal);
      }
    }
    await this.parts.models.leases
      .updateOne({ _id: this.name, holder }, { $set: { holder: '', expiresAt: new Date(0) } })
      .catch(() => {});
  }

  async #read(): Promise<Seen> {
    const { leases } = this.parts.models;
    const end = { $ifNull: ['$expiresAt', new Date(0)] };
    const time = { leftMs: { $subtract: [end, '$$NOW'] }, isOver: isOver('$expiresAt', FORMER_TERM_MS) };
    const row = await leases.findById(this.name, { holder: 1, token: 1, ...time }).lean<Seen>();
    if (row !== null) return row;
    const first = { holder: '', token: 0, expiresAt: new Date(0) };
    await leases.updateOne({ _id: this.name }, { $setOnInsert: first }, { upsert: true }).catch(ignoreDuplicate);
    return this.#read();
  }

  async #isFree({ holder, isOver }: Seen, { id }: HeldLease): Promise<boolean> {
    const processId = processOf(holder);
    if (processId === undefined) return holder === '' || isOver;
    return processId === id || !(await this.parts.processLease.holds(processId));
  }

  /**
   * Makes this process the holder of a free row. Returns the row's new token, so that writes of a former holder fail;
   * undefined if another process claimed the row first.
   */
  async #claim({ _id, holder, token }: Seen, mine: string): Promise<number | undefined> {
    const isFormers = holder !== '' && processOf(holder) === undefined;
    const free = { _id, holder, token, ...(isFormers ? { $expr: isOver('$expiresAt', FORMER_TERM_MS) } : {}) };
    const change = { holder: mine, token: token + 1, expiresAt: FORMER_END };
    const { matchedCount } = await this.parts.models.leases.updateOne(free, [{ $set: change }], {
      updatePipeline: true,
    });
    return matchedCount > 0 ? token + 1 : undefined;
  }

  /** Resolves when the row may be free: its holder has changed, or the holder's lease has ended. */
  async #untilFree({ holder, leftMs }: Seen): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    this.#stop.signal.addEventListener('abort', end, { once: true });
    if (this.#stop.signal.aborted) end();
    const processId = processOf(holder);
    const ended =
      processId === undefined
        ? pause(Math.min(Math.max(leftMs, 0), FORMER_TERM_MS) + MARGIN_MS, over.signal)
        : this.parts.processLease.untilEnded(processId, over.signal);
    void ended.then(end);
    await this.#bell.rung(over.signal);
    this.#stop.signal.removeEventListener('abort', end);
    end();
  }

  /** Runs the work until it ends, or this process is no longer elected. */
  async #serve(token: number, lease: HeldLease): Promise<void> {
    const term = new AbortController();
    const end = (): void => term.abort();
    const ends = [this.#stop.signal, lease.lost];
    for (const signal of ends) {
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    }
    const watching = this.#watch(token, holderOf(lease.id), term);
    try {
      if (!term.signal.aborted) await this.work(new Term(this.parts.models, token, term.signal));
    } catch (error) {
      // Work that was stopped by the end of the term did not fail.
      if (!term.signal.aborted || error !== term.signal.reason) throw error;
    } finally {
      term.abort();
      for (const signal of ends) signal.removeEventListener('abort', end);
      await watching;
    }
  }

  /** Ends the term when the row has another holder: a gateway of an earlier version, which considered the row free. */
  async #watch(token: number, holder: string, term: AbortController): Promise<void> {
    const { signal } = term;
    while (!signal.aborted) {
      await this.#bell.rung(signal);
      if (signal.aborted) return;
      const row = await this.#read().catch(() => undefined);
      if (row === undefined) {
        await pause(RETRY_MS, signal);
        this.#bell.ring();
      } else if (row.token !== token || row.holder !== holder) term.abort();
    }
  }
}
