// Folds days into runs, in the transaction of the counts: what is counted is in exactly one run.
import type { ClientSession, PipelineStage } from 'mongoose';
import type { CatalogModels, OpenRunRow } from './models.js';
import type { TractionKind } from './traction.js';
import { type DayCounts, dayOf, HOLDERS_OF_A_RUN, type OpenRun, runAfter, type TractionRun } from './traction-runs.js';

export { type TractionKind, tractionEntry } from './traction.js';
export { type DayCounts, dayOf, runsOf, sumOfDays } from './traction-runs.js';

/** A number of one day of an entry, counted from rows. */
export interface DayCount {
  kind: TractionKind;
  id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  what: keyof DayCounts;
  count: number;
}

/** A group of rows of one entry and one day, as `perDay` makes them. */
export interface DayGroup {
  _id: { id: string; day: Date | null };
  count: number;
}

/** The stage that counts rows by an entry's id and the day of a time; both are paths. */
export const perDay = (id: string, at: string): PipelineStage.Group => ({
  $group: { _id: { id, day: { $dateTrunc: { date: at, unit: 'day' } } }, count: { $sum: 1 } },
});

/** The groups of `perDay` as numbers of days; what has no time is left out. */
export function dayCounts(kind: TractionKind, what: keyof DayCounts, groups: readonly DayGroup[]): DayCount[] {
  return groups.flatMap(({ _id: { id, day }, count }) =>
    day === null ? [] : [{ kind, id, day: dayOf(day), what, count }],
  );
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

  /** Adds what happened on one day, by entry. The day is never before one that was added earlier. */
  async add(day: string, counts: ReadonlyMap<string, DayCounts>, session: ClientSession): Promise<void> {
    const writes = [...counts].map(([_id, { issued, holders, verified }]) => ({
      updateOne: {
        filter: { _id },
        update: { $inc: { issued, holders, verified }, $set: { to: day }, $setOnInsert: { from: day } },
        upsert: true,
      },
    }));
    if (writes.length > 0) await this.models.openRuns.collection.bulkWrite(writes as never, { session });
  }

  /** Ends the complete runs, because a later day has begun: from now on they are read, and never change. */
  async close(session: ClientSession): Promise<void> {
    const { openRuns, tractionRuns } = this.models;
    const complete = { holders: { $gte: HOLDERS_OF_A_RUN } };
    for (;;) {
      const rows = await openRuns.collection.find<OpenRunRow>(complete, { session, limit: CHUNK }).toArray();
      if (rows.length === 0) return;
      const ended = rows.map(({ _id, to = '', ...run }) => rowOf(_id, { ...run, to }));
      await tractionRuns.collection.insertMany(ended as never, { session });
      const begin = ended.map((run) => ({
        updateOne: { filter: { _id: run.entry }, update: { $set: runAfter(run), $unset: { to: 1 } } },
      }));
      await openRuns.collection.bulkWrite(begin as never, { session });
    }
  }

  /** Replaces all runs. */
  async replace(entries: readonly EntryRuns[], session: ClientSession): Promise<void> {
    const { openRuns, tractionRuns } = this.models;
    await openRuns.collection.deleteMany({}, { session });
    await tractionRuns.collection.deleteMany({}, { session });
    const ended = entries.flatMap(({ entry, complete }) => complete.map((run) => rowOf(entry, run)));
    const open = entries.flatMap(({ entry, open: run }) => (run === undefined ? [] : [openRowOf(entry, run)]));
    for (const rows of chunksOf(ended)) await tractionRuns.collection.insertMany(rows as never, { session });
    for (const rows of chunksOf(open)) await openRuns.collection.insertMany(rows as never, { session });
  }

  /** All runs, by entry: the complete ones in order, then the open one. For recounting. */
  async all(): Promise<Map<string, (TractionRun | OpenRun)[]>> {
    const runs = new Map<string, (TractionRun | OpenRun)[]>();
    const add = (entry: string, run: TractionRun | OpenRun) => runs.set(entry, [...(runs.get(entry) ?? []), run]);
    const sorted = this.models.tractionRuns.collection.find({}, { sort: { entry: 1, to: 1 } });
    for await (const { _id, entry, ...run } of sorted) add(String(entry), run as unknown as TractionRun);
    for await (const { _id, ...run } of this.models.openRuns.collection.find()) add(String(_id), run as never);
    return runs;
  }
}

const rowOf = (entry: string, run: TractionRun) => ({ _id: `${run.to} ${entry}`, entry, ...run });

const openRowOf = (_id: string, { to, ...run }: OpenRun) => ({ _id, ...run, ...(to === undefined ? {} : { to }) });

function chunksOf<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) => rows.slice(at * CHUNK, (at + 1) * CHUNK));
}
