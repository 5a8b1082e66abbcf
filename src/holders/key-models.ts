// The stored rows about holders' keys, in addition to holder records: backups, which only holders can decrypt, the results of hand-overs to
// devices, and passkeys with the challenges that they sign.
import { type Connection, type Model, Schema } from 'mongoose';
import type { WrappedKey } from './key-types.js';

/** The key of a backup, encrypted so that one secret opens it: a passkey, or the recovery code. */
export interface KeyBackupWrap {
  kind: 'passkey' | 'recovery';
  id?: string;
  data: string;
  iv: string;
}

/** The keys of a holder, encrypted by its client. */
export interface KeyBackupContent {
  data: string;
  iv: string;
  wraps: readonly KeyBackupWrap[];
  /** SHA-256 of the recovery proof, in hex. */
  recoveryProofHash?: string | undefined;
}

export interface KeyBackupRow extends KeyBackupContent {
  /** holderId. */
  _id: string;
  etag: string;
  updatedAt: Date;
}

/** The result of the newest hand-over of a holder's key, for devices that did not receive the response. */
export interface KeyHandOverRow {
  /** holderId. */
  _id: string;
  /** X25519 public key of the device, SPKI DER in hex with 0x. */
  devicePublicKey: string;
  publicKey: string;
  /** Encrypted to the device; null if the device registered its own key. */
  wrappedKey: WrappedKey | null;
  expiresAt: Date;
}

/** A passkey of a holder. */
export interface PasskeyRow {
  /** Its credential id (WebAuthn), base64url. */
  _id: string;
  holderId: string;
  name: string;
  /** COSE key, base64url. */
  publicKey: string;
  /** Its signature counter; 0 for passkeys that have none. */
  counter: number;
  transports: string[];
  /** The relying party that it was made for: PASSKEY_RP_ID at that time. */
  rpId: string;
  createdAt: Date;
  lastUsedAt?: Date;
}

/** What a passkey signs, once. */
export interface PasskeyChallengeRow {
  /** 32 random bytes, base64url. */
  _id: string;
  holderId: string;
  sessionId: string;
  /** Whether a passkey is made or used. */
  purpose: 'create' | 'get';
  expiresAt: Date;
}

const text = { type: String, required: true } as const;

const wrap = new Schema<KeyBackupWrap>({ kind: text, id: String, data: text, iv: text }, { _id: false, id: false });

const keyBackup = new Schema<KeyBackupRow>(
  {
    _id: text,
    data: text,
    iv: text,
    wraps: { type: [wrap], required: true },
    recoveryProofHash: String,
    etag: text,
    updatedAt: { type: Date, required: true },
  },
  { collection: 'keyBackups', versionKey: false },
);

const keyHandOver = new Schema<KeyHandOverRow>(
  {
    _id: text,
    devicePublicKey: text,
    publicKey: text,
    wrappedKey: { type: Schema.Types.Mixed, default: null },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'keyHandOvers', versionKey: false },
);
keyHandOver.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const passkey = new Schema<PasskeyRow>(
  {
    _id: text,
    holderId: text,
    name: text,
    publicKey: text,
    counter: { type: Number, required: true },
    transports: { type: [String], required: true },
    rpId: text,
    createdAt: { type: Date, required: true },
    lastUsedAt: Date,
  },
  { collection: 'passkeys', versionKey: false },
);
passkey.index({ holderId: 1 });
// For `doctor`.
passkey.index({ rpId: 1 });

const passkeyChallenge = new Schema<PasskeyChallengeRow>(
  { _id: text, holderId: text, sessionId: text, purpose: text, expiresAt: { type: Date, required: true } },
  { collection: 'passkeyChallenges', versionKey: false },
);
passkeyChallenge.index({ holderId: 1 });
passkeyChallenge.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export interface KeyModels {
  keyBackups: Model<KeyBackupRow>;
  keyHandOvers: Model<KeyHandOverRow>;
  passkeys: Model<PasskeyRow>;
  passkeyChallenges: Model<PasskeyChallengeRow>;
}

/** Registers the models on a connection. */
export function keyModels(connection: Connection): KeyModels {
  return {
    keyBackups: connection.model<KeyBackupRow>('KeyBackup', keyBackup),
    keyHandOvers: connection.model<KeyHandOverRow>('KeyHandOver', keyHandOver),
    passkeys: connection.model<PasskeyRow>('Passkey', passkey),
    passkeyChallenges: connection.model<PasskeyChallengeRow>('PasskeyChallenge', passkeyChallenge),
  };
}
