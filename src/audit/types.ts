// Entries of the audit log as operators see them, and the filter of a page.
import { z } from 'zod';
import { count, id, input, record, time } from '../base/record.js';
import type { AuditRow } from './models.js';

const MAX_TEXT = 500;

export const auditEntry = record('AuditEntry', 'A write of an operator or a partner.', {
  id: id.describe('Its id.'),
  at: time.describe('When it was written.'),
  actor: z.string().describe('`operator <name of the key>` or `partner <partnerId>`.'),
  kid: z.string().nullable().describe("The partner's key that signed the token; null for operators."),
  operation: z.string().describe('What was done, such as `partner.put` or `issuance.revoke`.'),
  subject: z.string().describe('Id of what was written; the first of `subjects`.'),
  subjects: z
    .array(z.string())
    .readonly()
    .describe(
      'Ids of what was written. One, or up to 250 of one import; `before` and `after` then have a member for each.',
    ),
  outcome: z.string().describe('Its result, such as `created`, `updated` or `revoked`.'),
  before: z.unknown().nullable().describe('The listed members before the write; null if there was nothing.'),
  after: z.unknown().nullable().describe('The listed members after the write; null if there is nothing.'),
  requestId: z.string().nullable().describe('Id of the request; null if it was not done by a request.'),
  seq: count
    .nullable()
    .describe('Its position in the hash chain, from 1; null until it is added, usually for a second.'),
  hash: z.string().nullable().describe('Its hash in the chain, in hex; null until it is added, usually for a second.'),
});
export type AuditEntry = z.output<typeof auditEntry>;

const text = z.string().max(MAX_TEXT).min(1);

/** `subject` cannot be combined with `actor` or `operation`, because no index has them. */
export const auditWhere = input('AuditWhere', 'A filter of audit entries; all given fields must match.', {
  actor: text.optional().describe('`operator <name of the key>` or `partner <partnerId>`.'),
  operation: z.string().optional().describe('An operation, such as `partner.put`.'),
  subject: text.optional().describe('Id of what was written; cannot be combined with `actor` or `operation`.'),
  from: time.optional().describe('From this moment on.'),
  to: time.optional().describe('Before this moment.'),
});
export type AuditFilter = z.output<typeof auditWhere>;

export const auditEntriesInput = z.strictObject({ where: auditWhere.optional().describe('A filter; default: all.') });

/** An entry for operators, made from its row. */
export function auditEntryView(row: AuditRow): AuditEntry {
  const { _id: id, createdAt: at, before, after, seq = null, hash = null } = row;
  const { actor, kid, operation, outcome, requestId } = row;
  const subjects = typeof row.subject === 'string' ? [row.subject] : row.subject;
  const [subject = ''] = subjects;
  const parsed = { before: jsonOf(before), after: jsonOf(after) };
  return { id, at, actor, kid, operation, subject, subjects, outcome, ...parsed, requestId, seq, hash };
}

const jsonOf = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
