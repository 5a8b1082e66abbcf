// How long a property is tried: seconds in the suite, minutes with PROPERTY_SECONDS in the environment.
import fc from 'fast-check';

const SECONDS = Number(process.env.PROPERTY_SECONDS ?? 3);

const RUNS = 20;

/** Tries a property again and again until its time is over, `RUNS` times at least: fast-check's own limit fails what it had no time to try. */
export async function forSomeTime<T>(property: fc.IAsyncProperty<T>): Promise<void> {
  const end = performance.now() + SECONDS * 1000;
  do await fc.assert(property, { numRuns: RUNS });
  while (performance.now() < end);
}

/** The time-out of a test with such a property, milliseconds. */
export const TEST_TIMEOUT = 600_000 + SECONDS * 1000;
