// Forgets an erased holder: issuances keep their hash, nonce and status, and first holdings are counted on, both under random numbers. Rows of
// batches and CAK keys are deleted.
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { sameEmail } from '../holders/holders.service.js';
import { ERASED, type ErasedHolder, type Eraser, escapedPattern, WHOLE } from '../store/erasure-port.js';
import type { BatchModels, IssuanceJobRowRow } from './batches/models.js';
import type { BatchRows } from './batches/rows.js';
import type { CakModels } from './cak/models.js';
import type { FirstHoldingRow, IssuanceModels, IssuanceRow } from './models.js';
import type { RevocationModels } from './revocations/models.js';

interface Parts {
  connection: Connection;
  models: IssuanceModels & BatchModels & CakModels & Pick<RevocationModels, 'revocationJobs'>;
  batchRows: BatchRows;
}

/** Issuances that one transaction takes. */
const CHUNK = 200;
const MAJORITY = { writeConcern: { w: 'majority' } } as const;

/** The eraser of issuances. */
export function issuanceEraser(parts: Parts): Eraser {
  return {
    async erase(holder) {
      const take = (session: ClientSession) => unlinkSome(parts.models, holder.holderId, session);
      while ((await parts.connection.transaction(take, MAJORITY)) === CHUNK);
      await parts.models.cakKeys.deleteMany({ _id: new RegExp(`^${escapedPattern(holder.holderId)} `) });
      await forgetRows(parts, holder);
      await forgetFilters(parts, holder);
    },
  };
}

/** Each issuance, and each first holding, gets a number of its own, so that they are not linked to each other either. */
async function unlinkSome(models: IssuanceModels, holderId: string, session: ClientSession): Promise<number> {
  const rows = await models.issuances.find({ holderId }, null, { session }).limit(CHUNK).lean<IssuanceRow[]>();
  if (rows.length === 0) return 0;
  const writes = rows.map(({ _id }) => ({
    updateOne: {
      filter: { _id },
      update: { $set: { holderId: randomUUID(), holderDid: ERASED }, $unset: { jobId: 1, rowKey: 1 } },
    },
  }));
  await models.issuances.collection.bulkWrite(writes as never, { session });
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
  await firstHoldings.collection.insertMany(renamed as never, { session });
}

/** Revocations that were asked for by this holder: what was only previewed is deleted, jobs stay without the name. */
async function forgetFilters({ models: { revocationJobs } }: Parts, { holderId, did }: ErasedHolder): Promise<void> {
  const named = { $or: [{ 'filter.userId': holderId }, { 'filter.holderDid': did }] };
  await revocationJobs.deleteMany({ ...named, state: 'previewed' } as never);
  const change = { $set: { 'filter.holderDid': ERASED }, $unset: { 'filter.userId': 1 } };
  await revocationJobs.updateMany(named as never, change as never);
}

/** Rows of batches: those of its issuances, and those that wait or have failed and name it in their sealed content. */
async function forgetRows({ models, batchRows }: Parts, { holderId, email, at }: ErasedHolder): Promise<void> {
  const filter = { $or: [{ userUuid: holderId }, { sealed: { $exists: true } }] };
  for await (const row of models.rows.find(filter, null, WHOLE).lean<IssuanceJobRowRow[]>().cursor()) {
    const { request } = batchRows.open(row) ?? {};
    const isNamed = row.userUuid === holderId || request?.userId?.toLowerCase() === holderId;
    const isByEmail = request?.email !== undefined && sameEmail(request.email, email);
    if (isNamed || (isByEmail && (await isBefore(models, row, at)))) await forgetRow(models, row);
  }
}

async function isBefore({ jobs }: BatchModels, { jobId }: IssuanceJobRowRow, at: Date): Promise<boolean> {
  return (await jobs.exists({ _id: jobId, createdAt: { $lt: at } })) !== null;
}

/** The partner's own name of a row may say whose it is; the row stays as a count. */
async function forgetRow(
  { rows }: BatchModels,
  { _id, jobId, index, state, expireAt }: IssuanceJobRowRow,
): Promise<void> {
  const rowKey = `${ERASED} ${randomUUID()}`;
  const settled = state === 'waiting' ? ('cancelled' as const) : state;
  await rows.db.transaction(async (session) => {
    const { deletedCount } = await rows.deleteOne({ _id, state }, { session });
    if (deletedCount === 0) return;
    await rows.create([{ _id: `${jobId} ${rowKey}`, jobId, rowKey, index, state: settled, expireAt }], { session });
  }, MAJORITY);
}
