// Merges days into runs, in the same transaction as the counts: every counted event is in exactly one run.
import type { ClientSession } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { CatalogModels, OpenRunRow } from '../rows/models.js';
import type { TractionKind } from './traction.js';
import { type DayCounts, dayOf, HOLDERS_OF_A_RUN, type OpenRun, runAfter, type TractionRun } from './traction-runs.js';

export { type TractionKind, tractionEntry } from './traction.js';
export { type DayCounts, dayOf, runsOf, sumOfDays } from './traction-runs.js';

/** What happened to an entry on one day, counted from rows. */
export interface DayCount {
  kind: TractionKind;
  id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  what: keyof DayCounts;
  count: number;
}

/** Which rows are counted by day, and how. */
export interface DayReading {
  signal?: AbortSignal | undefined;
  /** Ids of rows to leave out; called after each chunk of rows is read. Default: none. */
  leftOut?(): Promise<ReadonlySet<string>>;
}

/** Counts one row for these entries, on the day of a moment; nothing without a moment. */
export function onDayOf(
  at: Date | null | undefined,
  what: keyof DayCounts,
  entries: readonly (readonly [TractionKind, string])[],
): DayCount[] {
  if (!at) return [];
  const day = dayOf(at);
  return entries.map(([kind, id]) => ({ kind, id, day, what, count: 1 }));
}

/** All runs of one entry. */
export interface EntryRuns {
  entry: string;
  complete: readonly TractionRun[];
  open: OpenRun | undefined;
}

/** Rows that one command writes. */
const CHUNK = 1_000;

/** Writes runs. All methods work in the caller's transaction. */
export class TractionRuns {
  constructor(private readonly models: Pick<CatalogModels, 'tractionRuns' | 'openRuns'>) {}

  /** Adds what happened on one day, by entry. Days must be added in order. */
  async add(day: string, counts: ReadonlyMap<string, DayCounts>, session: ClientSession): Promise<void> {
    const writes = [...counts].map(([_id, { issued, holders, verified }]) => ({
      updateOne: {
        filter: { _id },
        update: { $inc: { issued, holders, verified }, $set: { to: day }, $setOnInsert: { from: day } },
        upsert: true,
      },
    }));
    if (writes.length > 0) await native(this.models.openRuns).bulkWrite(writes, { session });
  }

  /** Closes the complete runs, because a later day has begun. From now on they are readable and do not change. */
  async close(session: ClientSession): Promise<void> {
    const { openRuns, tractionRuns } = this.models;
    const complete = { holders: { $gte: HOLDERS_OF_A_RUN } };
    for (;;) {
      const rows = await openRuns.collection.find<OpenRunRow>(complete, { session, limit: CHUNK }).toArray();
      if (rows.length === 0) return;
      const ended = rows.map(({ _id, to = '', ...run }) => rowOf(_id, { ...run, to }));
      await native(tractionRuns).insertMany(ended, { session });
      const begin = ended.map((run) => ({
        updateOne: { filter: { _id: run.entry }, update: { $set: runAfter(run), $unset: { to: 1 } } },
      }));
      await native(openRuns).bulkWrite(begin, { session });
    }
  }

  /** Deletes some of the runs. Returns how many; 0: there are no more. */
  async deleteSome(session: ClientSession): Promise<number> {
    for (const { collection } of [this.models.openRuns, this.models.tractionRuns]) {
      const rows = await collection.find({}, { session, projection: { _id: 1 }, limit: CHUNK }).toArray();
      if (rows.length === 0) continue;
      await collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session });
      return rows.length;
    }
    return 0;
  }

  /** Writes all runs of some entries. Entries that already have runs are skipped. */
  async addEntries(entries: readonly EntryRuns[], session: ClientSession): Promise<void> {
    const { openRuns, tractionRuns } = this.models;
    const named = { _id: { $in: entries.map(({ entry }) => entry) } };
    const present = await native(openRuns)
      .find(named, { session, projection: { _id: 1 } })
      .toArray();
    const written = new Set(present.map(({ _id }) => String(_id)));
    const rest = entries.filter(({ entry }) => !written.has(entry));
    const ended = rest.flatMap(({ entry, complete }) => complete.map((run) => rowOf(entry, run)));
    const open = rest.flatMap(({ entry, open: run }) => (run === undefined ? [] : [openRowOf(entry, run)]));
    if (ended.length > 0) await native(tractionRuns).insertMany(ended, { session });
    if (open.length > 0) await native(openRuns).insertMany(open, { session });
  }

  /** All runs, by entry: the complete ones in order, then the open one. For recounting. */
  async all(): Promise<Map<string, (TractionRun | OpenRun)[]>> {
    const runs = new Map<string, (TractionRun | OpenRun)[]>();
    const add = (entry: string, run: TractionRun | OpenRun) => runs.set(entry, [...(runs.get(entry) ?? []), run]);
    const sorted = native(this.models.tractionRuns).find({}, { sort: { entry: 1, to: 1 } });
    for await (const { _id, entry, ...run } of sorted) add(entry, run);
    for await (const { _id, ...run } of native(this.models.openRuns).find({})) add(_id, run);
    return runs;
  }
}

const rowOf = (entry: string, run: TractionRun) => ({ _id: `${run.to} ${entry}`, entry, ...run });

const openRowOf = (_id: string, { to, ...run }: OpenRun) => ({ _id, ...run, ...(to === undefined ? {} : { to }) });

/** Splits entries into parts that one transaction can write. An entry with more runs than that is a part of its own. */
export function* partsOf(entries: readonly EntryRuns[]): Generator<EntryRuns[]> {
  let [part, rows]: [EntryRuns[], number] = [[], 0];
  for (const each of entries) {
    const more = each.complete.length + 1;
    if (part.length > 0 && rows + more > CHUNK) {
      yield part;
      [part, rows] = [[], 0];
    }
    part.push(each);
    rows += more;
  }
  if (part.length > 0) yield part;
}
