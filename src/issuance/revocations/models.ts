// Revocations of many issuances: a preview, the job that its token starts, and the ids that the preview has matched, in chunks.
import { type Connection, type Model, Schema } from 'mongoose';
import type { ClaimedRow } from '../../store/row-claims.js';
import type { RevocationFilter } from './filter.js';
import type { RevocationCaller } from './owner.js';

/** `previewed` until its token is used. Status lists show what a job has revoked only once it is `finished`. */
export type RevocationState = 'previewed' | 'running' | 'finished';

export interface RevocationJobRow extends ClaimedRow {
  /** UUID: the jobId. */
  _id: string;
  /** Hash of the preview's token. */
  tokenHash: string;
  tokenUntil: Date;
  caller: RevocationCaller;
  filter: RevocationFilter;
  state: RevocationState;
  /** The moment of the preview: what was issued later is not revoked. */
  previewedAt: Date;
  /** Issuances that the preview has matched, and their chunks. */
  count: number;
  chunks: number;
  nextChunk: number;
  /** Issuances that the job has processed, and those that it has revoked; all others were already revoked. */
  done: number;
  revoked: number;
  /** How many matched the filter when the job was started; null in a preview. */
  initialMatches: number | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** When the last progress event was written. */
  toldAt: Date;
  expireAt: Date;
}

export interface RevocationChunkRow {
  /** `<jobId> <number>`. */
  _id: string;
  jobId: string;
  /** Ids of issuances. */
  ids: string[];
  expireAt: Date;
}

const job = new Schema<RevocationJobRow>(
  {
    _id: { type: String, required: true },
    tokenHash: { type: String, required: true },
    tokenUntil: Date,
    caller: Schema.Types.Mixed,
    filter: Schema.Types.Mixed,
    state: { type: String, required: true },
    previewedAt: Date,
    count: Number,
    chunks: Number,
    nextChunk: Number,
    done: Number,
    revoked: Number,
    initialMatches: { type: Number, default: null },
    startedAt: { type: Date, default: null },
    finishedAt: { type: Date, default: null },
    worker: String,
    leaseUntil: Date,
    fence: Number,
    takenAt: Date,
    toldAt: Date,
    expireAt: { type: Date, required: true },
  },
  { collection: 'revocationJobs', versionKey: false },
);
job.index({ tokenHash: 1 }, { unique: true });
job.index({ state: 1, takenAt: 1 });
job.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

const chunk = new Schema<RevocationChunkRow>(
  {
    _id: { type: String, required: true },
    jobId: { type: String, required: true },
    ids: [String],
    expireAt: { type: Date, required: true },
  },
  { collection: 'revocationChunks', versionKey: false },
);
chunk.index({ jobId: 1 });
chunk.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export interface RevocationModels {
  revocationJobs: Model<RevocationJobRow>;
  revocationChunks: Model<RevocationChunkRow>;
}

/** Registers the models of revocations on a connection. */
export function revocationModels(connection: Connection): RevocationModels {
  return {
    revocationJobs: connection.model<RevocationJobRow>('RevocationJob', job),
    revocationChunks: connection.model<RevocationChunkRow>('RevocationChunk', chunk),
  };
}
