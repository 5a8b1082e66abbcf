// Issuances and first holdings by day, for traction over time. First holdings of earlier versions have no time: it is that of the holder's first
// issuance.
import type { ClientSession, Connection } from 'mongoose';
import { type DayCount, type DayGroup, dayCounts, perDay } from '../catalog/traction-runs.service.js';
import { type IssuanceModels, issuanceModels } from './models.js';

/** Rows that are left out. */
export interface LeftOut {
  coreClaimHashes: readonly string[];
  /** Ids of first holdings. */
  firstHoldings: readonly string[];
}

/** Issuances and new holders of credentials, by day. */
export async function issuanceDays(
  connection: Connection,
  { coreClaimHashes, firstHoldings: firsts }: LeftOut,
  session?: ClientSession,
): Promise<DayCount[]> {
  const { issuances, firstHoldings } = issuanceModels(connection);
  const issued = { coreClaimHash: { $nin: [...coreClaimHashes] } };
  const byDay = [{ $match: issued }, perDay('$credentialId', '$createdAt')];
  const first = { scope: 'credential', _id: { $nin: [...firsts] } };
  const firstsByDay = [{ $match: first }, perDay('$of', '$at')];
  return [
    ...dayCounts('credential', 'issued', await issuances.aggregate<DayGroup>(byDay, { session })),
    ...dayCounts('credential', 'holders', await firstHoldings.aggregate<DayGroup>(firstsByDay, { session })),
  ];
}

/** Rows that are dated together. */
const CHUNK = 1_000;

/** Dates first holdings without a time; it may run repeatedly, and beside running gateways. */
export async function dateFirstHoldings(connection: Connection): Promise<void> {
  const models = issuanceModels(connection);
  let chunk: { _id: string; holderId: string }[] = [];
  const undated = models.firstHoldings.collection.find({ at: { $exists: false } }, { projection: { holderId: 1 } });
  for await (const { _id, holderId } of undated) {
    chunk.push({ _id: String(_id), holderId: String(holderId) });
    if (chunk.length < CHUNK) continue;
    await dateChunk(models, chunk);
    chunk = [];
  }
  await dateChunk(models, chunk);
}

interface FirstRow {
  _id: { holderId: string; id: string };
  at: Date;
}

async function dateChunk(
  { issuances, firstHoldings }: Pick<IssuanceModels, 'issuances' | 'firstHoldings'>,
  chunk: readonly { _id: string; holderId: string }[],
): Promise<void> {
  if (chunk.length === 0) return;
  const holders = { holderId: { $in: [...new Set(chunk.map(({ holderId }) => holderId))] } };
  const firsts = new Map<string, Date>();
  for (const scope of ['credential', 'issuer'] as const) {
    const each = { $group: { _id: { holderId: '$holderId', id: `$${scope}Id` }, at: { $min: '$createdAt' } } };
    for (const { _id, at } of await issuances.aggregate<FirstRow>([{ $match: holders }, each]))
      firsts.set(`${scope} ${_id.id} ${_id.holderId}`, at);
  }
  const writes = chunk.flatMap(({ _id }) => {
    const at = firsts.get(_id);
    return at ? [{ updateOne: { filter: { _id, at: { $exists: false } }, update: { $set: { at } } } }] : [];
  });
  if (writes.length > 0) await firstHoldings.collection.bulkWrite(writes as never);
}
