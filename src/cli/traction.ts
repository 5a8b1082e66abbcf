// `traction verify`: recounts issuances and verifications, and compares the results with the catalog's counts and with its series over time.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { catalogModels } from '../catalog/rows/models.js';
import { type TractionKind, tractionEntry } from '../catalog/traction/traction.js';
import { TractionService } from '../catalog/traction/traction.service.js';
import { type DayCounts, type OpenRun, sumOfDays } from '../catalog/traction/traction-runs.js';
import { TractionRuns } from '../catalog/traction/traction-runs.service.js';
import { countsDays } from '../events/traction-fold.js';
import { daysOfStore } from '../events/traction-history.js';
import { type FirstHoldingRow, type IssuanceRow, issuanceModels } from '../issuance/models.js';
import { readInPieces } from '../store/pieces.js';
import { type NullifierRow, verificationModels } from '../verification/records/models.js';
import { isEmptyStore, openStoreBeside, requireStore } from './store-beside.js';

/** The result of a recount; `sound` when it equals the stored counts. */
export interface TractionReport {
  lines: string[];
  sound: boolean;
}

interface Recount {
  issuanceCount: number;
  /** For a program: number of verified holders. */
  holderCount: number;
  verificationCount: number;
}

/** The kinds with counts, and the fields of issuances and nullifiers that refer to them. */
const KINDS = [
  ['credentials', 'credential', 'credentialId'],
  ['issuers', 'issuer', 'issuerId'],
  ['programs', 'program', 'programId'],
] as const;
type CountedBy = (typeof KINDS)[number][2];

/** Opens the configured store and recounts. */
export async function verifyTraction(config: Config): Promise<TractionReport> {
  requireStore(config);
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    return await recount(store.connection);
  } finally {
    await store.close();
  }
}

/** Recounts every credential, issuer and program; names those whose stored counts differ. Events of the last second may not be counted yet. */
export async function recount(connection: Connection): Promise<TractionReport> {
  const lines: string[] = [];
  let compared = 0;
  const runs = await new TractionRuns(catalogModels(connection)).all();
  const days = await daysOfStore(connection);
  const hasRuns = await countsDays(connection);
  for (const [kind, noun, field] of KINDS) {
    const counted = await countsOf(connection, field);
    const stored = new Map<string, Recount>();
    for await (const { id, ...counts } of new TractionService(catalogModels(connection)).ownCounts(kind))
      stored.set(id, counts);
    const ids = [...new Set([...counted.keys(), ...stored.keys()])].sort();
    compared += ids.length;
    lines.push(...ids.flatMap((id) => difference(`${noun} ${id}`, stored.get(id), counted.get(id))));
    if (hasRuns && noun !== 'issuer') lines.push(...ids.flatMap((id) => ofEntry(runs, days, noun, id, stored.get(id))));
  }
  const differ = lines.length;
  const verdict = differ === 0 ? 'all as stored' : `${differ} differ`;
  if (!hasRuns)
    lines.unshift(
      'Counts over time are not compared: the first start of this version computes them, as for every older store.',
    );
  lines.push(`${compared} credentials, issuers and programs recounted: ${verdict}`);
  if (await isEmptyStore(connection)) lines.push(`The store is empty: there is nothing to recount.`);
  return { lines, sound: differ === 0 };
}

async function countsOf(connection: Connection, field: CountedBy): Promise<Map<string, Recount>> {
  const counts = new Map<string, Recount>();
  const add = (name: keyof Recount, id: string, more: number): void => {
    const sums = counts.get(id) ?? { ...NONE };
    counts.set(id, { ...sums, [name]: sums[name] + more });
  };
  const { issuances, firstHoldings } = issuanceModels(connection);
  const { nullifiers } = verificationModels(connection);
  // Counted from nullifiers, because records are deleted after 90 days. Rows of one nullifier are adjacent.
  let before: string | undefined;
  for await (const rows of readInPieces<NullifierRow>(nullifiers, {}))
    for (const row of rows) {
      add('verificationCount', row[field], row.count);
      if (field === 'programId' && row.nullifier !== '' && row.nullifier !== before)
        add('holderCount', row.programId, 1);
      before = row.nullifier;
    }
  if (field === 'programId') return counts;
  for await (const rows of readInPieces<IssuanceRow>(issuances, {}, { fields: [field] }))
    for (const row of rows) add('issuanceCount', row[field], 1);
  const scope = field === 'issuerId' ? 'issuer' : 'credential';
  for await (const rows of readInPieces<FirstHoldingRow>(firstHoldings, { scope }, { fields: ['of'] }))
    for (const { of } of rows) add('holderCount', of, 1);
  return counts;
}

const NONE: Recount = { issuanceCount: 0, holderCount: 0, verificationCount: 0 };

const textOf = ({ issuanceCount, holderCount, verificationCount }: Recount): string =>
  `${issuanceCount} issuances, ${holderCount} holders, ${verificationCount} verifications`;

function difference(what: string, stored = NONE, counted = NONE): string[] {
  if (textOf(stored) === textOf(counted)) return [];
  return [`${what}: ${textOf(stored)} stored, ${textOf(counted)} counted`];
}

type Days = ReadonlyMap<string, DayCounts>;

/** Compares the runs of one entry with its counts and its days. */
function ofEntry(
  runs: ReadonlyMap<string, OpenRun[]>,
  days: ReadonlyMap<string, Days>,
  kind: TractionKind,
  id: string,
  stored = NONE,
): string[] {
  const entry = tractionEntry(kind, id);
  const ofIt = runs.get(entry) ?? [];
  const { issued, holders, verified } = ofIt.reduce<DayCounts>(sumOfDays, NOTHING);
  // Verifications count for programs only.
  const verificationCount = kind === 'program' ? verified : stored.verificationCount;
  const inRuns = { issuanceCount: issued, holderCount: holders, verificationCount };
  if (textOf(inRuns) !== textOf(stored)) return [`${entry}: ${textOf(stored)} stored, ${textOf(inRuns)} over time`];
  // The records of verifications are deleted, so programs have no days to compare.
  return kind === 'program' ? [] : misplaced(entry, ofIt, days.get(entry) ?? new Map());
}

/**
 * The complete runs of an entry whose sums differ from those of its days. An event committed around midnight may be
 * counted on the day after its row's.
 */
function misplaced(entry: string, runs: readonly OpenRun[], days: Days): string[] {
  const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  let [sum, before, next] = [NOTHING, NOTHING, 0];
  return runs.slice(0, -1).flatMap((run) => {
    const { to = '' } = run;
    sum = sumOfDays(sum, run);
    for (let day = sorted[next]; day !== undefined && day[0] < to; day = sorted[next]) {
      before = sumOfDays(before, day[1]);
      next += 1;
    }
    const all = sumOfDays(before, days.get(to) ?? NOTHING);
    const fits = (['issued', 'holders'] as const).every((what) => before[what] <= sum[what] && sum[what] <= all[what]);
    const text = ({ issued, holders }: DayCounts): string => `${issued} issuances and ${holders} holders`;
    return fits ? [] : [`${entry}: ${text(sum)} until ${to} over time, ${text(all)} counted`];
  });
}

const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };
