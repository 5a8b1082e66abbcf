// The hash chain of the audit log: each row's hash covers the row and the hash of the previous row.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { AuditFacts, AuditRow } from './models.js';

/** The end of a chain, or the position of a row in it. */
export interface HashLink {
  seq: number;
  /** 64 hex digits. */
  hash: string;
}

/** The predecessor of the first row. */
export const GENESIS: HashLink = { seq: 0, hash: '0'.repeat(64) };

/** The members that a row's hash covers, with the names that exports use (docs/audit.md). */
export function hashedMembers(facts: AuditFacts, { seq, previous }: { seq: number | null; previous: string | null }) {
  const { _id: id, createdAt, actor, kid, operation, subject, outcome, before, after, requestId } = facts;
  const at = createdAt.toISOString();
  return { v: 1, seq, previous, id, at, actor, kid, operation, subject, outcome, before, after, requestId };
}

/** SHA-256 over the canonical JSON (RFC 8785) of a row after `previous`, 64 hex digits. */
export function rowHash(facts: AuditFacts, previous: HashLink): string {
  return hashOf(hashedMembers(facts, { seq: previous.seq + 1, previous: previous.hash }));
}

/** The hash of an emptied row's remaining content, without a position in the chain. */
export function contentHash(facts: AuditFacts): string {
  return hashOf(hashedMembers(facts, { seq: null, previous: null }));
}

const hashOf = (members: object): string =>
  createHash('sha256')
    .update(canonicalize(members) ?? '')
    .digest('hex');

/**
 * A row as a line of an export: the members that the hash covers, and the hash. `seq`, `previous` and `hash` are null
 * while the row is pending.
 */
export function exportLine(row: AuditRow): string {
  const { seq = null, previous = null, hash = null, erased } = row;
  return JSON.stringify({ ...hashedMembers(row, { seq, previous }), hash, ...(erased ? { erased } : {}) });
}
