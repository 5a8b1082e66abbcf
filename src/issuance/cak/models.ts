// Public keys of CAK key pairs (contract §17): one for each holder, issuer and schema. The gateway never receives private keys.
import { type Connection, type Model, Schema } from 'mongoose';
import type { CakCurve } from './public-key.js';

export interface CakKeyRow {
  /** `<holderId> <issuerId> <schemaId>`. */
  _id: string;
  holderId: string;
  issuerId: string;
  schemaId: string;
  curve: CakCurve;
  /** SEC1, compressed, hex in lower case. */
  publicKey: string;
  updatedAt: Date;
}

const cakKey = new Schema<CakKeyRow>(
  {
    _id: { type: String, required: true },
    holderId: { type: String, required: true },
    issuerId: { type: String, required: true },
    schemaId: { type: String, required: true },
    curve: { type: String, required: true },
    publicKey: { type: String, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'cakKeys', versionKey: false },
);

export interface CakModels {
  cakKeys: Model<CakKeyRow>;
}

/** Registers the model on a connection. */
export function cakModels(connection: Connection): CakModels {
  return { cakKeys: connection.model<CakKeyRow>('CakKey', cakKey) };
}
