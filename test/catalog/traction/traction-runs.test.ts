// Traction over time: whatever ranges are requested, and on whatever days, no combination of the responses shows a count of fewer than five holders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesRange, seriesSize } from '../../../src/catalog/traction/series-range.js';
import {
  type BucketSize,
  bucketsOf,
  type DayCounts,
  daysAfter,
  runsOf,
  type Stretch,
  sumOfDays,
  type TractionRun,
} from '../../../src/catalog/traction/traction-runs.js';

const START = '2026-01-01';
const SIZES: readonly BucketSize[] = ['DAY', 'WEEK', 'MONTH'];
const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };

const counts = fc.record({
  issued: fc.integer({ min: 0, max: 9 }),
  holders: fc.integer({ min: 0, max: 4 }),
  verified: fc.integer({ min: 0, max: 9 }),
});
/** Days with events, in order. */
const history = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 120 }), counts), { selector: ([day]) => day, maxLength: 60 })
  .map((days) => days.sort(([a], [b]) => a - b).map(([day, of]): [string, DayCounts] => [daysAfter(START, day), of]));
/** A request: the day on which it is made, its range and the size of buckets. */
const question = fc.record({
  today: fc.integer({ min: 0, max: 130 }).map((day) => daysAfter(START, day)),
  from: fc.integer({ min: -10, max: 130 }).map((day) => daysAfter(START, day)),
  days: fc.integer({ min: 0, max: 130 }),
  size: fc.constantFrom(...SIZES),
});

/** The response that the gateway would have given on that day. */
function answerTo(
  days: readonly (readonly [string, DayCounts])[],
  { today, from, days: length, size }: { today: string; from: string; days: number; size: BucketSize },
): TractionRun[] {
  const to = daysAfter(from, length);
  const { complete } = runsOf(
    days.filter(([day]) => day <= today),
    today,
  );
  return bucketsOf(
    complete.filter((run) => from <= run.to && run.to <= to),
    size,
  );
}

const truth = (days: readonly (readonly [string, DayCounts])[], { from, to }: Stretch): DayCounts =>
  days.reduce((sum, [day, of]) => (from <= day && day <= to ? sumOfDays(sum, of) : sum), NOTHING);

describe('traction over time', () => {
  it('traction over time has counts of at least five holders, however results are added and subtracted', () => {
    fc.assert(
      fc.property(history, fc.array(question, { minLength: 2, maxLength: 12 }), (days, questions) => {
        const buckets = questions.flatMap((each) => answerTo(days, each));
        for (const { from, to, ...sums } of buckets) expect(sums).toEqual(truth(days, { from, to }));
        // From the responses one can compute sums over the spans between the borders of their buckets.
        const borders = [...new Set(buckets.flatMap(({ from, to }) => [from, daysAfter(to, 1)]))].sort();
        borders.slice(1).forEach((border, at) => {
          const stretch = { from: borders[at] ?? '', to: daysAfter(border, -1) };
          const isCovered = buckets.some(({ from, to }) => from <= stretch.from && stretch.to <= to);
          if (isCovered) expect(truth(days, stretch).holders).toBeGreaterThanOrEqual(5);
        });
      }),
    );
  });

  it('traction over time never changes what it has shown', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 130 }), (days, length) => {
        const at = daysAfter(START, length);
        const seen = runsOf(
          days.filter(([day]) => day <= at),
          at,
        ).complete;
        expect(runsOf(days, daysAfter(START, 200)).complete.slice(0, seen.length)).toEqual(seen);
      }),
    );
  });

  it('traction over time omits no day and no event', () => {
    fc.assert(
      fc.property(history, (days) => {
        const { complete, open } = runsOf(days, daysAfter(START, 200));
        const all = [...complete, ...(open ? [open] : [])];
        expect(all.reduce(sumOfDays, NOTHING)).toEqual(days.reduce((sum, [, of]) => sumOfDays(sum, of), NOTHING));
        complete.slice(1).forEach((run, before) => {
          expect(run.from).toBe(daysAfter(complete[before]?.to ?? '', 1));
        });
      }),
    );
  });

  it('traction over time puts a run into the week and the month in which it ends', () => {
    const run = (from: string, to: string): TractionRun => ({ from, to, issued: 6, holders: 5, verified: 1 });
    const runs = [run('2026-01-26', '2026-01-29'), run('2026-01-30', '2026-02-01'), run('2026-02-02', '2026-02-02')];
    expect(bucketsOf(runs, 'DAY')).toEqual(runs);
    expect(bucketsOf(runs, 'WEEK')).toEqual([
      { from: '2026-01-26', to: '2026-02-01', issued: 12, holders: 10, verified: 2 },
      runs[2],
    ]);
    expect(bucketsOf(runs, 'MONTH')).toEqual([
      runs[0],
      { from: '2026-01-30', to: '2026-02-02', issued: 12, holders: 10, verified: 2 },
    ]);
  });

  it.each([
    ['2026-02-30', '2026-03-01', '"from" must be a day'],
    ['2026-01-01', 'tomorrow', '"to" must be a day'],
    ['2026-01-02', '2026-01-01', '"from" must not be after "to"'],
    ['2024-12-31', '2026-01-01', 'at most 366 days'],
  ])('traction over time refuses the range from %s to %s', (from, to, message) => {
    expect(() => seriesRange({ from, to })).toThrow(message);
  });

  it('traction over time costs points for its buckets and for the days that are read', () => {
    const range = { from: '2026-01-01', to: '2026-01-30' };
    expect(SIZES.map((bucket) => seriesSize({ ...range, bucket }))).toEqual([30, 6, 6]);
    expect(seriesSize({ from: 'x', to: 3 })).toBe(366);
    expect(seriesSize({ from: '0001-01-01', to: '9999-01-01' })).toBe(366);
  });
});
