// The collection of signing keys: public halves in the clear, private halves sealed.
import { type Connection, type Model, Schema } from 'mongoose';

/** One signing key. Rows are never changed and never deleted: what was signed stays verifiable. */
export interface SigningKeyRow {
  /** `<owner>#<generation>`: two processes that make the same generation at once collide here, and one key results. */
  _id: string;
  /** `gateway`, or `issuer:<issuerId>` for a managed issuer. */
  owner: string;
  /** 1-based; the highest one signs. */
  generation: number;
  /** RFC 7638 thumbprint. */
  kid: string;
  /** Coordinates of the P-256 public key, base64url. */
  x: string;
  y: string;
  /** PKCS#8 DER, sealed for `{what: 'signing-key', whose: _id}`. */
  sealedPrivateKey: string;
  createdAt: Date;
}

const signingKey = new Schema<SigningKeyRow>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    generation: { type: Number, required: true },
    kid: { type: String, required: true },
    x: { type: String, required: true },
    y: { type: String, required: true },
    sealedPrivateKey: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'signingKeys', versionKey: false },
);
signingKey.index({ owner: 1, generation: 1 }, { unique: true });

/** The key models on one connection. */
export interface KeyModels {
  signingKeys: Model<SigningKeyRow>;
}

/** Registers the key models on a connection; builds no index (that is `migrate`'s work). */
export function keyModels(connection: Connection): KeyModels {
  return { signingKeys: connection.model<SigningKeyRow>('SigningKey', signingKey) };
}
