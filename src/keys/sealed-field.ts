// Where sealed values are stored: each domain lists its own, for a change of KEYSTORE_KEY.
import type { Model } from 'mongoose';
import type { SealContext } from './sealed-box.js';

/** One sealed field, and the keyed hash of the same plaintext beside it. */
export interface SealedField {
  // biome-ignore lint/suspicious/noExplicitAny: models of different rows; fields are named beside them.
  model: Model<any>;
  field: string;
  what: SealContext['what'];
  /** The name for a person, in the plural. */
  name: string;
  hashField?: string;
}
