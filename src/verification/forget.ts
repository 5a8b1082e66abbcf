// Forgets an erased holder: verifications under way end, their records lose the holder's keyed hashes, and its nullifiers become random numbers
// that are only counted.
import { randomBytes } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { type Eraser, WHOLE } from '../store/erasure-port.js';
import type { Closings } from './closings.js';
import type { NullifierRow, VerificationModels, VerificationRow } from './models.js';
import type { Nullifiers } from './nullifiers.service.js';
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
    async erase({ holderId }) {
      await endAll(parts, holderId);
      for (const programId of await programIdsOf(parts)) await renameNullifier(parts, programId, holderId);
      await unlinkRecords(parts, await parts.nullifiers.holderKey(holderId));
    },
  };
}

/** Verifications that are not closed name their holder. */
async function endAll({ connection, models, closings }: Parts, holderId: string): Promise<void> {
  const under = await models.verifications.find({ holderId }, { _id: 1 }).lean<Pick<VerificationRow, '_id'>[]>();
  for (const { _id } of under)
    await transact(connection, async (session) => {
      const row = await models.verifications.findOne({ _id, holderId }, null, { session }).lean<VerificationRow>();
      if (row !== null && row.state !== 'closed') await closings.close(row, DECLINED, session);
    });
}

/** Programs that anyone was verified by. */
async function programIdsOf({ models }: Parts): Promise<string[]> {
  const rows = await models.uses.aggregate<{ _id: string }>([{ $group: { _id: '$programId' } }], WHOLE);
  return rows.map(({ _id }) => _id);
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
    await models.nullifiers.collection.insertMany(renamed as never, { session });
  });
}

const firstOf = ({ nullifiers }: VerificationModels, nullifier: string) => nullifiers.exists(rangeOf(nullifier));

/** Rows of a nullifier, by the index of their ids. */
const rangeOf = (nullifier: string) => ({ _id: { $gte: `${nullifier} `, $lt: `${nullifier}!` } });

/** Records keep their result. Receipts state the nullifier, and go with it; so do proofs. */
async function unlinkRecords({ connection, models }: Parts, holderKey: string): Promise<void> {
  const rows = await models.verifications.find({ holderKey }, { _id: 1 }).lean<Pick<VerificationRow, '_id'>[]>();
  const ids = rows.map(({ _id }) => _id);
  if (ids.length === 0) return;
  await connection.transaction(async (session: ClientSession) => {
    await models.proofs.deleteMany({ _id: { $in: ids } }, { session });
    const unlinked = { $set: { nullifier: null, receipt: null }, $unset: { holderKey: 1 as const } };
    await models.verifications.updateMany({ _id: { $in: ids } }, unlinked as never, { session });
  });
}
