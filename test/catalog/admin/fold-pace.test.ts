// Counters of a running import are at most so far behind, and adding them takes a small share of the time.
import { describe, expect, it } from 'vitest';
import { FoldPace } from '../../../src/catalog/admin/fold-pace.js';

/** How many windows had been written at each fold, if a window and a fold take so long, milliseconds. */
async function foldsOf(windows: number, windowMs: number, foldMs: number): Promise<number[]> {
  const folds: number[] = [];
  let [now, written] = [0, 0];
  const pace = new FoldPace(
    async () => {
      folds.push(written);
      now += foldMs;
    },
    () => now,
  );
  for (; written < windows; ) {
    written += 1;
    await pace.written();
    now += windowMs;
  }
  await pace.end();
  return folds;
}

describe('the counters of an import', () => {
  it.each([
    ['of few rows are added after each 100,000 lines', 250, 500, 10, [100, 200, 250]],
    ['of slow lines are added each minute', 150, 1_000, 10, [62, 124, 150]],
    ['of many rows wait sixty times as long as adding them takes', 1_000, 500, 4_000, [100, 581, 1_000]],
    ['are never further behind than five minutes', 1_000, 1_000, 100_000, [62, 363, 664, 965, 1_000]],
    ['are all added at the end', 3, 500, 10, [3]],
    ['are not added where there are none', 0, 500, 10, []],
  ])('%s', async (_name, windows, windowMs, foldMs, expected) => {
    expect(await foldsOf(windows, windowMs, foldMs)).toEqual(expected);
  });

  it('are added once if the last window was just folded', async () => {
    expect(await foldsOf(200, 500, 10)).toEqual([100, 200]);
  });
});
