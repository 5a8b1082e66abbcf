// Compliant verifications by day, for traction over time. Records are deleted after 90 days; what is older is missing.
import type { ClientSession, Connection } from 'mongoose';
import { type DayCount, type DayGroup, dayCounts, perDay } from '../catalog/traction-runs.service.js';
import { verificationModels } from './models.js';

/** Verifications and new holders of programs, by day; without those of `leftOut`. */
export async function verificationDays(
  connection: Connection,
  leftOut: readonly string[],
  session?: ClientSession,
): Promise<DayCount[]> {
  const { verifications } = verificationModels(connection);
  const compliant = { $match: { status: 'Compliant', _id: { $nin: [...leftOut] } } };
  const byDay = [compliant, perDay('$programId', '$decidedAt')];
  const verified = await verifications.aggregate<DayGroup>(byDay, { session });
  const first = { $group: { _id: { id: '$programId', nullifier: '$nullifier' }, at: { $min: '$decidedAt' } } };
  const firsts = await verifications.aggregate<DayGroup>([compliant, first, perDay('$_id.id', '$at')], { session });
  return [...dayCounts('program', 'verified', verified), ...dayCounts('program', 'holders', firsts)];
}
