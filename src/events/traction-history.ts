// Traction over time, counted again from the rows of issuances, first holdings and verifications: for stores of earlier versions, and to verify.
import type { ClientSession, Connection } from 'mongoose';
import type { TractionService } from '../catalog/traction.service.js';
import {
  type DayCounts,
  dayOf,
  type EntryRuns,
  runsOf,
  sumOfDays,
  tractionEntry,
} from '../catalog/traction-runs.service.js';
import { issuanceDays } from '../issuance/counted-days.service.js';
import { verificationDays } from '../verification/counted-days.service.js';
import { COUNTED_TYPES } from './counted-events.js';
import { eventModels } from './models.js';

/** What happened by entry and day. */
export type CountedDays = Map<string, Map<string, DayCounts>>;

/** What is not counted yet, by the ids of its rows. */
interface Uncounted {
  coreClaimHashes: string[];
  firstHoldings: string[];
  verificationIds: string[];
}

const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };
const ALL_COUNTED: Uncounted = { coreClaimHashes: [], firstHoldings: [], verificationIds: [] };
const KINDS = [
  ['credential', 'credentials'],
  ['program', 'programs'],
] as const;

/**
 * The runs of every entry as far as its events are counted, up to the sequence number `countedUpTo`, and the newest day among them. Their
 * sums are the stored counts: what has no row with a date any more counts on the entry's first day.
 */
export async function runsOfStore(
  { connection, traction }: { connection: Connection; traction: TractionService },
  countedUpTo: number,
  session: ClientSession,
): Promise<{ entries: EntryRuns[]; newest: string }> {
  const days = await daysOfStore(connection, session, await uncountedOf(connection, countedUpTo, session));
  await addUndated(traction, days, session);
  const newest = [...days.values()].flatMap((ofEntry) => [...ofEntry.keys()]).reduce(laterOf, '');
  const entries = [...days].map(([entry, ofEntry]) => ({ entry, ...runsOf([...ofEntry].sort(byDay), newest) }));
  return { entries, newest };
}

const laterOf = (a: string, b: string): string => (a > b ? a : b);
const byDay = ([a]: readonly [string, DayCounts], [b]: readonly [string, DayCounts]): number => (a < b ? -1 : 1);

/** What happened by day, from all rows but the `uncounted`. Verifications older than their records are missing. */
export async function daysOfStore(
  connection: Connection,
  session?: ClientSession,
  uncounted = ALL_COUNTED,
): Promise<CountedDays> {
  const issued = await issuanceDays(connection, uncounted, session);
  const verified = await verificationDays(connection, uncounted.verificationIds, session);
  const days: CountedDays = new Map();
  for (const { kind, id, day, what, count } of [...issued, ...verified])
    addTo(days, tractionEntry(kind, id), day, { ...NOTHING, [what]: count });
  return days;
}

function addTo(days: CountedDays, entry: string, day: string, counts: DayCounts): void {
  const ofEntry = days.get(entry) ?? new Map<string, DayCounts>();
  ofEntry.set(day, sumOfDays(ofEntry.get(day) ?? NOTHING, counts));
  days.set(entry, ofEntry);
}

/** The rows whose events are not counted yet. */
async function uncountedOf(connection: Connection, seq: number, session: ClientSession): Promise<Uncounted> {
  const { collection } = eventModels(connection).events;
  const filter = { type: { $in: [...COUNTED_TYPES] }, $or: [{ seq: { $gt: seq } }, { pending: true }] };
  const events = await collection.find(filter, { session }).toArray();
  const firsts = events.flatMap(({ payload, viewers }) =>
    payload.firstOfCredential === true ? [`credential ${payload.credentialId} ${viewers.holderId}`] : [],
  );
  const idsOf = (type: string, field: string): string[] =>
    events.flatMap((event) => (event.type === type ? [String(event.payload[field])] : []));
  return {
    coreClaimHashes: idsOf('submitted', 'coreClaimHash'),
    firstHoldings: firsts,
    verificationIds: idsOf('verification_closed', 'verificationId'),
  };
}

/** Adds what the stored counts have and no dated row has: to the first day of the entry. */
async function addUndated(traction: TractionService, days: CountedDays, session: ClientSession): Promise<void> {
  for (const [kind, collection] of KINDS)
    for await (const { id, issuanceCount, holderCount, verificationCount } of traction.ownCounts(collection, session)) {
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
