// The collection of operator keys. Keys are stored as hashes only; withdrawn ones stay, so that a name in the audit log never stands for two keys.
import { type Connection, type Model, Schema } from 'mongoose';
import { OPERATOR_ROLES, type OperatorRole } from '../base/callers/caller.js';

export interface OperatorKeyRow {
  /** Its name. */
  _id: string;
  role: OperatorRole;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** The key before the last rotation, which works until `previousUntil`. */
  previousHash?: string;
  previousUntil?: Date;
  createdAt: Date;
  withdrawnAt?: Date;
}

const operatorKey = new Schema<OperatorKeyRow>(
  {
    _id: { type: String, required: true },
    role: { type: String, required: true, enum: OPERATOR_ROLES },
    hash: { type: String, required: true },
    previousHash: String,
    previousUntil: Date,
    createdAt: { type: Date, required: true },
    withdrawnAt: Date,
  },
  { collection: 'operatorKeys', versionKey: false },
);

export interface OperatorModels {
  operatorKeys: Model<OperatorKeyRow>;
}

/** Registers the model on a connection. */
export function operatorModels(connection: Connection): OperatorModels {
  return { operatorKeys: connection.model<OperatorKeyRow>('OperatorKey', operatorKey) };
}
