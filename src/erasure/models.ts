// Erasures: what is to be erased, until nothing is left of it; then only that there was one.
import { type Connection, type Model, Schema } from 'mongoose';
import { rowsWith } from '../store/indexes.js';

/** `erasing`: rows are being deleted. `settling`: all are, and requests from before may still add some. `done`: nothing is left. */
export type ErasureState = 'erasing' | 'settling' | 'done';

export interface ErasureRow {
  /** erasureId, a UUID that says nothing about the holder. */
  _id: string;
  state: ErasureState;
  /** Name of the operator's key. */
  keyName: string;
  createdAt: Date;
  /** Since when it settles. */
  settlingAt?: Date;
  doneAt?: Date;
  /** Of the holder, until it is done. */
  holderId?: string;
  did?: string;
  /** Sealed for `{what: 'holder-email', whose: _id}`. */
  sealedEmail?: string;
  addresses?: string[];
}

const erasure = new Schema<ErasureRow>(
  {
    _id: { type: String, required: true },
    state: { type: String, required: true },
    keyName: { type: String, required: true },
    createdAt: { type: Date, required: true },
    settlingAt: Date,
    doneAt: Date,
    holderId: String,
    did: String,
    sealedEmail: String,
    addresses: { type: [String], default: undefined },
  },
  { collection: 'erasures', versionKey: false },
);
erasure.index({ holderId: 1 }, { unique: true, ...rowsWith('holderId') });
erasure.index({ state: 1, settlingAt: 1 });

export interface ErasureModels {
  erasures: Model<ErasureRow>;
}

/** Registers the model on a connection. */
export function erasureModels(connection: Connection): ErasureModels {
  return { erasures: connection.model<ErasureRow>('Erasure', erasure) };
}
