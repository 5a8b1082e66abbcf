// A bell between two tasks: what ends the wait for it.
import { expect, it } from 'vitest';
import { Bell } from '../../../src/base/concurrency/bell.js';

/** Longer than any test may take: only what is tested ends such a wait. */
const LONG_MS = 600_000;

it('a ring ends the wait of a task, also if it rings before the wait; the next wait needs another ring', async () => {
  const bell = new Bell();
  bell.ring();
  await bell.rungWithin(LONG_MS);
  const waits = bell.rungWithin(LONG_MS).then(() => 'rung');
  expect(await Promise.race([waits, Promise.resolve('waits')])).toBe('waits');
  bell.ring();
  expect(await waits).toBe('rung');
});

it('the wait for a bell ends after its time, and when the signal aborts or has aborted', async () => {
  const bell = new Bell();
  await bell.rungWithin(1);
  const stop = new AbortController();
  const waits = bell.rungWithin(LONG_MS, stop.signal);
  stop.abort();
  await waits;
  await bell.rungWithin(LONG_MS, stop.signal);
});

it('a ring that comes while a wait ends by its signal, or after it, counts for the next wait', async () => {
  const bell = new Bell();
  for (const ringAfter of [0, 1, 2, 3, 5, 10]) {
    const stop = new AbortController();
    const ended = bell.rung(stop.signal);
    stop.abort();
    for (let turn = 0; turn < ringAfter; turn += 1) await Promise.resolve();
    bell.ring();
    const isRung = (await ended) || (await bell.rungWithin(1));
    expect({ ringAfter, isRung }).toEqual({ ringAfter, isRung: true });
  }
});
