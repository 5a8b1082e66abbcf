// The rows of processes: the lease of each process, and facts about it.
import { type Connection, type Model, Schema } from 'mongoose';
import { isOver } from './lease-end.js';

/** The keys of a process, for a change of KEYSTORE_KEY while gateways run. */
export interface ProcessFacts {
  /** Ids of the keys with which it can open values. */
  keys: readonly string[];
  /** Id of the key that it seals with. */
  sealing: string;
  /** Its open problems, for operators, who ask any process. */
  problems: readonly StoredProblem[];
}

/** An open problem of a process: base/monitoring/problems.ts. A process of another version may have other kinds. */
export interface StoredProblem {
  kind: string;
  since: number;
  note: string;
  todo?: string;
}

interface ProcessRow extends Partial<ProcessFacts> {
  _id: string;
  expiresAt: Date;
  /** Set when a process has found the lease over: it is never renewed. Ignored in rows of earlier versions, which renew theirs regardless. */
  ended?: true;
  /** Whether the process's elections depend on this row; absent in rows of earlier versions, which renew a row for each election. */
  elects?: true;
}

const row = new Schema<ProcessRow>(
  {
    _id: { type: String, required: true },
    expiresAt: Date,
    ended: Boolean,
    elects: Boolean,
    keys: { type: [String], default: undefined },
    sealing: String,
    problems: { type: [{ _id: false, kind: String, since: Number, note: String, todo: String }], default: undefined },
  },
  { collection: 'processes', versionKey: false },
);
/** A TTL index, only for cleanup: whether a lease has ended is decided by its time. */
row.index({ expiresAt: 1 }, { expireAfterSeconds: 3_600 });

export interface ProcessLeaseModels {
  processes: Model<ProcessRow>;
}

/** Registers the model on a connection. */
export function processLeaseModels(connection: Connection): ProcessLeaseModels {
  return { processes: connection.model<ProcessRow>('Process', row) };
}

/** How long the lease of a dead process lasts, milliseconds; it is renewed after a third of that. */
export const TERM_MS = 4_500;
/** Filter of the leases that are not marked as ended. For leases of earlier versions, only the time counts. */
export const NOT_ENDED = { $or: [{ ended: { $exists: false } }, { elects: { $exists: false } }] };
/** Filter of the leases that hold. */
export const HOLDS = { ...NOT_ENDED, $expr: { $not: [isOver('$expiresAt', TERM_MS)] } };

/** Filter of the leases whose time is not over, also if a clock was set back and it is far ahead: their processes may be alive. */
export const NOT_OVER = { $expr: { $gt: ['$expiresAt', '$$NOW'] } };

/** How long a process may stand still, without processor time, before what must not meet a running one takes it for dead. Milliseconds. */
const STAND_STILL_MS = 60_000;
/**
 * Filter of the processes that may be running: a lease that ended without being deleted was that of a killed process, or of one that stands still
 * and will go on.
 */
export const MAY_RUN = { $expr: { $gt: ['$expiresAt', { $subtract: ['$$NOW', STAND_STILL_MS] }] } };

/** The beginning of a `holder` in rows; a lease's id follows. Gateways of earlier versions write UUIDs, which sort before it. */
export const PREFIX = 'process ';

/** The `holder` of rows that belong to the process with this lease. */
export const holderOf = (processId: string): string => PREFIX + processId;

/** The id of a holder's lease; undefined: nobody, or a gateway of an earlier version. */
export const processOf = (holder: string): string | undefined =>
  holder.startsWith(PREFIX) ? holder.slice(PREFIX.length) : undefined;
