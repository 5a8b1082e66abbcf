// Compliant verifications by day, for traction over time. Records are deleted after 90 days, so older days are missing.
import type { Connection } from 'mongoose';
import { type DayCount, type DayReading, onDayOf } from '../../catalog/traction/traction-runs.service.js';
import { readInPieces } from '../../store/pieces.js';
import { type VerificationRow, verificationModels } from './models.js';

/** Verifications and new holders of programs, by day. `leftOut` has ids of verifications. */
export async function* verificationDays(
  connection: Connection,
  { signal, leftOut = async () => new Set() }: DayReading,
): AsyncGenerator<DayCount[]> {
  const { verifications } = verificationModels(connection);
  const fields = ['programId', 'nullifier', 'decidedAt'] as const;
  const compliant = readInPieces<VerificationRow>(verifications, { status: 'Compliant' }, { signal, fields });
  const firsts = new Map<string, { programId: string; at: Date }>();
  for await (const rows of compliant) {
    const skipped = await leftOut();
    const counted = rows.filter(({ _id }) => !skipped.has(_id));
    yield counted.flatMap(({ programId, decidedAt }) => onDayOf(decidedAt, 'verified', [['program', programId]]));
    for (const { programId, nullifier, decidedAt: at } of counted) {
      if (nullifier === null) continue;
      const holder = `${programId} ${nullifier}`;
      const first = firsts.get(holder);
      if (at && (first === undefined || at < first.at)) firsts.set(holder, { programId, at });
    }
  }
  yield [...firsts.values()].flatMap(({ programId, at }) => onDayOf(at, 'holders', [['program', programId]]));
}
