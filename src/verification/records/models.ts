// The collections of verification: records, the proofs beside them, pinned programs, lists of values, holders' uses of a program, and counts.
import { type Connection, type Model, Schema } from 'mongoose';
import type { Anchor } from '../../chain/anchors.service.js';
import { rowsWith } from '../../store/indexes.js';
import type { VerificationReason, VerificationState, VerificationStatus } from '../forms/verification.js';

export interface VerificationRow {
  /** verificationId, a random UUID. */
  _id: string;
  partnerId: string;
  programId: string;
  programVersion: string;
  state: VerificationState;
  status: VerificationStatus;
  reason: VerificationReason | null;
  /** How a wallet of others answers (wallets/models.ts); absent: the holder answers here. */
  wallet?: string;
  /** Paths of the claims that the wallet disclosed, with dots. */
  disclosed?: string[];
  /** The nonce of the challenge: 32 bytes, base64url. */
  nonce: string;
  /** Also the `now` of the challenge. */
  createdAt: Date;
  expiresAt: Date;
  decidedAt: Date | null;
  redirectUrl: string | null;
  /**
   * `<partnerId> <programId> <holderId>` while the verification of a named holder is waiting. It is unique, so there is
   * only one of them.
   */
  waiting?: string;
  /** The holder, until it is closed; absent until a holder fetches the request. */
  holderId?: string;
  /** Keyed hash of the holder; not removed when it is closed. */
  holderKey?: string;
  /** The proved claim, until it is closed; its keyed hash is not removed. Absent for a credential of an issuer that is not managed. */
  coreClaimHash?: string;
  claimKey?: string;
  credentialId: string | null;
  issuerId?: string;
  proofSha256: string | null;
  nullifier: string | null;
  /** The current status of a Compliant verification; null for others. */
  current: VerificationStatus | null;
  /** Compact JWS of the closed record. */
  receipt: string | null;
  /** When it times out; absent once it is closed. */
  dueAt?: Date;
  /** The check of its proof in progress: its process's token, and its end by the database's clock. */
  check?: { token: string; until: Date };
  /** Only for a program that asks for the CAK, until it is closed: the notice to the issuer once it is Compliant. */
  cak?: CakNotice;
  /** The anchored digest, 64 hex digits. */
  digest?: string;
  /** Since when it has waited for a batch of anchors. */
  toAnchor?: Date;
  anchorBatch?: string;
  anchor?: Anchor;
  anchoredAt?: Date | null;
  /** When the record is deleted. */
  expireAt?: Date;
}

/** A compliance access key that a holder has agreed to disclose to a verifier. */
export interface CakNotice {
  issuerDid: string;
  schemaId: string;
  verifierDid: string;
}

/** The presentation of a proof; it is deleted before its record. */
export interface ProofRow {
  /** verificationId. */
  _id: string;
  presentation: string;
  /** Absent until the verification is closed. */
  expireAt?: Date;
}

/** A pinned version of a program; immutable. */
export interface ProgramVersionRow {
  /** programVersion: SHA-256 of `content`, 64 hex digits. */
  _id: string;
  programId: string;
  /** RFC 8785. */
  content: string;
  /** Issuers of the accepted credentials, in their order. */
  issuerIds: string[];
}

/** The accumulator of a list of values: created once; its key is destroyed. */
export interface AccumulatorRow {
  /** `<programVersion> <credentialId> <hash of the list>`. */
  _id: string;
  field: string;
  publicKey: string;
  accumulated: string;
  witnesses: string[];
}

/** How often a holder, identified by its nullifier, has used a program. */
export interface UseRow {
  /** The nullifier. */
  _id: string;
  programId: string;
  /** The number of Compliant verifications, and of those that wait for the chain. */
  taken: number;
  compliant: number;
}

/**
 * Compliant verifications of a nullifier with one credential; of all holders of a credential whose issuer is not
 * managed, because they have no nullifier. Rows are never deleted: `traction verify` counts them.
 */
export interface NullifierRow {
  /** `<nullifier> <credentialId>`; without a nullifier, `- <programId> <credentialId>`. */
  _id: string;
  /** Empty if there is none. */
  nullifier: string;
  programId: string;
  credentialId: string;
  issuerId: string;
  count: number;
}

