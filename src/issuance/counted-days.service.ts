// Issuances and first holdings by day, for traction over time. First holdings of earlier versions have no time; the
// time of the holder's first issuance is used.
import type { Connection } from 'mongoose';
import { native } from '../base/mongodb/native.js';
import { type DayCount, type DayReading, onDayOf } from '../catalog/traction/traction-runs.service.js';
import { readInPieces } from '../store/pieces.js';
import { type FirstHoldingRow, type IssuanceModels, type IssuanceRow, issuanceModels } from './models.js';

/** Issuances and new holders of credentials, by day. `leftOut` has core claim hashes and ids of first holdings. */
export async function* issuanceDays(
  connection: Connection,
  { signal, leftOut = async () => new Set() }: DayReading,
): AsyncGenerator<DayCount[]> {
  const { issuances, firstHoldings } = issuanceModels(connection);
  const issued = { signal, fields: ['coreClaimHash', 'credentialId', 'createdAt'] } as const;
  for await (const rows of readInPieces<IssuanceRow>(issuances, {}, issued)) {
    const skipped = await leftOut();
    yield rows.flatMap(({ coreClaimHash, credentialId, createdAt }) =>
      skipped.has(coreClaimHash) ? [] : onDayOf(createdAt, 'issued', [['credential', credentialId]]),
    );
  }
  const first = { signal, fields: ['of', 'at'] } as const;
  for await (const rows of readInPieces<FirstHoldingRow>(firstHoldings, { scope: 'credential' }, first)) {
    const skipped = await leftOut();
    yield rows.flatMap(({ _id, of, at }) => (skipped.has(_id) ? [] : onDayOf(at, 'holders', [['credential', of]])));
  }
}

/** Sets the time of first holdings without one. It may run repeatedly, and while gateways run. */
export async function dateFirstHoldings(connection: Connection, signal: AbortSignal): Promise<void> {
  const models = issuanceModels(connection);
  const undated = { at: { $exists: false } };
  const options = { signal, fields: ['holderId'] } as const;
  for await (const rows of readInPieces<FirstHoldingRow>(models.firstHoldings, undated, options))
    await dateRows(models, rows);
}

interface FirstRow {
  _id: { holderId: string; id: string };
  at: Date;
}

async function dateRows(
  { issuances, firstHoldings }: Pick<IssuanceModels, 'issuances' | 'firstHoldings'>,
  rows: readonly Pick<FirstHoldingRow, '_id' | 'holderId'>[],
): Promise<void> {
  const holders = { holderId: { $in: [...new Set(rows.map(({ holderId }) => holderId))] } };
  const firsts = new Map<string, Date>();
  for (const scope of ['credential', 'issuer'] as const) {
    const each = { $group: { _id: { holderId: '$holderId', id: `$${scope}Id` }, at: { $min: '$createdAt' } } };
    for (const { _id, at } of await issuances.aggregate<FirstRow>([{ $match: holders }, each]))
      firsts.set(`${scope} ${_id.id} ${_id.holderId}`, at);
  }
  const writes = rows.flatMap(({ _id }) => {
    const at = firsts.get(_id);
    return at ? [{ updateOne: { filter: { _id, at: { $exists: false } }, update: { $set: { at } } } }] : [];
  });
  if (writes.length > 0) await native(firstHoldings).bulkWrite(writes);
}
