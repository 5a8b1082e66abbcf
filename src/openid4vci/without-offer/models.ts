// Requests of wallets that come without an offer (contract §35), and wait for their issuers: ids and public keys.
import type { JWK } from 'jose';
import { type Connection, type Model, Schema } from 'mongoose';
import { rowsWith } from '../../store/indexes.js';

/** A request without an offer. The access tokens that name it open its subject. */
export interface RequestedCredentialRow {
  /** UUID. */
  _id: string;
  issuerId: string;
  credentialId: string;
  holderId: string;
  /** Of a request that waits for its issuer: SHA-256 of its `transaction_id`, hex, and the public keys in it. */
  transactionHash?: string;
  keys?: JWK[];
  /** Until when its `transaction_id` is good, once it got credentials. */
  transactionUntil?: Date;
  /**
   * Of an issuance: its hash, its partner, and, if a managed issuer's, JSON of its subject, sealed under the key that the tokens wrap (secrets.ts)
   * and deleted once the claim is revoked or has expired.
   */
  coreClaimHash?: string;
  partnerId?: string;
  sealedSubject?: string;
  /** The last notification of the wallet. */
  walletEvent?: string;
  expiresAt: Date;
}

const requestedCredential = new Schema<RequestedCredentialRow>(
  {
    _id: { type: String, required: true },
    issuerId: { type: String, required: true },
    credentialId: { type: String, required: true },
    holderId: { type: String, required: true },
    transactionHash: String,
    keys: { type: [Object], default: undefined },
    transactionUntil: Date,
    coreClaimHash: String,
    partnerId: String,
    sealedSubject: String,
    walletEvent: String,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'requestedCredentials', versionKey: false },
);
requestedCredential.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
requestedCredential.index({ holderId: 1 });
requestedCredential.index({ coreClaimHash: 1 }, rowsWith('coreClaimHash'));

/** Registers the model on a connection. */
export const requestedCredentialModel = (connection: Connection): Model<RequestedCredentialRow> =>
  connection.model<RequestedCredentialRow>('RequestedCredential', requestedCredential);
