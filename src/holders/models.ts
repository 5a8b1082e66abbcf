// The collections of holders: sealed addresses, keys, links to partners, pending logins and sessions.
import { type Connection, type Model, Schema } from 'mongoose';
import type { P256Jwk } from '../keys/public-jwk.js';
import { rowsWith } from '../store/indexes.js';
import { type RateRow, rateModel } from '../store/rate-limits.js';
import type { Retained } from '../store/retention.js';
import { type KeyModels, keyModels } from './key-models.js';
import { type MailRow, mailModel } from './mail-models.js';
import { type PartnerLinkRow, partnerLinkModel } from './partner-link-models.js';
import type { PendingLogin } from './pending-logins.js';

/** One holder: a person with one e-mail address. */
export interface HolderRow {
  /** userId, a UUID. */
  _id: string;
  /** Keyed hash of the address, for look-ups. */
  emailHash: string;
  /** The address, sealed for `{what: 'holder-email', whose: _id}`. */
  sealedEmail: string;
  /** It never changes. */
  did: string;
  /** X25519 public key, SPKI DER in hex with 0x; null until the gateway creates one or a device registers one. */
  publicKey: string | null;
  /** Its private key (PKCS#8 DER), sealed for `{what: 'holder-key', whose: _id}`; null after the hand-over to the holder. */
  sealedPrivateKey: string | null;
  /** P-256, for credentials that are bound to their holder; absent until the holder registers one. */
  signingKey?: P256Jwk;
  /** Address of the holder's account, with checksum (EIP-55), once its key has signed for it. */
  abstractAccountAddress?: string;
  /** The key that signs for the account, or the account itself if a contract signs. Absent in rows of earlier versions: the account. */
  accountOwner?: string;
  coreId?: CoreIdRow;
  /** How many passkeys it has, and how often these or its key backup have changed: changes take turns by it. Absent: 0. */
  passkeyCount?: number;
  factorChanges?: number;
  createdAt: Date;
  updatedAt: Date;
}

/** An identity record. */
export interface CoreIdRow {
  id: string;
  name?: string;
  node: string;
  status: 'minting' | 'minted';
  chainId: number;
  imageUrl?: string;
}

/** An account of one holder. Holder rows of earlier versions may share one; it belongs to the oldest holder. */
export interface AccountRow {
  /** The signer, as `accountOwner` in HolderRow. */
  _id: string;
  holderId: string;
  /** The address that holders and partners use, with checksum. */
  address: string;
  /** Registered without a chain: until one is configured, `address` is the owner's address. */
  waits?: boolean;
  createdAt: Date;
}

/** The challenge that an account's key signs to register the account for a holder. */
export interface WalletChallengeRow {
  _id: string;
  holderId: string;
  /** With its checksum. */
  address: string;
  message: string;
  expiresAt: Date;
}

/** The link of a holder and a partner. */
export interface HolderPartnerRow {
  /** `<holderId> <partnerId>`. */
  _id: string;
  holderId: string;
  partnerId: string;
  /** The partner's own id for the holder, sealed for `{what: 'partner-user-id', whose: _id}`. */
  sealedPartnerUserId?: string;
  consent?: 'accepted' | 'declined';
  /** The holder's last login through the partner. */
  loggedInAt?: Date;
  updatedAt: Date;
}

/** A pending login: a code was mailed. */
export interface LoginRow extends PendingLogin {
  emailHash: string;
  /** Sealed for `{what: 'holder-email', whose: _id}`: the holder may not exist before the login succeeds. */
  sealedEmail: string;
  /** The partner through which the holder logs in, or the page whose code it is, which opens no session (`EmailProofs`). */
  partnerId: string;
  sealedPartnerUserId?: string;
  /** Started with a partner token, or with a session of the same person. */
  vouched?: boolean;
  ownSession?: boolean;
  /** Keyed hash of loginId and code. */
  codeHash: string;
}

/** A pending login: an account has to sign a message. */
export interface AccountLoginRow extends PendingLogin {
  /** The account or its owner's key, with checksum; it may have no holder. */
  address: string;
  /** The message to sign (ERC-4361). */
  message: string;
  partnerId: string;
  /** Started with a partner token. */
  vouched?: boolean;
}

/** The client SDK's CoreSessionConfig. */
export interface SessionConfig {
  /** BCP 47. */
  locale: string;
  /** ISO 4217. */
  currency: 'EUR' | 'USD' | 'CNY' | 'KRW' | 'TRY';
}

/** A session, to which tokens refer until it expires or is revoked. */
export interface SessionRow extends Retained {
  /** The token's `jti`. */
  _id: string;
  holderId: string;
  partnerId: string;
  /** Opened with a partner token; absent: without one. */
  vouched?: boolean;
  /** The partner whose page the holder came from. */
  sourcePartnerId?: string;
  /** When it last proved the holder's second factor. */
  provedAt?: Date;
  /** The display settings that the client changed. */
  config?: Partial<SessionConfig>;
  createdAt: Date;
  expiresAt: Date;
}

