// The collection of the audit log: one row for each write, inserted in its transaction; the sealer later puts it into the hash chain.
import { type Connection, type Model, Schema } from 'mongoose';
import type { AuditOperation } from '../store/audit-operations.js';
import type { AuditOutcome } from '../store/audit-port.js';
import { rowsWith } from '../store/indexes.js';

/** The facts that are recorded about a write, and that its hash covers. */
export interface AuditFacts {
  /** The caller: `operator <name of the key>` or `partner <partnerId>`. */
  _id: string;
  createdAt: Date;
  /** `operator <name of the key>` or `partner <partnerId>`. */
  actor: string;
  /** The partner's key that signed the token; null for operators. */
  kid: string | null;
  operation: AuditOperation;
  /**
   * Id of the written entity. For several writes of an import, a list of ids; `before` and `after` then have a member
   * for each.
   */
  subject: string | readonly string[];
  outcome: AuditOutcome;
  /** JSON text, because the hash covers exactly this text, and the database must not interpret its member names. */
  before: string | null;
  after: string | null;
  /** Null if there is no request, as for commands that write to the store directly. */
  requestId: string | null;
}

export interface AuditRow extends AuditFacts {
  /** True until the row is in the chain, then absent: a partial index finds pending rows. */
  pending?: true;
  /** Emptied because a holder was erased. Its hash is still that of its former content; a later entry lists it. */
  erased?: true;
  /** Position in the chain, from 1; absent while pending. */
  seq?: number;
  /** Hash of the previous row, hex. */
  previous?: string;
  /** Hash of this row, hex. */
  hash?: string;
}

/** A row in the chain. */
export type SealedRow = AuditRow & Required<Pick<AuditRow, 'seq' | 'previous' | 'hash'>>;

const entry = new Schema<AuditRow>(
  {
    _id: { type: String, required: true },
    createdAt: { type: Date, required: true },
    actor: { type: String, required: true },
    kid: { type: String, default: null },
    operation: { type: String, required: true },
    subject: { type: Schema.Types.Mixed, required: true },
    outcome: { type: String, required: true },
    before: { type: String, default: null },
    after: { type: String, default: null },
    requestId: { type: String, default: null },
    pending: Boolean,
    erased: Boolean,
    seq: Number,
    previous: String,
    hash: String,
  },
  { collection: 'auditEntries', versionKey: false },
);
const NEWEST = { createdAt: -1, _id: -1 } as const;
entry.index({ seq: 1 }, { unique: true, ...rowsWith('seq') });
// Includes the order, so that pending rows can be read in order without reading the sealed ones.
entry.index({ pending: 1, createdAt: 1, _id: 1 }, { partialFilterExpression: { pending: true } });
entry.index(NEWEST);
entry.index({ actor: 1, ...NEWEST });
entry.index({ operation: 1, ...NEWEST });
entry.index({ actor: 1, operation: 1, ...NEWEST });
entry.index({ subject: 1, ...NEWEST });

export interface AuditModels {
  entries: Model<AuditRow>;
}

/** Registers the model on a connection. */
export function auditModels(connection: Connection): AuditModels {
  return { entries: connection.model<AuditRow>('AuditEntry', entry) };
}
