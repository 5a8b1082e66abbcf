// Requests to wallets: what a verification asks, the key to which its response is encrypted, and, until a page brings the wallet's code, the
// verdict. Rows are deleted when the verification is decided, or its time to answer ends; of one that its wallet may answer again, the members
// without which no answer is recognized stay for a minute. They contain nothing that a wallet disclosed.
import { type Connection, type Model, Schema } from 'mongoose';

/** How a wallet gets a request and responds. */
export const WALLET_FLOWS = ['cross_device', 'same_device', 'dc_api'] as const;
export type WalletFlow = (typeof WALLET_FLOWS)[number];

export interface WalletRequestRow {
  /** 256 random bits, base64url: part of the request's address. */
  _id: string;
  verificationId: string;
  verifierId: string;
  flow: WalletFlow;
  /** JSON of an `AskedCredential[]` (asked.ts). */
  asked: string;
  /** SHA-256 of the verifier's certificate, hex. */
  certificate: string;
  /** JSON of the public JWK to which the response is encrypted. */
  publicJwk: string;
  /** The private member of that JWK, sealed for `{what: 'wallet-response-key', whose: _id}`. */
  sealedKey: string;
  /** What the response repeats; absent for dc_api. */
  state?: string;
  /** Only for dc_api: the origins of pages that may ask. */
  origins?: string[];
  /** How many times an answer was put off because its issuer was not reached, and when last. */
  putOff?: number;
  putOffAt?: Date;
  /** same_device: JSON of a `Verdict` (verdict.ts). */
  verdict?: string;
  /** Of an answer that was accepted: SHA-256 of its code, hex; and until when it may be sent again (repeated-answers.ts). */
  codeHash?: string;
  repeatableUntil?: Date;
  expireAt: Date;
}

const walletRequest = new Schema<WalletRequestRow>(
  {
    _id: { type: String, required: true },
    verificationId: { type: String, required: true },
    verifierId: { type: String, required: true },
    flow: { type: String, enum: WALLET_FLOWS, required: true },
    asked: { type: String, required: true },
    certificate: { type: String, required: true },
    publicJwk: { type: String, required: true },
    sealedKey: { type: String, required: true },
    state: String,
    origins: { type: [String], default: undefined },
    putOff: Number,
    putOffAt: Date,
    verdict: String,
    codeHash: String,
    repeatableUntil: Date,
    expireAt: { type: Date, required: true },
  },
  { collection: 'walletRequests', versionKey: false },
);
walletRequest.index({ verificationId: 1 }, { unique: true });
walletRequest.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export interface WalletModels {
  walletRequests: Model<WalletRequestRow>;
}

/** Registers the model on a connection. */
export const walletModels = (connection: Connection): WalletModels => ({
  walletRequests: connection.model<WalletRequestRow>('WalletRequest', walletRequest),
});
