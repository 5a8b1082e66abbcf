// Offers to wallets, and the access tokens that wallets get for them. Secrets are stored as hashes, subjects as ciphertexts.
import { type Connection, type Model, Schema } from 'mongoose';
import { rowsWith } from '../store/indexes.js';

export const OFFER_STATES = ['open', 'claimed', 'issued', 'closed'] as const;
export type OfferState = (typeof OFFER_STATES)[number];
/** Why an offer is closed. */
export const CLOSED_REASONS = ['expired', 'tries', 'withdrawn', 'refused'] as const;
export type ClosedReason = (typeof CLOSED_REASONS)[number];

export interface OfferRow {
  /** UUID. */
  _id: string;
  partnerId: string;
  issuerId: string;
  issuerDid: string;
  credentialId: string;
  holderId: string;
  state: OfferState;
  reason?: ClosedReason;
  /** Of the token in its address, of its code, and of its state; offers of earlier versions have no state of their own. */
  tokenHash: string;
  codeHash: string;
  stateHash?: string;
  /** JSON of the subject, sealed under a random key; deleted with the offer's end. */
  sealedSubject?: string;
  /** That key, wrapped under the code, and under the state (secrets.ts). */
  codeKey?: string;
  stateKey?: string;
  /** When the credential expires, as the partner asked; absent: by its duration. */
  credentialExpiresAt?: Date;
  onDuplicate: string;
  /** Keyed hash of the transaction code; absent: there is none. */
  txCodeHash?: string;
  /** Wrong transaction codes so far. */
  tries: number;
  coreClaimHash?: string;
  /** The last notification of the wallet. */
  walletEvent?: string;
  createdAt: Date;
  expiresAt: Date;
  /** When it is closed if no wallet has the credential by then, or its subject deleted if one has; absent: that is done. */
  due?: Date;
}

/** An access token, or a refresh token, that a wallet has. */
export interface WalletTokenRow {
  /** SHA-256 of the token, hex. */
  _id: string;
  kind: 'access' | 'refresh';
  /** What it is for: an offer, or a request without one. */
  offerId?: string;
  requestId?: string;
  /** The key of the subject, wrapped under the token. */
  wrappedKey: string;
  /** Thumbprint of the DPoP key that it is bound to. */
  jkt?: string;
  /** Thumbprint of the attested key of the wallet. */
  instanceJkt?: string;
  /** The `client_id` of the wallet, if it has sent one: a refresh token is good for it alone. */
  clientId?: string;
  /** Named by notifications. */
  notificationId: string;
  /** Of one that is good longer for deferred requests: until when it is good for others. */
  credentialUntil?: Date;
  /** SHA-256 of the code, or of the refresh token, that it was given for, hex; and until when that can be exchanged again. */
  grantHash?: string;
  repeatableUntil?: Date;
  /** A refresh token that was exchanged: it can be once more, if the response was lost. */
  spent?: boolean;
  expiresAt: Date;
}

const offer = new Schema<OfferRow>(
  {
    _id: { type: String, required: true },
    partnerId: String,
    issuerId: String,
    issuerDid: String,
    credentialId: String,
    holderId: String,
    state: { type: String, enum: OFFER_STATES, required: true },
    reason: { type: String, enum: CLOSED_REASONS },
    tokenHash: { type: String, required: true },
    codeHash: { type: String, required: true },
    stateHash: String,
    sealedSubject: String,
    codeKey: String,
    stateKey: String,
    credentialExpiresAt: Date,
    onDuplicate: String,
    txCodeHash: String,
    tries: { type: Number, default: 0 },
    coreClaimHash: String,
    walletEvent: String,
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    due: Date,
  },
  { collection: 'offers', versionKey: false },
);
offer.index({ tokenHash: 1 }, { unique: true });
offer.index({ codeHash: 1 }, { unique: true });
offer.index({ stateHash: 1 }, { unique: true, ...rowsWith('stateHash') });
offer.index({ partnerId: 1, createdAt: -1, _id: -1 });
offer.index({ partnerId: 1, credentialId: 1, createdAt: -1, _id: -1 });
offer.index({ partnerId: 1, state: 1, createdAt: -1, _id: -1 });
offer.index({ holderId: 1 });
offer.index({ coreClaimHash: 1 }, rowsWith('coreClaimHash'));
offer.index({ due: 1 }, rowsWith('due'));

const walletToken = new Schema<WalletTokenRow>(
  {
    _id: { type: String, required: true },
    kind: { type: String, enum: ['access', 'refresh'], required: true },
    offerId: String,
    requestId: String,
    wrappedKey: { type: String, required: true },
    jkt: String,
    instanceJkt: String,
    clientId: String,
    notificationId: { type: String, required: true },
    credentialUntil: Date,
    grantHash: String,
    repeatableUntil: Date,
    spent: Boolean,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'walletTokens', versionKey: false },
);
walletToken.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
walletToken.index({ offerId: 1 });
walletToken.index({ requestId: 1 }, rowsWith('requestId'));
walletToken.index({ notificationId: 1 });
walletToken.index({ grantHash: 1 }, rowsWith('grantHash'));

export interface Openid4vciModels {
  offers: Model<OfferRow>;
  walletTokens: Model<WalletTokenRow>;
}

/** Registers the models on a connection. */
export function openid4vciModels(connection: Connection): Openid4vciModels {
  return {
    offers: connection.model<OfferRow>('Offer', offer),
    walletTokens: connection.model<WalletTokenRow>('WalletToken', walletToken),
  };
}
