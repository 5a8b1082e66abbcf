// The fields with sealed values: each domain lists its own, for a change of KEYSTORE_KEY.
import type { Model } from 'mongoose';
import type { SealContext } from './sealed-box.js';

/** One sealed field, and the field with the keyed hash of the same plaintext. */
export interface SealedField {
  // biome-ignore lint/suspicious/noExplicitAny: models of different rows; fields are named beside them.
  model: Model<any>;
  field: string;
  what: SealContext['what'];
  /** The name in messages, in the plural. */
  name: string;
  hashField?: string;
}
