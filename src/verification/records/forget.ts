// Erases a holder: open verifications end, records lose the holder's keyed hashes, and its nullifiers are replaced by random numbers.
import { randomBytes } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { Eraser } from '../../store/erasure-port.js';
import { readInPieces } from '../../store/pieces.js';
import type { Closings } from './closings.js';
import type { NullifierRow, UseRow, VerificationModels, VerificationRow } from './models.js';
import type { Nullifiers } from './nullifiers.js';
import { transact } from './transact.js';

interface Parts {
  connection: Connection;
  models: VerificationModels;
  nullifiers: Nullifiers;
  closings: Closings;
}

const DECLINED = { status: 'Non-Compliant', reason: 'declined' } as const;

/** The eraser of verifications. */
export function verificationEraser(parts: Parts): Eraser {
  return {
    async erase({ holderId }, signal) {
      await endAll(parts, holderId, signal);
      for (const programId of await programIdsOf(parts, signal)) {
        signal.throwIfAborted();
        await renameNullifier(parts, programId, holderId);
      }
      await unlinkRecords(parts, await parts.nullifiers.holderKey(holderId), signal);
    },
  };
}

/** Ends all verifications that are not closed, because their rows name the holder. */
async function endAll({ connection, models, closings }: Parts, holderId: string, signal: AbortSignal): Promise<void> {
  for await (const _id of idsOf(models, { holderId }, signal))
    await transact(connection, async (session) => {
      const row = await models.verifications.findOne({ _id, holderId }, null, { session }).lean<VerificationRow>();
      if (row !== null && row.state !== 'closed') await closings.close(row, DECLINED, session);
    });
}

async function* idsOf(models: VerificationModels, filter: object, signal: AbortSignal): AsyncGenerator<string> {
  for await (const rows of readInPieces<VerificationRow>(models.verifications, filter, { signal, fields: ['_id'] }))
    for (const { _id } of rows) yield _id;
}

/** Programs for which anyone was verified. */
async function programIdsOf({ models }: Parts, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const rows of readInPieces<UseRow>(models.uses, {}, { signal, fields: ['programId'] }))
    for (const { programId } of rows) ids.add(programId);
  return ids;
}

async function renameNullifier({ connection, models, nullifiers }: Parts, programId: string, holderId: string) {
  const before = await nullifiers.nullifier(programId, holderId);
  if (!(await models.uses.exists({ _id: before })) && !(await firstOf(models, before))) return;
  const after = randomBytes(32).toString('hex');
  await transact(connection, async (session) => {
    await models.uses.deleteOne({ _id: before }, { session });
    const rows = await models.nullifiers.find(rangeOf(before), null, { session }).lean<NullifierRow[]>();
    if (rows.length === 0) return;
    await models.nullifiers.deleteMany(rangeOf(before), { session });
    const renamed = rows.map((row) => ({ ...row, _id: `${after} ${row.credentialId}`, nullifier: after }));
    await native(models.nullifiers).insertMany(renamed, { session });
  });
}

const firstOf = ({ nullifiers }: VerificationModels, nullifier: string) => nullifiers.exists(rangeOf(nullifier));

/** Selects the rows of a nullifier by a range of their ids, which begin with it. */
const rangeOf = (nullifier: string) => ({ _id: { $gte: `${nullifier} `, $lt: `${nullifier}!` } });

/**
 * Removes the holder from records, which keep their result. Receipts and proofs are deleted, because they contain the
 * nullifier.
 */
async function unlinkRecords({ connection, models }: Parts, holderKey: string, signal: AbortSignal): Promise<void> {
  for await (const _id of idsOf(models, { holderKey }, signal))
    await connection.transaction(async (session: ClientSession) => {
      await models.proofs.deleteOne({ _id }, { session });
      const unlinked = { $set: { nullifier: null, receipt: null }, $unset: { holderKey: 1 as const } };
      await models.verifications.updateOne({ _id }, unlinked, { session });
    });
}
