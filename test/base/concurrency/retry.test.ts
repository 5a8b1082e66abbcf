// Delays between attempts: they grow up to the longest, are spread, and end after so many retries, in memory as in rows.
import { handleWhen, handleWhenResult } from 'cockatiel';
import { expect, it, vi } from 'vitest';
import { DELAYS, type Delays, delayAfter, pauseAfter, retrying } from '../../../src/base/concurrency/retry.js';

it.each<[string, Delays, (number | undefined)[]]>([
  ['doubles', { firstMs: 250, mostMs: 900 }, [250, 500, 900, 900]],
  ['has a factor of its own', { firstMs: 1_000, mostMs: 10_000, factor: 10 }, [1_000, 10_000, 10_000, 10_000]],
  ['ends after its retries', { firstMs: 5, mostMs: 9, retries: 2 }, [5, 9, undefined, undefined]],
  ['is immediate', { firstMs: 0, mostMs: 0 }, [0, 0, 0, 0]],
])('A delay %s', (_name, delays, expected) => {
  expect([1, 2, 3, 4].map((failures) => delayAfter(delays, failures))).toEqual(expected);
});

it('A delay is longer by up to its jitter, and finite after any number of failures', () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  expect(pauseAfter({ firstMs: 100, mostMs: 1_000, jitter: 0.2 }, 2)).toBeCloseTo(220);
  random.mockRestore();
  for (const delays of Object.values(DELAYS))
    expect(pauseAfter(delays, 100_000)).toBeLessThanOrEqual(2 * delays.mostMs);
});

const IMMEDIATE = { firstMs: 0, mostMs: 0, retries: 2 };

it('A policy tries again as often as its delays say, and throws the last error', async () => {
  let attempts = 0;
  const failing = async (): Promise<never> => {
    attempts += 1;
    throw new Error(`attempt ${attempts}`);
  };
  await expect(
    retrying(
      IMMEDIATE,
      handleWhen(() => true),
    ).execute(failing),
  ).rejects.toThrow('attempt 3');
  expect(attempts).toBe(3);
  await expect(
    retrying(
      IMMEDIATE,
      handleWhen(() => false),
    ).execute(failing),
  ).rejects.toThrow('attempt 4');
  expect(attempts).toBe(4);
});

it('A policy tries again after a result, and returns the first that will do', async () => {
  let attempts = 0;
  const policy = retrying(
    IMMEDIATE,
    handleWhenResult((result) => result === undefined),
  );
  const result = await policy.execute(async () => {
    attempts += 1;
    return attempts === 2 ? 'done' : undefined;
  });
  expect([result, attempts]).toEqual(['done', 2]);
});
