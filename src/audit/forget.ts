// Removes an erased holder from the audit log. An entry that names it loses its subject and its members. The chain stays verifiable: a later
// entry, written in the same transaction, lists the emptied entries (docs/audit.md).
import type { Connection } from 'mongoose';
import type { RecordWrites } from '../store/audit-port.js';
import { ERASED, type ErasedHolder, type Eraser, escapedPattern, WHOLE } from '../store/erasure-port.js';
import { auditModels } from './models.js';

/** Entries that one transaction empties: their ids fit into one entry. */
const CHUNK = 90;
const MAJORITY = { writeConcern: { w: 'majority' } } as const;

/** The eraser of audit entries. */
export function auditEraser(connection: Connection, recordWrites: RecordWrites): Eraser {
  return {
    async erase(holder) {
      while ((await emptySome(connection, recordWrites, holder)) === CHUNK);
    },
  };
}

/** Returns how many entries were emptied. */
async function emptySome(
  connection: Connection,
  recordWrites: RecordWrites,
  { holderId, did, addresses, keyName, erasureId }: ErasedHolder,
): Promise<number> {
  const { entries } = auditModels(connection);
  const named = new RegExp([holderId, did, ...addresses].map(escapedPattern).join('|'), 'i');
  const filter = { $or: [{ subject: named }, { before: named }, { after: named }] };
  const ids = (await entries.find(filter, { _id: 1 }, WHOLE).limit(CHUNK).lean()).map(({ _id }) => _id);
  if (ids.length === 0) return 0;
  const caller = { kind: 'operator', keyName, role: 'all' } as const;
  const entry = { operation: 'audit.erase', subject: erasureId, outcome: 'deleted', after: { entries: ids } } as const;
  await connection.transaction(async (session) => {
    const empty = { $set: { subject: ERASED, before: null, after: null, erased: true } };
    await entries.collection.updateMany({ _id: { $in: ids } } as never, empty, { session });
    await recordWrites(caller, [entry], session);
  }, MAJORITY);
  return ids.length;
}
