// `traction verify`: counts issuances again in the database and compares with the counts that the catalog keeps.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config.js';
import { catalogModels } from '../catalog/models.js';
import { TractionService } from '../catalog/traction.service.js';
import { issuanceModels } from '../issuance/models.js';
import { openStoreBeside } from './store-beside.js';

/** What a recount finds; `sound` when it says what is stored. */
export interface TractionReport {
  lines: string[];
  sound: boolean;
}

interface Counts {
  issuanceCount: number;
  holderCount: number;
}

const KINDS = [
  ['credentials', 'credential', 'credentialId'],
  ['issuers', 'issuer', 'issuerId'],
] as const;

/** Opens the configured store and recounts. */
export async function verifyTraction(config: Config): Promise<TractionReport> {
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    return await recount(store.connection);
  } finally {
    await store.close();
  }
}

/** Recounts every credential and issuer; names those whose stored counts differ. Issuances of the last second may not be counted yet. */
export async function recount(connection: Connection): Promise<TractionReport> {
  const lines: string[] = [];
  let compared = 0;
  for (const [kind, scope, field] of KINDS) {
    const counted = await countsOf(connection, scope, field);
    const stored = new Map<string, Counts>();
    for await (const { id, ...counts } of new TractionService(catalogModels(connection)).ownCounts(kind))
      stored.set(id, counts);
    const ids = [...new Set([...counted.keys(), ...stored.keys()])].sort();
    compared += ids.length;
    lines.push(...ids.flatMap((id) => difference(`${scope} ${id}`, stored.get(id), counted.get(id))));
  }
  const differ = lines.length;
  lines.push(`${compared} credentials and issuers recounted: ${differ === 0 ? 'all as stored' : `${differ} differ`}`);
  return { lines, sound: differ === 0 };
}

async function countsOf(
  connection: Connection,
  scope: 'credential' | 'issuer',
  field: 'credentialId' | 'issuerId',
): Promise<Map<string, Counts>> {
  const { issuances, firstHoldings } = issuanceModels(connection);
  type Group = { _id: string; count: number };
  const count = { $sum: 1 };
  const issued = await issuances.aggregate<Group>([{ $group: { _id: `$${field}`, count } }]);
  const holdings = await firstHoldings.aggregate<Group>([{ $match: { scope } }, { $group: { _id: '$of', count } }]);
  const holders = new Map(holdings.map((group) => [group._id, group.count]));
  return new Map(
    issued.map(({ _id, count: issuanceCount }) => [_id, { issuanceCount, holderCount: holders.get(_id) ?? 0 }]),
  );
}

const NONE: Counts = { issuanceCount: 0, holderCount: 0 };

function difference(what: string, stored = NONE, counted = NONE): string[] {
  if (stored.issuanceCount === counted.issuanceCount && stored.holderCount === counted.holderCount) return [];
  const textOf = ({ issuanceCount, holderCount }: Counts): string =>
    `${issuanceCount} issuances to ${holderCount} holders`;
  return [`${what}: ${textOf(stored)} stored, ${textOf(counted)} counted`];
}