const id = { type: String, required: true } as const;
const options = (collection: string) => ({ collection, versionKey: false }) as const;

const holder = new Schema<HolderRow>(
  {
    _id: id,
    emailHash: { type: String, required: true },
    sealedEmail: { type: String, required: true },
    did: { type: String, required: true },
    publicKey: { type: String, default: null },
    sealedPrivateKey: { type: String, default: null },
    signingKey: { type: { kty: String, crv: String, x: String, y: String }, _id: false },
    abstractAccountAddress: String,
    accountOwner: String,
    coreId: {
      type: { id: String, name: String, node: String, status: String, chainId: Number, imageUrl: String },
      _id: false,
    },
    ...{ passkeyCount: Number, factorChanges: Number },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  options('holders'),
);
holder.index({ emailHash: 1 }, { unique: true });
holder.index({ did: 1 }, { unique: true });
holder.index({ accountOwner: 1 }, rowsWith('accountOwner'));

const account = new Schema<AccountRow>(
  {
    _id: id,
    holderId: { type: String, required: true },
    address: { type: String, required: true },
    waits: Boolean,
    createdAt: { type: Date, required: true },
  },
  options('accounts'),
);
account.index({ address: 1 }, { unique: true });
account.index({ holderId: 1 });
account.index({ waits: 1 }, rowsWith('waits'));

const holderPartner = new Schema<HolderPartnerRow>(
  {
    _id: id,
    holderId: { type: String, required: true },
    partnerId: { type: String, required: true },
    sealedPartnerUserId: String,
    consent: String,
    loggedInAt: Date,
    updatedAt: { type: Date, required: true },
  },
  options('holderPartners'),
);
holderPartner.index({ partnerId: 1, holderId: 1 });

const login = new Schema<LoginRow>(
  {
    _id: id,
    emailHash: { type: String, required: true },
    sealedEmail: { type: String, required: true },
    partnerId: { type: String, required: true },
    sealedPartnerUserId: String,
    vouched: Boolean,
    ownSession: Boolean,
    codeHash: { type: String, required: true },
    tries: { type: Number, required: true },
    used: { type: Boolean, required: true },
    opened: { type: { sessionId: String, at: Date, keyHash: String }, _id: false },
    expiresAt: { type: Date, required: true },
  },
  options('logins'),
);
login.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const accountLogin = new Schema<AccountLoginRow>(
  {
    _id: id,
    address: { type: String, required: true },
    message: { type: String, required: true },
    partnerId: { type: String, required: true },
    vouched: Boolean,
    tries: { type: Number, required: true },
    used: { type: Boolean, required: true },
    opened: { type: { sessionId: String, at: Date, keyHash: String }, _id: false },
    expiresAt: { type: Date, required: true },
  },
  options('accountLogins'),
);
accountLogin.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const session = new Schema<SessionRow>(
  {
    _id: id,
    holderId: { type: String, required: true },
    partnerId: { type: String, required: true },
    vouched: Boolean,
    sourcePartnerId: String,
    provedAt: Date,
    config: { type: { locale: String, currency: String }, _id: false },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    retentionMs: Number,
  },
  options('sessions'),
);
session.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
session.index({ holderId: 1 });

const challenge = new Schema<WalletChallengeRow>(
  { _id: id, holderId: String, address: String, message: String, expiresAt: Date },
  options('walletChallenges'),
);
challenge.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The holder models on one connection. */
export interface HolderModels extends KeyModels {
  holders: Model<HolderRow>;
  holderPartners: Model<HolderPartnerRow>;
  logins: Model<LoginRow>;
  accounts: Model<AccountRow>;
  accountLogins: Model<AccountLoginRow>;
  sessions: Model<SessionRow>;
  challenges: Model<WalletChallengeRow>;
  mails: Model<MailRow>;
  partnerLinks: Model<PartnerLinkRow>;
  rates: Model<RateRow>;
}

/** Registers the holder models on a connection. Builds no index (`migrate` does that). */
export function holderModels(connection: Connection): HolderModels {
  return {
    holders: connection.model<HolderRow>('Holder', holder),
    holderPartners: connection.model<HolderPartnerRow>('HolderPartner', holderPartner),
    logins: connection.model<LoginRow>('Login', login),
    accounts: connection.model<AccountRow>('Account', account),
    accountLogins: connection.model<AccountLoginRow>('AccountLogin', accountLogin),
    sessions: connection.model<SessionRow>('Session', session),
    challenges: connection.model<WalletChallengeRow>('WalletChallenge', challenge),
    mails: mailModel(connection),
    partnerLinks: partnerLinkModel(connection),
    rates: rateModel(connection),
    ...keyModels(connection),
  };
}
