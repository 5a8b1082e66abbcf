// Batches of issuances: jobs and their rows. A row's content is sealed, and erased as soon as the row is done.
import { type Connection, type Model, Schema } from 'mongoose';
import type { ErrorCode } from '../../base/errors.js';
import type { Retained } from '../../store/retention.js';
import type { ClaimedRow } from '../../store/row-claims.js';

/** `cancelling` until waiting rows are erased. `finished` and `cancelled` are final, except for a retry of failed rows. */
export type BatchJobState = 'running' | 'finished' | 'cancelling' | 'cancelled';

/** `checked`: in a dry run, nothing that can be checked prevents the row's issuance. `held`: the same, and the recipient has a live credential of this kind. */
export type RowState = 'waiting' | 'issued' | 'checked' | 'held' | 'failed' | 'cancelled';

export interface IssuanceJobRow extends Retained, ClaimedRow {
  /** UUID. */
  _id: string;
  partnerId: string;
  /** Id of the key that signed the token of the request. */
  kid: string | null;
  issuerDid: string;
  credentialId: string;
  onDuplicate: 'ignore' | 'revoke';
  dryRun: boolean;
  state: BatchJobState;
  total: number;
  createdAt: Date;
  finishedAt: Date | null;
  /** When the last progress event was written. */
  toldAt?: Date;
  expireAt: Date;
}

export interface BatchItemRow extends Retained {
  /** `<jobId> <rowKey>`: unique (job, row). */
  _id: string;
  jobId: string;
  rowKey: string;
  /** Position in the job, from 0. */
  index: number;
  state: RowState;
  /** The sealed RowContent; absent when the row is done or cancelled. */
  sealed?: string;
  errorCode?: ErrorCode;
  /** The issuance's hash, after it is issued. */
  coreClaimHash?: string;
  userUuid?: string;
  expireAt: Date;
}

const job = new Schema<IssuanceJobRow>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    kid: String,
    issuerDid: String,
    credentialId: String,
    onDuplicate: String,
    dryRun: Boolean,
    state: { type: String, required: true },
    total: Number,
    createdAt: Date,
    finishedAt: { type: Date, default: null },
    worker: String,
    leaseUntil: Date,
    fence: Number,
    takenAt: Date,
    toldAt: Date,
    expireAt: { type: Date, required: true },
    retentionMs: Number,
  },
  { collection: 'issuanceJobs', versionKey: false },
);
job.index({ state: 1, takenAt: 1 });
job.index({ createdAt: 1, _id: 1 });
job.index({ partnerId: 1, createdAt: 1, _id: 1 });
job.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

const row = new Schema<BatchItemRow>(
  {
    _id: { type: String, required: true },
    jobId: { type: String, required: true },
    rowKey: { type: String, required: true },
    index: { type: Number, required: true },
    state: { type: String, required: true },
    sealed: String,
    errorCode: String,
    coreClaimHash: String,
    userUuid: String,
    expireAt: { type: Date, required: true },
    retentionMs: Number,
  },
  { collection: 'issuanceJobRows', versionKey: false },
);
row.index({ jobId: 1, index: 1 }, { unique: true });
row.index({ jobId: 1, state: 1, index: 1 });
row.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export interface BatchModels {
  jobs: Model<IssuanceJobRow>;
  rows: Model<BatchItemRow>;
}

/** Registers the models of batches on a connection. */
export function batchModels(connection: Connection): BatchModels {
  return {
    jobs: connection.model<IssuanceJobRow>('IssuanceJob', job),
    rows: connection.model<BatchItemRow>('IssuanceJobRow', row),
  };
}