/** The key of nullifiers and keyed hashes: created once, never changed. */
export interface NullifierKeyRow {
  _id: string;
  /** 32 bytes, sealed for `{what: 'nullifier-key', whose: _id}`. */
  sealed: string;
}

const id = { type: String, required: true } as const;

const verification = new Schema<VerificationRow>(
  {
    _id: id,
    partnerId: String,
    programId: String,
    programVersion: String,
    state: String,
    status: String,
    reason: String,
    wallet: String,
    disclosed: { type: [String], default: undefined },
    nonce: String,
    createdAt: Date,
    expiresAt: Date,
    decidedAt: Date,
    redirectUrl: String,
    waiting: String,
    holderId: String,
    holderKey: String,
    coreClaimHash: String,
    claimKey: String,
    credentialId: String,
    issuerId: String,
    proofSha256: String,
    nullifier: String,
    current: String,
    receipt: String,
    dueAt: Date,
    check: { type: { token: String, until: Date }, _id: false },
    cak: { type: { issuerDid: String, schemaId: String, verifierDid: String }, _id: false },
    digest: String,
    toAnchor: Date,
    anchorBatch: String,
    anchor: Schema.Types.Mixed,
    anchoredAt: Date,
    expireAt: Date,
  },
  { collection: 'verifications', versionKey: false },
);
for (const filter of [[], ['programId'], ['status']])
  verification.index({
    partnerId: 1,
    ...Object.fromEntries(filter.map((field) => [field, 1])),
    createdAt: -1,
    _id: -1,
  });
verification.index({ waiting: 1 }, { unique: true, partialFilterExpression: { waiting: { $exists: true } } });
for (const field of ['dueAt', 'toAnchor', 'coreClaimHash', 'claimKey'])
  verification.index({ [field]: 1 }, rowsWith(field));
verification.index({ anchorBatch: 1, anchoredAt: 1 }, { partialFilterExpression: { anchorBatch: { $exists: true } } });
verification.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

const proof = new Schema<ProofRow>(
  { _id: id, presentation: String, expireAt: Date },
  { collection: 'verificationProofs', versionKey: false },
);
proof.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

const programVersion = new Schema<ProgramVersionRow>(
  { _id: id, programId: String, content: String, issuerIds: { type: [String], required: true } },
  { collection: 'programVersions', versionKey: false },
);

const accumulator = new Schema<AccumulatorRow>(
  { _id: id, field: String, publicKey: String, accumulated: String, witnesses: { type: [String], required: true } },
  { collection: 'accumulators', versionKey: false },
);

const use = new Schema<UseRow>(
  { _id: id, programId: String, taken: Number, compliant: Number },
  { collection: 'programUses', versionKey: false },
);

const nullifier = new Schema<NullifierRow>(
  { _id: id, nullifier: String, programId: String, credentialId: String, issuerId: String, count: Number },
  { collection: 'nullifiers', versionKey: false },
);

const nullifierKey = new Schema<NullifierKeyRow>(
  { _id: id, sealed: String },
  { collection: 'nullifierKeys', versionKey: false },
);

export interface VerificationModels {
  verifications: Model<VerificationRow>;
  proofs: Model<ProofRow>;
  programVersions: Model<ProgramVersionRow>;
  accumulators: Model<AccumulatorRow>;
  uses: Model<UseRow>;
  nullifiers: Model<NullifierRow>;
  nullifierKeys: Model<NullifierKeyRow>;
}

/** Registers the models of verification on a connection. */
export function verificationModels(connection: Connection): VerificationModels {
  return {
    verifications: connection.model<VerificationRow>('Verification', verification),
    proofs: connection.model<ProofRow>('VerificationProof', proof),
    programVersions: connection.model<ProgramVersionRow>('ProgramVersion', programVersion),
    accumulators: connection.model<AccumulatorRow>('Accumulator', accumulator),
    uses: connection.model<UseRow>('ProgramUse', use),
    nullifiers: connection.model<NullifierRow>('Nullifier', nullifier),
    nullifierKeys: connection.model<NullifierKeyRow>('NullifierKey', nullifierKey),
  };
}
