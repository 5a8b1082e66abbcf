// Stored credentials: ciphertext packages, and their metadata (contract §4.3).
import { type Connection, type Model, Schema } from 'mongoose';
import type { ProofType } from '../keys/proof-types.js';

export interface StoredCredentialRow {
  /** UUID; `dstorage://vc/<id>`. */
  _id: string;
  partnerId: string;
  holderId: string;
  holderDid: string;
  proofType: ProofType;
  schemaId: string;
  expiresAt: Date | null;
  /** The partner's own id for it; absent if the gateway issued it. */
  externalId?: string;
  /** SHA-256 over the package, as in the receipt, hex. */
  packageHash: string;
  data: Buffer;
  iv: Buffer;
  authTag: Buffer;
  /** The ephemeral public key, SPKI DER. */
  encryptedKey: Buffer;
  /** Compact JWS of the gateway: what was stored, for whom and when. */
  receipt: string;
  /** Only for credentials that the gateway issued. */
  issuerDid?: string;
  credentialId?: string;
  coreClaimHash?: string;
  createdAt: Date;
}

const storedCredential = new Schema<StoredCredentialRow>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    holderId: { type: String, required: true },
    holderDid: { type: String, required: true },
    proofType: { type: String, required: true },
    schemaId: { type: String, required: true },
    expiresAt: { type: Date, default: null },
    externalId: String,
    packageHash: { type: String, required: true },
    data: { type: Buffer, required: true },
    iv: { type: Buffer, required: true },
    authTag: { type: Buffer, required: true },
    encryptedKey: { type: Buffer, required: true },
    receipt: { type: String, required: true },
    issuerDid: String,
    credentialId: String,
    coreClaimHash: String,
    createdAt: { type: Date, required: true },
  },
  { collection: 'storedCredentials', versionKey: false },
);
storedCredential.index(
  { partnerId: 1, externalId: 1 },
  { unique: true, partialFilterExpression: { externalId: { $exists: true } } },
);
for (const fields of [['partnerId'], ['partnerId', 'holderDid'], ['partnerId', 'schemaId']])
  storedCredential.index({ ...Object.fromEntries(fields.map((field) => [field, 1])), createdAt: 1, _id: 1 });
storedCredential.index({ holderId: 1, createdAt: 1, _id: 1 });
storedCredential.index({ holderId: 1, schemaId: 1, createdAt: 1, _id: 1 });

export interface StorageModels {
  storedCredentials: Model<StoredCredentialRow>;
}

/** Registers the storage model on a connection. */
export function storageModels(connection: Connection): StorageModels {
  return { storedCredentials: connection.model<StoredCredentialRow>('StoredCredential', storedCredential) };
}
