// Erasures: the names of a holder that is being erased. Once everything is deleted, so are the names, and only the erasure's id and times stay.
import { type Connection, type Model, Schema } from 'mongoose';
import { rowsWith } from '../store/indexes.js';

/** `erasing`: rows are being deleted. `settling`: all are deleted, and requests that began before may still add some. `done`: nothing is left. */
export type ErasureState = 'erasing' | 'settling' | 'done';

export interface ErasureRow {
  /** erasureId, a UUID that reveals nothing about the holder. */
  _id: string;
  state: ErasureState;
  /** Name of the operator's key. */
  keyName: string;
  createdAt: Date;
  /** When the state `settling` began. */
  settlingAt?: Date;
  doneAt?: Date;
  /** The holder's names, until the erasure is done. */
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
