// Reads the audit log: pages for the operator, and all entries of a filter for exports.
import type { Caller } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import { requireOperator } from '../base/callers/rights.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import { AUDIT_OPERATIONS, type AuditOperation } from '../store/audit-operations.js';
import type { AuditModels, AuditRow } from './models.js';

const DEFAULT_PAGE = 10;
const MAX_PAGE = 100;
const MAX_TEXT = 500;

/** A filter; all members must match. `subject` cannot be combined with `actor` or `operation`, because no index has them. */
export interface AuditFilter {
  /** `operator <name of the key>` or `partner <partnerId>`. */
  actor?: string;
  operation?: string;
  subject?: string;
  /** From this moment on. */
  from?: Date;
  /** Before this moment. */
  to?: Date;
}

/** An entry as clients see it. */
export interface AuditEntryView {
  id: string;
  at: Date;
  actor: string;
  kid: string | null;
  operation: AuditOperation;
  /** The first of `subjects`. */
  subject: string;
  subjects: readonly string[];
  outcome: string;
  before: unknown;
  after: unknown;
  requestId: string | null;
  seq: number | null;
  hash: string | null;
}

/** The audit log for the operator. */
export class AuditEntries {
  constructor(private readonly models: AuditModels) {}

  /** A page, newest first. @throws DomainError UNAUTHENTICATED, FORBIDDEN, BAD_USER_INPUT (`first`, `after`, a filter). */
  async page(
    caller: Caller,
    filter: AuditFilter,
    { first, after }: { first?: number | null; after?: string | null },
  ): Promise<PageOf<AuditEntryView>> {
    requireOperator(caller, 'read');
    const limit = first ?? DEFAULT_PAGE;
    if (limit < 1 || limit > MAX_PAGE)
      throw badInput(`"first" must be a whole number from 1 to ${MAX_PAGE}; ${limit} is not.`, 'first');
    return newestFirst({
      model: this.models.entries,
      filter: matchOf(filter),
      limit,
      after: after || undefined,
      show: (rows: AuditRow[]) => rows.map(viewOf),
    });
  }

  /** Every entry of a filter, oldest first. @throws DomainError BAD_USER_INPUT. */
  rows(filter: AuditFilter): AsyncIterable<AuditRow> {
    return this.models.entries.find(matchOf(filter)).sort({ createdAt: 1, _id: 1 }).lean<AuditRow[]>().cursor();
  }
}

/** @throws DomainError BAD_USER_INPUT. */
function matchOf({ actor, operation, subject, from, to }: AuditFilter): object {
  if (operation !== undefined && !Object.hasOwn(AUDIT_OPERATIONS, operation))
    throw badInput('"operation" is not an audited operation.', 'operation');
  for (const [name, text] of Object.entries({ actor, subject }))
    if (text !== undefined && (text === '' || text.length > MAX_TEXT))
      throw badInput(`"${name}" must have 1 to ${MAX_TEXT} characters.`, name);
  if (subject !== undefined && (actor !== undefined || operation !== undefined))
    throw badInput('"subject" does not go with "actor" or "operation".', 'subject');
  const equal = Object.fromEntries(
    Object.entries({ actor, operation, subject }).filter(([, value]) => value !== undefined),
  );
  const bounds = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  // In `$and`, because the cursor's bound is on the same field.
  return Object.keys(bounds).length === 0 ? equal : { ...equal, $and: [{ createdAt: bounds }] };
}

function viewOf(row: AuditRow): AuditEntryView {
  const { _id: id, createdAt: at, before, after, seq = null, hash = null } = row;
  const { actor, kid, operation, outcome, requestId } = row;
  const subjects = typeof row.subject === 'string' ? [row.subject] : row.subject;
  const [subject = ''] = subjects;
  const parsed = { before: jsonOf(before), after: jsonOf(after) };
  return { id, at, actor, kid, operation, subject, subjects, outcome, ...parsed, requestId, seq, hash };
}

const jsonOf = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
