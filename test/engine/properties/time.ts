// How long a property is tried: seconds in the suite, minutes with PROPERTY_SECONDS in the environment.

const SECONDS = Number(process.env.PROPERTY_SECONDS ?? 3);

/** fast-check's parameters for a property that is tried until its time is over. */
export const forSomeTime = {
  numRuns: Number.POSITIVE_INFINITY,
  interruptAfterTimeLimit: SECONDS * 1000,
  markInterruptAsFailure: false,
} as const;

/** The time-out of a test with such a property, milliseconds. */
export const TEST_TIMEOUT = 30_000 + SECONDS * 1000;
