// The collections of the key store: signing keys (public halves in the clear, private halves sealed), and a check value of KEYSTORE_KEY.
import { type Connection, type Model, Schema } from 'mongoose';

/** One signing key. Rows are never changed or deleted, so everything signed stays verifiable. */
export interface SigningKeyRow {
  /**
   * `<owner>#<generation>`: if two processes create the same generation at once, the ids collide, and only one key is
   * stored.
   */
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

/** One BBS key of a managed issuer. Rows are never deleted; the newest key that is not withdrawn signs. */
export interface ZkKeyRow {
  /** `<issuerId>#<generation>`, as for signing keys. */
  _id: string;
  issuerId: string;
  generation: number;
  /** SHA-256 of the public key, base64url. */
  kid: string;
  publicKeyMultibase: string;
  /** 32 bytes, sealed for `{what: 'zk-key', whose: _id}`. */
  sealedSecretKey: string;
  createdAt: Date;
  withdrawnAt: Date | null;
}

const zkKey = new Schema<ZkKeyRow>(
  {
    _id: { type: String, required: true },
    issuerId: { type: String, required: true },
    generation: { type: Number, required: true },
    kid: { type: String, required: true },
    publicKeyMultibase: { type: String, required: true },
    sealedSecretKey: { type: String, required: true },
    createdAt: { type: Date, required: true },
    withdrawnAt: { type: Date, default: null },
  },
  { collection: 'zkKeys', versionKey: false },
);
zkKey.index({ issuerId: 1, generation: 1 }, { unique: true });
zkKey.index({ kid: 1 }, { unique: true });

/** One row; it shows whether a KEYSTORE_KEY belongs to this store. */
export interface KeystoreRow {
  _id: string;
  /** A value that is not secret, sealed under the key. */
  sealed: string;
  /** Whether a change of the key is in progress: meanwhile some values need the new key, others the old one. */
  changing: boolean;
  /**
   * The same value, sealed under the next key. The next key becomes the store's key once every gateway has it, or when
   * an offline change ends.
   */
  next?: string;
  /** The same value, sealed under the previous key, while other values are still sealed under it. */
  before?: string;
  /** The time at which the last value was sealed again. */
  resealedAt?: Date;
}

const keystore = new Schema<KeystoreRow>(
  {
    _id: { type: String, required: true },
    sealed: { type: String, required: true },
    changing: Boolean,
    next: String,
    before: String,
    resealedAt: Date,
  },
  { collection: 'keystore', versionKey: false },
);

/** The key models on one connection. */
export interface KeyModels {
  signingKeys: Model<SigningKeyRow>;
  zkKeys: Model<ZkKeyRow>;
  keystore: Model<KeystoreRow>;
}

/** Registers the key models on a connection; `migrate` builds the indexes. */
export function keyModels(connection: Connection): KeyModels {
  return {
    signingKeys: connection.model<SigningKeyRow>('SigningKey', signingKey),
    zkKeys: connection.model<ZkKeyRow>('ZkKey', zkKey),
    keystore: connection.model<KeystoreRow>('Keystore', keystore),
  };
}
