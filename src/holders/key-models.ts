// The stored rows about holders' keys, in addition to holder records: backups, which only holders can decrypt, and the results of hand-overs to
// devices.
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

export interface KeyModels {
  keyBackups: Model<KeyBackupRow>;
  keyHandOvers: Model<KeyHandOverRow>;
}

/** Registers the models on a connection. */
export function keyModels(connection: Connection): KeyModels {
  return {
    keyBackups: connection.model<KeyBackupRow>('KeyBackup', keyBackup),
    keyHandOvers: connection.model<KeyHandOverRow>('KeyHandOver', keyHandOver),
  };
}
