// The interface through which domains record audit entries, in the transaction of a write.
import type { ClientSession } from 'mongoose';
import type { Caller } from '../base/callers/caller.js';
import type { AuditOperation } from './audit-operations.js';

/** The outcome of a write. */
export type AuditOutcome = 'created' | 'updated' | 'retired' | 'deleted' | 'issued' | 'revoked' | 'started' | 'ended';

/** A write. Of `before` and `after`, only the members that the operation lists are stored; absent: there was, or is, nothing. */
export interface NewAuditEntry {
  operation: AuditOperation;
  /** Id of what was written. */
  subject: string;
  outcome: AuditOutcome;
  before?: object | null;
  after?: object | null;
  /** Who wrote it, if writes of several callers are recorded; not with `together`. */
  caller?: Caller;
}

/**
 * Records writes in their transaction: they are in the log when, and only when, it commits. Writes of holders and anonymous callers are not
 * recorded. `together`: entries of one operation and outcome share rows; for imports, whose subjects are not holders.
 */
export type RecordWrites = (
  caller: Caller,
  entries: readonly NewAuditEntry[],
  session: ClientSession,
  options?: { together?: boolean },
) => Promise<void>;
