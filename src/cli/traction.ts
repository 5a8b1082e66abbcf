// `traction verify`: counts issuances and verifications again in the database and compares with the counts that the catalog keeps.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config.js';
import { catalogModels } from '../catalog/models.js';
import { TractionService } from '../catalog/traction.service.js';
import { issuanceModels } from '../issuance/models.js';
import { verificationModels } from '../verification/models.js';
import { openStoreBeside } from './store-beside.js';

/** The result of a recount; `sound` when it equals the stored counts. */
export interface TractionReport {
  lines: string[];
  sound: boolean;
}

interface Recount {
  issuanceCount: number;
  /** Of a program: holders that were verified. */
  holderCount: number;
  verificationCount: number;
}

/** The kinds that count, and the field of issuances and nullifiers that names them. */
const KINDS = [
  ['credentials', 'credential', 'credentialId'],
  ['issuers', 'issuer', 'issuerId'],
  ['programs', 'program', 'programId'],
] as const;
type CountedBy = (typeof KINDS)[number][2];

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

/** Recounts every credential, issuer and program; names those whose stored counts differ. What is of the last second may not be counted yet. */
export async function recount(connection: Connection): Promise<TractionReport> {
  const lines: string[] = [];
  let compared = 0;
  for (const [kind, noun, field] of KINDS) {
    const counted = await countsOf(connection, field);
    const stored = new Map<string, Recount>();
    for await (const { id, ...counts } of new TractionService(catalogModels(connection)).ownCounts(kind))
      stored.set(id, counts);
    const ids = [...new Set([...counted.keys(), ...stored.keys()])].sort();
    compared += ids.length;
    lines.push(...ids.flatMap((id) => difference(`${noun} ${id}`, stored.get(id), counted.get(id))));
  }
  const differ = lines.length;
  const verdict = differ === 0 ? 'all as stored' : `${differ} differ`;
  lines.push(`${compared} credentials, issuers and programs recounted: ${verdict}`);
  return { lines, sound: differ === 0 };
}

interface CountRow {
  _id: string;
  count: number;
}

async function countsOf(connection: Connection, field: CountedBy): Promise<Map<string, Recount>> {
  const verified = await verificationsBy(connection, field);
  const issued = field === 'programId' ? [] : await issuancesBy(connection, field);
  const holders = await holdersBy(connection, field);
  const counts = new Map<string, Recount>();
  const add = (groups: readonly CountRow[], name: keyof Recount): void => {
    for (const { _id, count } of groups) counts.set(_id, { ...NONE, ...counts.get(_id), [name]: count });
  };
  add(issued, 'issuanceCount');
  add(holders, 'holderCount');
  add(verified, 'verificationCount');
  return counts;
}

const issuancesBy = (connection: Connection, field: CountedBy): Promise<CountRow[]> =>
  issuanceModels(connection).issuances.aggregate<CountRow>([{ $group: { _id: `$${field}`, count: { $sum: 1 } } }]);

/** From the rows of nullifiers: records go after 90 days. */
const verificationsBy = (connection: Connection, field: CountedBy): Promise<CountRow[]> =>
  verificationModels(connection).nullifiers.aggregate<CountRow>([
    { $group: { _id: `$${field}`, count: { $sum: '$count' } } },
  ]);

function holdersBy(connection: Connection, field: CountedBy): Promise<CountRow[]> {
  const each = { $group: { _id: { programId: '$programId', nullifier: '$nullifier' } } };
  const ofPrograms = [each, { $group: { _id: '$_id.programId', count: { $sum: 1 } } }];
  if (field === 'programId') return verificationModels(connection).nullifiers.aggregate<CountRow>(ofPrograms);
  const scope = field === 'issuerId' ? 'issuer' : 'credential';
  return issuanceModels(connection).firstHoldings.aggregate<CountRow>([
    { $match: { scope } },
    { $group: { _id: '$of', count: { $sum: 1 } } },
  ]);
}

const NONE: Recount = { issuanceCount: 0, holderCount: 0, verificationCount: 0 };

function difference(what: string, stored = NONE, counted = NONE): string[] {
  const text = ({ issuanceCount, holderCount, verificationCount }: Recount): string =>
    `${issuanceCount} issuances, ${holderCount} holders, ${verificationCount} verifications`;
  if (text(stored) === text(counted)) return [];
  return [`${what}: ${text(stored)} stored, ${text(counted)} counted`];
}
