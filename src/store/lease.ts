// Elects one process among many by a lease in the database, timed by the database's clock, with a fencing token. A process that lost the
// lease cannot write what the lease guards, because the progress stores the newest token (see `Checkpoint`).

import { randomUUID } from 'node:crypto';
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose';
import { ignoreDuplicate } from '../base/mongodb/duplicate-key.js';
import { isOver } from './lease-end.js';

interface LeaseRow {
  _id: string;
  holder: string;
  /** Increases with every new owner. */
  token: number;
  expiresAt: Date;
}

/** Progress of an elected worker, which only the newest token may move. */
interface CheckpointRow<S> {
  _id: string;
  token: number;
  state: S;
}

const lease = new Schema<LeaseRow>(
  { _id: { type: String, required: true }, holder: String, token: Number, expiresAt: Date },
  { collection: 'leases', versionKey: false },
);
const checkpoint = new Schema<CheckpointRow<unknown>>(
  { _id: { type: String, required: true }, token: Number, state: Schema.Types.Mixed },
  { collection: 'checkpoints', versionKey: false, minimize: false },
);

export interface LeaseModels {
  leases: Model<LeaseRow>;
  checkpoints: Model<CheckpointRow<unknown>>;
}

/** Registers the lease models on a connection. */
export function leaseModels(connection: Connection): LeaseModels {
  return {
    leases: connection.model<LeaseRow>('Lease', lease),
    checkpoints: connection.model<CheckpointRow<unknown>>('Checkpoint', checkpoint),
  };
}

/** Another process has the lease; a transaction that notices this must not commit. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Progress that only the newest term may move. */
export class Checkpoint<S> {
  constructor(
    private readonly models: LeaseModels,
    private readonly id: string,
    private readonly token: number,
  ) {}

  /** The progress, or undefined before the first step. */
  async state(session?: ClientSession): Promise<S | undefined> {
    const row = await this.models.checkpoints.findById(this.id, null, { session }).lean<CheckpointRow<S>>();
    return row?.state;
  }

  /** Moves the progress. @throws LeaseLost when a newer term has begun, so that a transaction it is part of aborts. */
  async advance(state: S, session?: ClientSession): Promise<void> {
    const mine = { _id: this.id, token: this.token };
    const { matchedCount } = await this.models.checkpoints.updateOne(mine, { $set: { state } }, { session });
    if (matchedCount === 0) throw new LeaseLost(`the progress ${this.id} has a newer holder`);
  }
}

/** One term: from winning the lease to losing it. */
export class Term {
  constructor(
    private readonly models: LeaseModels,
    private readonly token: number,
    /** Aborts when the lease is lost or the process stops. */
    readonly signal: AbortSignal,
  ) {}

  /** The same term, which also ends with this signal. */
  until(signal: AbortSignal): Term {
    return new Term(this.models, this.token, AbortSignal.any([this.signal, signal]));
  }

  /** Opens a checkpoint for this term; from now on, `advance` of an earlier term fails. */
  async checkpoint<S>(id: string): Promise<Checkpoint<S>> {
    await this.models.checkpoints
      .updateOne({ _id: id, token: { $lt: this.token } }, { $set: { token: this.token } }, { upsert: true })
      .catch(ignoreDuplicate);
    return new Checkpoint<S>(this.models, id, this.token);
  }
}

export interface ElectionOptions {
  /** How long a silent owner keeps the lease, milliseconds; it is renewed after a third of that. */
  ttlMs?: number;
  onError?(error: unknown): void;
}

/** Candidate for one lease: runs the work while it has the lease, and tries again until stopped. */
export class Election {
  readonly #me = randomUUID();
  readonly #stop = new AbortController();
  readonly #ttlMs: number;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly models: LeaseModels,
    private readonly name: string,
    private readonly work: (term: Term) => Promise<void>,
    private readonly options: ElectionOptions = {},
  ) {
    this.#ttlMs = options.ttlMs ?? 6_000;
  }

  /** Starts; returns at once. */
  start(): void {
    this.#running = this.#loop();
  }

  /** Stops the work, releases the lease and resolves when both are done. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const token = await this.#acquire();
        // Stopped while waiting for the database: the abort event has already fired.
        if (token !== undefined && !this.#stop.signal.aborted) await this.#serve(token);
      } catch (error) {
        if (!this.#stop.signal.aborted) this.options.onError?.(error);
      }
      await pause(this.#ttlMs / 3, this.#stop.signal);
    }
    await this.models.leases
      .updateOne({ _id: this.name, holder: this.#me }, { $set: { expiresAt: new Date(0) } })
      .catch(() => {});
  }

  /**
   * Takes the lease when it is over or ours. Its token fences a former owner off. @returns the token; undefined: another process has the lease.
   */
  async #acquire(): Promise<number | undefined> {
    return (await this.#take()) ?? ((await this.#addRow()) ? this.#take() : undefined);
  }

  async #take(): Promise<number | undefined> {
    const free = { $or: [{ $eq: ['$holder', this.#me] }, isOver('$expiresAt', this.#ttlMs)] };
    const row = await this.models.leases
      .findOneAndUpdate(
        { _id: this.name, $expr: free },
        [
          {
            $set: {
              token: { $cond: [{ $eq: ['$holder', this.#me] }, '$token', { $add: ['$token', 1] }] },
              holder: this.#me,
              expiresAt: { $add: ['$$NOW', this.#ttlMs] },
            },
          },
        ],
        { returnDocument: 'after', updatePipeline: true },
      )
      .lean<LeaseRow>();
    return row?.token;
  }

  /** Adds the lease's row unless it is there; returns whether it was added. */
  async #addRow(): Promise<boolean> {
    const row = { holder: '', token: 0, expiresAt: new Date(0) };
    const added = await this.models.leases
      .updateOne({ _id: this.name }, { $setOnInsert: row }, { upsert: true })
      .catch(ignoreDuplicate);
    return (added?.upsertedCount ?? 0) > 0;
  }

  async #serve(token: number): Promise<void> {
    const term = new AbortController();
    const end = (): void => term.abort();
    this.#stop.signal.addEventListener('abort', end, { once: true });
    const renewals = this.#renew(token, term);
    try {
      await this.work(new Term(this.models, token, term.signal));
    } catch (error) {
      // Work that the end of the term has stopped has not failed.
      if (!term.signal.aborted || error !== term.signal.reason) throw error;
    } finally {
      term.abort();
      this.#stop.signal.removeEventListener('abort', end);
      await renewals;
    }
  }

  async #renew(token: number, term: AbortController): Promise<void> {
    let renewedAt = performance.now();
    while (!term.signal.aborted) {
      await pause(this.#ttlMs / 3, term.signal);
      if (term.signal.aborted) return;
      const askedAt = performance.now();
      const isOurs = await this.#acquire().then(
        (ownToken) => ownToken === token,
        () => undefined,
      );
      if (isOurs) renewedAt = askedAt;
      // Another process owns it, or may own it: there was no contact for as long as the lease lasts.
      else if (isOurs === false || performance.now() - renewedAt > this.#ttlMs) term.abort();
    }
  }
}

/** Waits; ends early when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
