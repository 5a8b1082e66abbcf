// The rows of issuances: what was signed for whom, without the content; first holdings; quotas of limited credentials.
import { type Connection, type Model, Schema } from 'mongoose';
import type { Anchor } from '../chain/anchors.service.js';
import { rowsWith } from '../store/indexes.js';

export interface IssuanceRow {
  /** UUID: `vcId` of the status response. */
  _id: string;
  partnerId: string;
  issuerId: string;
  issuerDid: string;
  holderId: string;
  holderDid: string;
  credentialId: string;
  schemaId: string;
  schemaVersion: number;
  /** 64 hex digits (contract §5). */
  coreClaimHash: string;
  /** Decimal, unique over the gateway. */
  revocationNonce: string;
  /** Absent for credentials that their issuer signed: these refer to a status list of the issuer, or to none. */
  statusListId?: string;
  statusListIndex?: number;
  /** Signed by its issuer: stored through dstorage/vcs, or given to a wallet. */
  direct?: true;
  /** Id of the stored package: `vcDstorageId`; null for a claim that its issuer gave to a wallet (contract §35): nothing of it is stored. */
  storedId: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** The job that revoked it with many others. */
  revocationJob?: string;
  /** When the `expired` event was written. */
  expiredAt: Date | null;
  /** When its anchor, and the anchor of its removal, was confirmed. Only anchoring.ts sets them. */
  anchoredAt: Date | null;
  removedAt: Date | null;
  /** Neither revoked nor expired, as far as is stored. A holder has at most one such issuance of each credential. */
  live: boolean;
  /** `expiresAt` until the expiry is reported; an index of these rows finds due ones. */
  expiryDue?: Date;
  /**
   * Since when it, or its removal, waits for a batch of anchors. Absent once it is in a batch, or if it will never be
   * in one.
   */
  toAnchor?: Date;
  toRemove?: Date;
  /** Its batch of anchors, and the batch of its removal. */
  anchorBatch?: string;
  removalBatch?: string;
  /** The indexes of its confirmed leaves in them. */
  anchorIndex?: number;
  removalIndex?: number;
  /** Only in rows of earlier versions, instead of the indexes: its anchor on the chain, and the anchor of its removal. */
  anchor?: Anchor;
  removal?: Anchor;
  /** Its copies in wallets, at most 100; revoking the issuance revokes them. */
  instances?: InstanceRow[];
  /** Only for rows of batches. */
  jobId?: string;
  rowKey?: string;
}

/** One copy of an issuance in a wallet: it is bound to a key of its own, and has a place of its own in a token status list. */
export interface InstanceRow {
  /** RFC 7638 thumbprint of the key. */
  key: string;
  /** Id of its token status list, and its index in that. */
  list: string;
  index: number;
}

/** Records that a holder got this credential, or any credential of this issuer, for the first time. */
export interface FirstHoldingRow {
  /** `credential <credentialId> <holderId>` or `issuer <issuerId> <holderId>`. */
  _id: string;
  scope: 'credential' | 'issuer';
  of: string;
  holderId: string;
  /** The time of the issuance; absent in rows of earlier versions until they are counted by day. */
  at?: Date;
}

/** The number of all issuances of a credential, while it has a maximum. */
export interface QuotaRow {
  _id: string;
  issued: number;
}

const issuance = new Schema<IssuanceRow>(
  {
    _id: { type: String, required: true },
    partnerId: String,
    issuerId: String,
    issuerDid: String,
    holderId: String,
    holderDid: String,
    credentialId: String,
    schemaId: String,
    schemaVersion: Number,
    coreClaimHash: String,
    revocationNonce: String,
    statusListId: String,
    statusListIndex: Number,
    direct: Boolean,
    storedId: String,
    createdAt: Date,
    expiresAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    revocationJob: String,
    expiredAt: { type: Date, default: null },
    anchoredAt: { type: Date, default: null },
    removedAt: { type: Date, default: null },
    live: Boolean,
    expiryDue: Date,
    toAnchor: Date,
    toRemove: Date,
    anchorBatch: String,
    removalBatch: String,
    anchorIndex: Number,
    removalIndex: Number,
    anchor: Schema.Types.Mixed,
    removal: Schema.Types.Mixed,
    instances: { type: [{ _id: false, key: String, list: String, index: Number }], default: undefined },
    jobId: String,
    rowKey: String,
  },
  { collection: 'issuances', versionKey: false },
);
issuance.index({ coreClaimHash: 1 }, { unique: true });
issuance.index({ revocationNonce: 1 }, { unique: true });
issuance.index(
  { statusListId: 1, statusListIndex: 1 },
  { name: 'statusListPlace', unique: true, partialFilterExpression: { statusListId: { $exists: true } } },
);
issuance.index({ holderId: 1, credentialId: 1 }, { unique: true, partialFilterExpression: { live: true } });
issuance.index({ jobId: 1, rowKey: 1 }, { unique: true, partialFilterExpression: { jobId: { $exists: true } } });
for (const due of ['expiryDue', 'toAnchor', 'toRemove']) issuance.index({ [due]: 1 }, rowsWith(due));
for (const [batch, confirmedAt] of [
  ['anchorBatch', 'anchoredAt'],
  ['removalBatch', 'removedAt'],
] as const)
  issuance.index({ [batch]: 1, [confirmedAt]: 1 }, { partialFilterExpression: { [batch]: { $exists: true } } });
// Only revoked rows: a status list is made of these.
issuance.index(
  { statusListId: 1, revokedAt: 1 },
  { name: 'revokedInStatusList', partialFilterExpression: { revokedAt: { $gt: new Date(0) } } },
);
issuance.index(
  { 'instances.list': 1, 'instances.index': 1 },
  { ...rowsWith('instances.list'), name: 'tokenListPlace', unique: true },
);
issuance.index({ 'instances.list': 1, revokedAt: 1 }, { ...rowsWith('instances.list'), name: 'tokenList' });
for (const owner of ['partnerId', 'holderId', 'holderDid', 'schemaId', 'credentialId', 'issuerDid'])
  issuance.index({ [owner]: 1, createdAt: 1, _id: 1 });
issuance.index({ jobId: 1, direct: 1, createdAt: 1, _id: 1 });
for (const order of ['createdAt', 'expiresAt', 'revokedAt']) issuance.index({ [order]: 1, _id: 1 });

const firstHolding = new Schema<FirstHoldingRow>(
  { _id: { type: String, required: true }, scope: String, of: String, holderId: String, at: Date },
  { collection: 'firstHoldings', versionKey: false },
);

const quota = new Schema<QuotaRow>(
  { _id: { type: String, required: true }, issued: Number },
  { collection: 'issuanceQuotas', versionKey: false },
);

export interface IssuanceModels {
  issuances: Model<IssuanceRow>;
  firstHoldings: Model<FirstHoldingRow>;
  quotas: Model<QuotaRow>;
}

/** Registers the issuance models on a connection. */
export function issuanceModels(connection: Connection): IssuanceModels {
  return {
    issuances: connection.model<IssuanceRow>('Issuance', issuance),
    firstHoldings: connection.model<FirstHoldingRow>('FirstHolding', firstHolding),
    quotas: connection.model<QuotaRow>('IssuanceQuota', quota),
  };
}
