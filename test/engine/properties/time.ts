// How long a property is tested: seconds in the suite, or PROPERTY_SECONDS in the environment.
import fc from 'fast-check';

const SECONDS = Number(process.env.PROPERTY_SECONDS ?? 3);

const RUNS = 20;

/**
 * Tests a property repeatedly until its time is over, and at least `RUNS` times. fast-check's own time limit would fail
 * the runs that it could not make in time.
 */
export async function forSomeTime<T>(property: fc.IAsyncProperty<T>): Promise<void> {
  const end = performance.now() + SECONDS * 1000;
  do await fc.assert(property, { numRuns: RUNS });
  while (performance.now() < end);
}

/** The time limit of a test with such a property, milliseconds. */
export const TEST_TIMEOUT = 600_000 + SECONDS * 1000;
