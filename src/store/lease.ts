// The rows of elections (election.ts; process-lease.ts renews the lease itself), and the progress of elected work, which only the newest term may move.
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose';
import { ignoreDuplicate } from '../base/mongodb/duplicate-key.js';

export interface LeaseRow {
  /** The kind of work. */
  _id: string;
  /** The holder: `process <id of its lease>`; empty: nobody. Gateways of earlier versions write a UUID. */
  holder: string;
  /** Increases with every new owner. */
  token: number;
  /** Used by gateways of earlier versions: when the row is free. */
  expiresAt: Date;
}

/** Progress of an elected worker, which only the newest token may move. */
interface CheckpointRow<S> {
  _id: string;
  token: number;
  state: S;
  /** Increases with every transaction that is guarded but does not move the progress. */
  holds?: number;
}

const lease = new Schema<LeaseRow>(
  { _id: { type: String, required: true }, holder: String, token: Number, expiresAt: Date },
  { collection: 'leases', versionKey: false },
);
const checkpoint = new Schema<CheckpointRow<unknown>>(
  { _id: { type: String, required: true }, token: Number, state: Schema.Types.Mixed, holds: Number },
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

  /** Moves the progress. @throws LeaseLost when a newer term has begun; the transaction of the session then aborts. */
  async advance(state: S, session?: ClientSession): Promise<void> {
    const mine = { _id: this.id, token: this.token };
    const { matchedCount } = await this.models.checkpoints.updateOne(mine, { $set: { state } }, { session });
    if (matchedCount === 0) throw this.#lost();
  }

  /** Guards a transaction that does not move the progress: it commits only while this term is the newest. @throws LeaseLost when it is not. */
  async hold(session?: ClientSession): Promise<void> {
    // A write that changes something, so that a newer term that begins meanwhile conflicts with it.
    const { matchedCount } = await this.models.checkpoints.updateOne(
      { _id: this.id, token: this.token },
      { $inc: { holds: 1 } },
      { session },
    );
    if (matchedCount === 0) throw this.#lost();
  }

  #lost(): LeaseLost {
    return new LeaseLost(`the progress ${this.id} has a newer holder`);
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
