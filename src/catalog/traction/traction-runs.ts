// Arithmetic of traction over time: days of UTC, and how they are merged into runs that single nobody out (decision 30). A run is a stretch of
// days in which at least five holders are new. Stored are runs, never days, so no question about them can be answered more finely.

import type { DayCounts, OpenRun, Stretch, TractionRun } from '../rows/rows.js';

export type { DayCounts, OpenRun, Stretch, TractionRun } from '../rows/rows.js';

/** Sizes of buckets: each is a union of runs. */
export type BucketSize = 'DAY' | 'WEEK' | 'MONTH';

/** New holders that make a run complete. */
export const HOLDERS_OF_A_RUN = 5;

const DAY_MS = 86_400_000;

/** The day of a moment. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** The day `count` days after a day. */
export const daysAfter = (day: string, count: number): string =>
  dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS));

/** Days from one day to another, both included. */
export const daysOf = ({ from, to }: Stretch): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;

const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };

/** The sum of two counts. */
export const sumOfDays = (a: DayCounts, b: DayCounts): DayCounts => ({
  issued: a.issued + b.issued,
  holders: a.holders + b.holders,
  verified: a.verified + b.verified,
});

/** Whether a run has enough holders. The next event on a later day then begins another one. */
export const isComplete = ({ holders }: DayCounts): boolean => holders >= HOLDERS_OF_A_RUN;

/** The run that follows a complete one: it begins on the next day, so that runs leave no gap. */
export const runAfter = ({ to }: Stretch): OpenRun => ({ from: daysAfter(to, 1), ...NOTHING });

/** The runs of an entry from its days with events, in order. The complete ones end before `today`. */
export function runsOf(days: Iterable<readonly [string, DayCounts]>, today: string) {
  const complete: TractionRun[] = [];
  let open: OpenRun | undefined;
  const closeBefore = (day: string): void => {
    if (open?.to === undefined || open.to >= day || !isComplete(open)) return;
    const run = { ...open, to: open.to };
    complete.push(run);
    open = runAfter(run);
  };
  for (const [day, counts] of days) {
    closeBefore(day);
    const before: OpenRun = open ?? { from: day, ...NOTHING };
    open = { from: before.from, to: day, ...sumOfDays(before, counts) };
  }
  closeBefore(today);
  return { complete, open };
}

/** Merges runs into buckets: each run belongs to the week or the month that it ends in. */
export function bucketsOf(runs: readonly TractionRun[], size: BucketSize): TractionRun[] {
  const buckets: TractionRun[] = [];
  let period: string | undefined;
  for (const run of runs) {
    const last = buckets.at(-1);
    if (last !== undefined && period === periodOf(run.to, size))
      buckets[buckets.length - 1] = { from: last.from, to: run.to, ...sumOfDays(last, run) };
    else buckets.push(run);
    period = periodOf(run.to, size);
  }
  return buckets;
}

/** A name for the period that a day is in: itself, the Monday of its week (ISO 8601), or its month. */
function periodOf(day: string, size: BucketSize): string {
  if (size === 'MONTH') return day.slice(0, 7);
  if (size === 'DAY') return day;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return daysAfter(day, -sinceMonday);
}
