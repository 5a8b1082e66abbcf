// Whether the store refuses writes because its disk is full, as clients see it: each refused write is the sign, and a write that is as large as
// theirs ends it. (Small writes, such as the renewal of a lease, may still succeed when all of the clients' are refused.)
import { type Connection, type Model, Schema } from 'mongoose';
import { isStoreFull } from '../base/errors.js';
import { ignoreDuplicate } from '../base/mongodb/duplicate-key.js';

/** The time without a refused write after which a write is tried. Milliseconds. */
const QUIET_MS = 5_000;
/** The content of the row that is written as a trial: about as much as an issuance writes. Bytes. */
const TRIAL_BYTES = 64 * 1024;

const WRITES = [
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
  'findOneAndDelete',
  'bulkWrite',
] as const;

interface TrialRow {
  _id: string;
  content: Buffer;
}

/** The one row, of whichever process tries. */
const TRIAL = { _id: 'trial' };
const trial = new Schema<TrialRow>(
  { _id: { type: String, required: true }, content: Buffer },
  { collection: 'writeTrials', versionKey: false },
);

export interface WriteTrialModels {
  writeTrials: Model<TrialRow>;
}

/** Registers the model on a connection. Its row is deleted as soon as it is written. */
export function writeTrialModels(connection: Connection): WriteTrialModels {
  return { writeTrials: connection.model<TrialRow>('WriteTrial', trial) };
}

/** The store refuses writes. */
export interface Refusal {
  /** The first refused write, milliseconds since the epoch. */
  since: number;
  /** The driver's error of the first refused write. */
  cause: unknown;
}

export interface RefusedWritesOptions {
  models: WriteTrialModels;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Called when writes begin to be refused. */
  onRefused(refusal: Refusal): void;
  /** Called when they are accepted again. */
  onAccepted(): void;
}

/** What this process knows of refused writes. */
export class RefusedWrites {
  #refusal: Refusal | undefined;
  /** The last refused write, by the monotonic clock. */
  #lastAt = 0;

  constructor(private readonly options: RefusedWritesOptions) {}

  /** Since when and why writes are refused; undefined while they are accepted. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Sees every write of the registered models, and every transaction, of a connection. */
  watch(connection: Connection): void {
    for (const { collection } of Object.values(connection.models)) {
      const methods = collection as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      for (const name of WRITES) {
        const write = methods[name];
        if (write) methods[name] = (...args) => this.#seen(write.apply(collection, args));
      }
    }
    const transact = connection.transaction.bind(connection);
    connection.transaction = (work, options) => this.#seen(transact(work, options));
  }

  /** While writes are refused, and none has been for some seconds: tries one. @throws the driver's error if it is refused. */
  async tryAgain(): Promise<void> {
    if (this.#refusal === undefined || performance.now() - this.#lastAt < QUIET_MS) return;
    const { writeTrials } = this.options.models;
    // A row that is there is another process's, or a killed one's; then this process tries again after the next renewal.
    const isAccepted = await writeTrials.create({ ...TRIAL, content: Buffer.alloc(TRIAL_BYTES) }).then(
      () => true,
      (error) => ignoreDuplicate(error) ?? false,
    );
    await writeTrials.deleteOne(TRIAL);
    if (!isAccepted) return;
    this.#refusal = undefined;
    this.options.onAccepted();
  }

  /** Awaited, and not only listened to: otherwise stacks of the store's errors end here. */
  async #seen<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  #failed(error: unknown): void {
    if (!isStoreFull(error)) return;
    this.#lastAt = performance.now();
    if (this.#refusal !== undefined) return;
    this.#refusal = { since: this.options.clock(), cause: error };
    this.options.onRefused(this.#refusal);
  }
}
