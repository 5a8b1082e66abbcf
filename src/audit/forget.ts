// Removes an erased holder from the audit log: empties the members that refer to it. The chain stays verifiable: a later entry,
// written in the same transaction, lists the emptied entries with the hash of their remaining content (docs/audit.md).
import type { ClientSession, Connection } from 'mongoose';
import { MAJORITY } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import { HOLDER_MEMBERS, type HolderMembers } from '../store/audit-operations.js';
import type { RecordWrites } from '../store/audit-port.js';
import { ERASED, type ErasedHolder, type Eraser, escapedPattern } from '../store/erasure-port.js';
import { readInPieces } from '../store/pieces.js';
import { contentHash } from './chain.js';
import { memberAt, replaceAt } from './member-paths.js';
import { type AuditModels, type AuditRow, auditModels } from './models.js';

/** The most entries that one transaction empties: their list must fit into a value that an entry shows. */
const CHUNK = 30;

/** How an `audit.erase` entry describes an emptied entry. */
export interface EmptiedEntry {
  id: string;
  /** `contentHash` after it was emptied. */
  hash: string;
}

/** The eraser of audit entries. */
export function auditEraser(connection: Connection, recordWrites: RecordWrites): Eraser {
  return {
    async erase(holder, signal) {
      const names = namesOf(holder);
      let ids: string[] = [];
      for await (const rows of readInPieces<AuditRow>(auditModels(connection).entries, mentions(names), { signal }))
        for (const row of rows) {
          if (emptied(row, names) === undefined) continue;
          ids.push(row._id);
          if (ids.length < CHUNK) continue;
          await empty(connection, recordWrites, holder, ids);
          ids = [];
        }
      if (ids.length > 0) await empty(connection, recordWrites, holder, ids);
    },
  };
}

/** Names in lower case, because addresses are written in upper and lower case. */
const namesOf = ({ holderId, did, addresses }: ErasedHolder): ReadonlySet<string> =>
  new Set([holderId, did, ...addresses].map((name) => name.toLowerCase()));

/**
 * Selects entries of operations that refer to holders, in which one of the names occurs anywhere. `emptied` then
 * decides.
 */
function mentions(names: ReadonlySet<string>): object {
  const named = new RegExp([...names].map(escapedPattern).join('|'), 'i');
  const operations = { operation: { $in: Object.keys(HOLDER_MEMBERS) } };
  return { ...operations, $or: [{ subject: named }, { before: named }, { after: named }] };
}

async function empty(
  connection: Connection,
  recordWrites: RecordWrites,
  holder: ErasedHolder,
  ids: readonly string[],
): Promise<void> {
  const { keyName, erasureId } = holder;
  const caller = { kind: 'operator', keyName, role: 'all' } as const;
  await connection.transaction(async (session) => {
    const entries = await emptyRows(auditModels(connection), ids, namesOf(holder), session);
    if (entries.length === 0) return;
    const entry = { operation: 'audit.erase', subject: erasureId, outcome: 'deleted', after: { entries } } as const;
    await recordWrites(caller, [entry], session);
  }, MAJORITY);
}

async function emptyRows(
  { entries }: AuditModels,
  ids: readonly string[],
  names: ReadonlySet<string>,
  session: ClientSession,
): Promise<EmptiedEntry[]> {
  const rows = await entries.find({ _id: { $in: [...ids] } }, null, { session }).lean<AuditRow[]>();
  const emptiedRows = rows.flatMap((row) => emptied(row, names) ?? []);
  const writes = emptiedRows.map(({ _id, subject, before, after }) => ({
    updateOne: { filter: { _id }, update: { $set: { subject, before, after, erased: true } } },
  }));
  if (writes.length > 0) await native(entries).bulkWrite(writes, { session });
  return emptiedRows.map((row) => ({ id: row._id, hash: contentHash(row) }));
}

/** The row, with the members that refer to the holder emptied; undefined if it does not refer to this holder. */
function emptied(row: AuditRow, names: ReadonlySet<string>): AuditRow | undefined {
  const members: HolderMembers | undefined = HOLDER_MEMBERS[row.operation];
  const states = [row.before, row.after].map((text): unknown => JSON.parse(text ?? 'null'));
  const values = (path: string) =>
    path === 'subject' ? [row.subject].flat() : states.map((state) => memberAt(state, path));
  const isOfHolder = (path: string) =>
    values(path).some((value) => typeof value === 'string' && names.has(value.toLowerCase()));
  if (!members?.by.some(isOfHolder)) return undefined;
  const paths = [...members.by, ...(members.also ?? [])];
  for (const state of states) for (const path of paths) replaceAt(state, path, ERASED);
  const [before, after] = states.map((state) => (state === null ? null : JSON.stringify(state)));
  const subject = paths.includes('subject') ? ERASED : row.subject;
  return { ...row, subject, before: before ?? null, after: after ?? null };
}
