// Reads the audit log: pages for the operator, and all entries of a filter for exports.
import { badInput } from '../base/errors.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import type { PageInput } from '../http/routes/operation.js';
import { AUDIT_OPERATIONS } from '../store/audit-operations.js';
import type { AuditModels, AuditRow } from './models.js';
import { type AuditEntry, type AuditFilter, auditEntryView } from './types.js';

/**
 * The most characters of the states before and after on one page: an entry of many writes has up to a million, and a
 * response may have 16 MB.
 */
const MAX_PAGE = 4_000_000;

/** The audit log for the operator. */
export class AuditEntries {
  constructor(private readonly models: AuditModels) {}

  /** A page, newest first; shorter than `limit` if its entries are large. @throws DomainError BAD_USER_INPUT (`after`, a filter). */
  async page(filter: AuditFilter, { limit, after }: PageInput): Promise<PageOf<AuditEntry>> {
    return newestFirst({
      model: this.models.entries,
      filter: matchOf(filter),
      limit,
      after,
      bound: { most: MAX_PAGE, sizeOf: ({ before, after }) => (before?.length ?? 0) + (after?.length ?? 0) },
      show: (rows: AuditRow[]) => rows.map(auditEntryView),
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
  if (subject !== undefined && (actor !== undefined || operation !== undefined))
    throw badInput('"subject" cannot be combined with "actor" or "operation".', 'subject');
  const equal = Object.fromEntries(
    Object.entries({ actor, operation, subject }).filter(([, value]) => value !== undefined),
  );
  const bounds = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  // In `$and`, because the cursor's bound is on the same field.
  return Object.keys(bounds).length === 0 ? equal : { ...equal, $and: [{ createdAt: bounds }] };
}
