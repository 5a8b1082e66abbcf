// The range of a series: which days are asked for, and how many values it may cost (contract §2).
import { badInput } from '../../base/errors.js';
import { type BucketSize, daysAfter, daysOf, type Stretch } from './traction-runs.js';

/** Most days that one series covers. */
export const MAX_SERIES_DAYS = 366;
/** Runs are read one by one, even if they are merged into larger buckets: this many cost as much as one bucket. */
const RUNS_PER_BUCKET = 5;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAYS_OF: Readonly<Record<BucketSize, number>> = { DAY: 1, WEEK: 7, MONTH: 28 };

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export const isDay = (text: unknown): text is string =>
  typeof text === 'string' && DAY.test(text) && !Number.isNaN(Date.parse(text)) && daysAfter(text, 0) === text;

/** Checks a range. @throws DomainError BAD_USER_INPUT naming the argument. */
export function seriesRange({ from, to }: Stretch): Stretch {
  for (const [name, day] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (!isDay(day)) throw badInput(`"${name}" must be a day like 2026-01-31.`, name);
  if (from > to) throw badInput('"from" must not be after "to".', 'from');
  if (daysOf({ from, to }) > MAX_SERIES_DAYS)
    throw badInput(`A series covers at most ${MAX_SERIES_DAYS} days; ask for a later year on its own.`, 'to');
  return { from, to };
}

/** The most buckets that a series may have; arguments that are not valid count as the longest series. */
export function seriesSize({ from, to, bucket = 'DAY' }: Readonly<Record<string, unknown>>): number {
  const days = isDay(from) && isDay(to) ? daysOf({ from, to }) : MAX_SERIES_DAYS;
  const each = DAYS_OF[bucket as BucketSize] ?? 1;
  const bounded = Math.min(Math.max(days, 1), MAX_SERIES_DAYS);
  return Math.ceil(Math.max(bounded / each + (each > 1 ? 1 : 0), bounded / RUNS_PER_BUCKET));
}
