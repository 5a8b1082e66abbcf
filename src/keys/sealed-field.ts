// Where sealed values lie: each domain names its own, for a change of KEYSTORE_KEY.
import type { Model } from 'mongoose';
import type { SealContext } from './sealed-box.js';

/** One sealed field, and the keyed hash beside it that is made from the same plaintext. */
export interface SealedField {
  // biome-ignore lint/suspicious/noExplicitAny: models of different rows; fields are named beside them.
  model: Model<any>;
  field: string;
  what: SealContext['what'];
  /** For a person, in the plural. */
  name: string;
  hashField?: string;
}
