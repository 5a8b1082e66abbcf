// The lease of this process: a row that is renewed while the process runs, timed by the database's clock. Work that a process has claimed
// is free again when its lease has ended.
import { randomUUID } from 'node:crypto';
import { type Connection, type Model, Schema } from 'mongoose';
import { pause } from './lease.js';
import { isOver } from './lease-end.js';

/** What a process says of its keys, for a change of KEYSTORE_KEY while gateways run. */
export interface ProcessFacts {
  /** Ids of the keys that it can open values of. */
  keys: readonly string[];
  /** Id of the key that it seals with. */
  sealing: string;
}

interface ProcessRow extends Partial<ProcessFacts> {
  _id: string;
  expiresAt: Date;
}

const row = new Schema<ProcessRow>(
  {
    _id: { type: String, required: true },
    expiresAt: Date,
    keys: { type: [String], default: undefined },
    sealing: String,
  },
  { collection: 'processes', versionKey: false },
);
/** Only for cleanup: whether a lease has ended is decided by its time. */
row.index({ expiresAt: 1 }, { expireAfterSeconds: 3_600 });

export interface ProcessLeaseModels {
  processes: Model<ProcessRow>;
}

/** Registers the model on a connection. */
export function processLeaseModels(connection: Connection): ProcessLeaseModels {
  return { processes: connection.model<ProcessRow>('Process', row) };
}

/** How long the lease of a dead process lasts, milliseconds; it is renewed after a third of that. */
export const TERM_MS = 4_000;
const RENEWAL_MS = TERM_MS / 3;
/** Filter of the leases that hold. */
export const HOLDS = { $expr: { $not: [isOver('$expiresAt', TERM_MS)] } };

export interface ProcessLeaseOptions {
  models: ProcessLeaseModels;
  /** What is written with the lease. */
  facts?(): Partial<ProcessFacts>;
  /** Called after every renewal, and for every failure. */
  onRenewed?(): void;
  onFailed?(error: unknown): void;
}

/** Keeps this process's lease. */
export class ProcessLease {
  readonly #stop = new AbortController();
  #id = randomUUID();
  /** When it was last renewed, by the monotonic clock. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #renewal: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: ProcessLeaseOptions) {}

  /** Starts to renew it; returns at once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends it. A lease that was never written, or has ended, needs no delete, so a store that is away does not delay the shutdown. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    if (performance.now() - this.#renewedAt > TERM_MS) return;
    await this.options.models.processes.deleteOne({ _id: this.#id }).catch(() => {});
  }

  /** The lease's id, while it holds. @throws the driver's error when it cannot be renewed. */
  async id(): Promise<string> {
    if (performance.now() - this.#renewedAt > TERM_MS - RENEWAL_MS) await this.#renew();
    // Given up during the renewal, which was for the old id.
    if (this.#renewedAt === Number.NEGATIVE_INFINITY) return this.id();
    return this.#id;
  }

  /** Gives up all work that this process has claimed: the next lease has another id. */
  renounce(): void {
    this.#id = randomUUID();
    this.#renewedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether a lease holds. */
  async holds(id: string): Promise<boolean> {
    return (await this.options.models.processes.exists({ _id: id, ...HOLDS })) !== null;
  }

  /**
   * What the processes say whose leases are not over; a lease of an earlier version says nothing. A lease that ends later than possible counts, too:
   * after a clock was set back its process may be alive, and whoever asks must not do without it.
   */
  async others(): Promise<Partial<ProcessFacts>[]> {
    const isNotOver = { $expr: { $gt: ['$expiresAt', '$$NOW'] } };
    return this.options.models.processes.find(isNotOver).lean<Partial<ProcessFacts>[]>();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#renew().catch(() => {});
      await pause(RENEWAL_MS, signal);
    }
  }

  #renew(): Promise<void> {
    this.#renewal ??= this.#write().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #write(): Promise<void> {
    const { models, facts, onRenewed, onFailed } = this.options;
    const askedAt = performance.now();
    const id = this.#id;
    try {
      const expiresAt = { $add: ['$$NOW', TERM_MS] };
      const set = { ...facts?.(), expiresAt };
      await models.processes.updateOne({ _id: id }, [{ $set: set }], { upsert: true, updatePipeline: true });
    } catch (error) {
      onFailed?.(error);
      throw error;
    }
    // Given up meanwhile: this result belongs to the old lease.
    if (id === this.#id) this.#renewedAt = askedAt;
    onRenewed?.();
  }
}
