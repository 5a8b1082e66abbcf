// Traction over time, recomputed from the rows of issuances, first holdings and verifications: for stores of earlier versions, and to check
// what is stored.
import type { Connection } from 'mongoose';
import type { TractionService } from '../catalog/traction/traction.service.js';
import {
  type DayCounts,
  type DayReading,
  dayOf,
  type EntryRuns,
  runsOf,
  sumOfDays,
  tractionEntry,
} from '../catalog/traction/traction-runs.service.js';
import { issuanceDays } from '../issuance/counted-days.service.js';
import { verificationDays } from '../verification/records/counted-days.service.js';
import { eventModels } from './models.js';
import { Uncounted } from './uncounted.js';

/** What happened by entry and day. */
export type CountedDays = Map<string, Map<string, DayCounts>>;

const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };
const KINDS = [
  ['credential', 'credentials'],
  ['program', 'programs'],
] as const;

/**
 * The runs of every entry, with the events up to the sequence number `countedUpTo`, and the newest day among them.
 * Their sums equal the stored counts: counts without a dated row are added to the entry's first day. Rows may be
 * inserted meanwhile, but no event may be counted.
 */
export async function runsOfStore(
  { connection, traction }: { connection: Connection; traction: TractionService },
  countedUpTo: number,
  signal: AbortSignal,
): Promise<{ entries: EntryRuns[]; newest: string }> {
  const uncounted = new Uncounted(eventModels(connection), countedUpTo);
  const days = await daysOfStore(connection, { signal, leftOut: uncounted.ids });
  await addUndated(traction, days, signal);
  const newest = [...days.values()].flatMap((ofEntry) => [...ofEntry.keys()]).reduce(laterOf, '');
  const entries = [...days].map(([entry, ofEntry]) => ({ entry, ...runsOf([...ofEntry].sort(byDay), newest) }));
  return { entries, newest };
}

const laterOf = (a: string, b: string): string => (a > b ? a : b);
const byDay = ([a]: readonly [string, DayCounts], [b]: readonly [string, DayCounts]): number => (a < b ? -1 : 1);

/** What happened by day, from the rows. Verifications whose records have expired are missing. */
export async function daysOfStore(connection: Connection, reading: DayReading = {}): Promise<CountedDays> {
  const days: CountedDays = new Map();
  for (const counts of [issuanceDays(connection, reading), verificationDays(connection, reading)])
    for await (const some of counts)
      for (const { kind, id, day, what, count } of some)
        addTo(days, tractionEntry(kind, id), day, { ...NOTHING, [what]: count });
  return days;
}

function addTo(days: CountedDays, entry: string, day: string, counts: DayCounts): void {
  const ofEntry = days.get(entry) ?? new Map<string, DayCounts>();
  ofEntry.set(day, sumOfDays(ofEntry.get(day) ?? NOTHING, counts));
  days.set(entry, ofEntry);
}

/** Adds the stored counts without a dated row to the first day of their entry. */
async function addUndated(traction: TractionService, days: CountedDays, signal: AbortSignal): Promise<void> {
  for (const [kind, collection] of KINDS)
    for await (const { id, issuanceCount, holderCount, verificationCount } of traction.ownCounts(collection, signal)) {
      const entry = tractionEntry(kind, id);
      const ofEntry = days.get(entry) ?? new Map<string, DayCounts>();
      const dated = [...ofEntry.values()].reduce(sumOfDays, NOTHING);
      const rest = {
        issued: Math.max(0, issuanceCount - dated.issued),
        holders: Math.max(0, holderCount - dated.holders),
        // Verifications of a credential count for their programs alone.
        verified: kind === 'program' ? Math.max(0, verificationCount - dated.verified) : 0,
      };
      const first = [...ofEntry.keys()].sort()[0] ?? dayOf(new Date());
      if (rest.issued + rest.holders + rest.verified > 0) addTo(days, entry, first, rest);
    }
}
