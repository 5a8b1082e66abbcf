// Proofs that are good once, over all processes: their ids are stored until the proofs would be too old anyway.
import { createHash } from 'node:crypto';
import { type Connection, type Model, Schema } from 'mongoose';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';

/** A proof that was used. */
export interface UsedProofRow {
  /** SHA-256 of what names it, hex. */
  _id: string;
  expiresAt: Date;
}

const usedProof = new Schema<UsedProofRow>(
  { _id: { type: String, required: true }, expiresAt: { type: Date, required: true } },
  { collection: 'usedProofs', versionKey: false },
);
usedProof.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Registers the model on a connection. */
export const usedProofModel = (connection: Connection): Model<UsedProofRow> =>
  connection.model<UsedProofRow>('UsedProof', usedProof);

/** Remembers proofs. */
export class UsedProofs {
  constructor(
    private readonly proofs: Model<UsedProofRow>,
    private readonly clock: () => number,
  ) {}

  /** Whether a proof comes for the first time. @param forMs how long it could be used again, milliseconds */
  async isFirst(name: string, forMs: number): Promise<boolean> {
    const _id = createHash('sha256').update(name).digest('hex');
    try {
      await this.proofs.create([{ _id, expiresAt: new Date(this.clock() + forMs) }]);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}
