// Erases a holder. Issuances keep their hash, nonce and status, and first holdings are still counted, both under random
// ids. Rows of batches and CAK keys are deleted.
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { MAJORITY } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import { sameEmail } from '../holders/holders.service.js';
import { ERASED, type ErasedHolder, type Eraser } from '../store/erasure-port.js';
import { deleteInPieces, readInPieces, updateInPieces } from '../store/pieces.js';
import type { BatchModels, BatchItemRow } from './batches/models.js';
import type { BatchRows } from './batches/rows.js';
import type { CakModels } from './cak/models.js';
import type { FirstHoldingRow, IssuanceModels, IssuanceRow } from './models.js';
import type { RevocationModels } from './revocations/models.js';

interface Parts {
  connection: Connection;
  models: IssuanceModels & BatchModels & CakModels & Pick<RevocationModels, 'revocationJobs'>;
  batchRows: BatchRows;
}

/** The most issuances of one transaction. */
const CHUNK = 200;
/** Rows of batches per read. Their content is sealed, and unsealed here. */
const SEALED_ROWS = 200;

/** The eraser of issuances. */
export function issuanceEraser(parts: Parts): Eraser {
  return {
    async erase(holder, signal) {
      const { holderId } = holder;
      const take = (session: ClientSession) => unlinkSome(parts.models, holderId, session);
      while ((await parts.connection.transaction(take, MAJORITY)) === CHUNK) signal.throwIfAborted();
      await deleteInPieces(parts.models.cakKeys, {}, { from: `${holderId} `, until: `${holderId}!`, signal });
      await forgetRows(parts, holder, signal);
      await forgetFilters(parts, holder, signal);
    },
  };
}

/**
 * Gives each issuance and each first holding a random holder id of its own, so that they cannot be linked to each
 * other.
 */
async function unlinkSome(models: IssuanceModels, holderId: string, session: ClientSession): Promise<number> {
  const rows = await models.issuances.find({ holderId }, null, { session }).limit(CHUNK).lean<IssuanceRow[]>();
  if (rows.length === 0) return 0;
  const writes = rows.map(({ _id }) => ({
    updateOne: {
      filter: { _id },
      update: { $set: { holderId: randomUUID(), holderDid: ERASED }, $unset: { jobId: 1, rowKey: 1 } },
    },
  }));
  await native(models.issuances).bulkWrite(writes, { session });
  await renameFirsts(models, rows, holderId, session);
  return rows.length;
}

async function renameFirsts(
  { firstHoldings }: IssuanceModels,
  issuances: readonly IssuanceRow[],
  holderId: string,
  session: ClientSession,
): Promise<void> {
  const names = issuances.flatMap(({ credentialId, issuerId }) => [
    `credential ${credentialId} ${holderId}`,
    `issuer ${issuerId} ${holderId}`,
  ]);
  const firsts = await firstHoldings
    .find({ _id: { $in: [...new Set(names)] } }, null, { session })
    .lean<FirstHoldingRow[]>();
  if (firsts.length === 0) return;
  await firstHoldings.deleteMany({ _id: { $in: firsts.map(({ _id }) => _id) } }, { session });
  const renamed = firsts.map((row) => {
    const number = randomUUID();
    return { ...row, _id: `${row.scope} ${row.of} ${number}`, holderId: number };
  });
  await native(firstHoldings).insertMany(renamed, { session });
}

/** Revocations whose filter names this holder: previews are deleted, jobs are stored without the name. */
async function forgetFilters(
  { models: { revocationJobs } }: Parts,
  { holderId, did }: ErasedHolder,
  signal: AbortSignal,
): Promise<void> {
  const named = { $or: [{ 'filter.userId': holderId }, { 'filter.holderDid': did }] };
  await deleteInPieces(revocationJobs, { ...named, state: 'previewed' }, { signal });
  const change = { $set: { 'filter.holderDid': ERASED }, $unset: { 'filter.userId': 1 } };
  await updateInPieces(revocationJobs, named, change, { signal });
}

/**
 * Deletes rows of batches: those of the holder's issuances, and those that wait or have failed and name the holder in
 * their sealed content.
 */
async function forgetRows(
  { models, batchRows }: Parts,
  { holderId, email, at }: ErasedHolder,
  signal: AbortSignal,
): Promise<void> {
  const filter = { $or: [{ userUuid: holderId }, { sealed: { $exists: true } }] };
  for await (const rows of readInPieces<BatchItemRow>(models.rows, filter, { signal, size: SEALED_ROWS }))
    for (const row of rows) {
      const { request } = batchRows.open(row) ?? {};
      const isNamed = row.userUuid === holderId || request?.userId?.toLowerCase() === holderId;
      const isByEmail = request?.email !== undefined && sameEmail(request.email, email);
      if (isNamed || (isByEmail && (await isBefore(models, row, at)))) await forgetRow(models, row);
    }
}

async function isBefore({ jobs }: BatchModels, { jobId }: BatchItemRow, at: Date): Promise<boolean> {
  return (await jobs.exists({ _id: jobId, createdAt: { $lt: at } })) !== null;
}

/** The partner's key of a row may identify the holder, so the row is replaced by one that only counts. */
async function forgetRow({ rows }: BatchModels, row: BatchItemRow): Promise<void> {
  const { _id, jobId, index, state, expireAt, retentionMs } = row;
  const rowKey = `${ERASED} ${randomUUID()}`;
  const settled = state === 'waiting' ? ('cancelled' as const) : state;
  await rows.db.transaction(async (session) => {
    const { deletedCount } = await rows.deleteOne({ _id, state }, { session });
    if (deletedCount === 0) return;
    const counted = { _id: `${jobId} ${rowKey}`, jobId, rowKey, index, state: settled, expireAt, retentionMs };
    await rows.create([counted], { session });
  }, MAJORITY);
}
