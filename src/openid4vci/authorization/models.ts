// Authorizations of wallets, from the request to its code. What was given out for one is stored as a hash.
import { type Connection, type Model, Schema } from 'mongoose';
import { rowsWith } from '../../store/indexes.js';

/**
 * A request that a wallet has pushed, or the page that shows one to its user; `renewed`: a page whose secret was replaced at the login;
 * `spent`: one whose code was exchanged; `declined`: one that its user has cancelled.
 */
export interface AuthorizationRow {
  /** SHA-256 of the secret in the `request_uri`, or of the page's, hex. */
  _id: string;
  kind: 'pushed' | 'page' | 'renewed' | 'spent' | 'declined';
  issuerId: string;
  /** What is to be issued. */
  credentialId: string;
  /** `client_id`, `redirect_uri`, `state`, `code_challenge` (S256) and `scope` of the request. */
  clientId: string;
  redirectUri: string;
  state?: string;
  codeChallenge: string;
  scope?: string;
  /** The offer that it takes, and the key of its subject, wrapped under the secret. */
  offerId?: string;
  wrappedKey?: string;
  /** Thumbprint of the DPoP key that the code is bound to. */
  dpopJkt?: string;
  /** Thumbprint of the attested key of the wallet that pushed it. */
  instanceJkt?: string;
  /** Of a page: the pushed request that it shows. */
  pushedId?: string;
  /** The login in progress; then the holder who has logged in. */
  loginId?: string;
  holderId?: string;
  /** How many codes its user had mailed: a form that is older was sent before. */
  mails: number;
  /** What the user typed last, and the fault in it that was not shown yet; sealed under the secret. */
  sealedInput?: string;
  /** Of a renewed page: its new secret, sealed under the old one with the login code; and how often a repeat asked for it. */
  renewedAs?: string;
  repeats?: number;
  /** Of the newest code: its SHA-256, the key wrapped under it, and its end. */
  codeHash?: string;
  codeKey?: string;
  codeExpiresAt?: Date;
  expiresAt: Date;
}

const authorization = new Schema<AuthorizationRow>(
  {
    _id: { type: String, required: true },
    kind: { type: String, enum: ['pushed', 'page', 'renewed', 'spent', 'declined'], required: true },
    issuerId: { type: String, required: true },
    credentialId: { type: String, required: true },
    clientId: { type: String, required: true },
    redirectUri: { type: String, required: true },
    state: String,
    codeChallenge: { type: String, required: true },
    scope: String,
    offerId: String,
    wrappedKey: String,
    dpopJkt: String,
    instanceJkt: String,
    pushedId: String,
    loginId: String,
    holderId: String,
    mails: { type: Number, required: true },
    sealedInput: String,
    renewedAs: String,
    repeats: Number,
    codeHash: String,
    codeKey: String,
    codeExpiresAt: Date,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'walletAuthorizations', versionKey: false },
);
authorization.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
authorization.index({ codeHash: 1 }, { unique: true, ...rowsWith('codeHash') });
authorization.index({ holderId: 1 }, rowsWith('holderId'));
authorization.index({ offerId: 1 }, rowsWith('offerId'));

/** Registers the model on a connection. */
export const authorizationModel = (connection: Connection): Model<AuthorizationRow> =>
  connection.model<AuthorizationRow>('WalletAuthorization', authorization);
