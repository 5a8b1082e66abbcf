// Small writes of many endpoints are collected for a moment and become one command.

/** Milliseconds. */
const WINDOW_MS = 20;
/** Writes of one command. */
const MOST = 200;

/** Options of a loader that collects writes. */
export const COLLECTED = {
  cache: false,
  maxBatchSize: MOST,
  batchScheduleFn: (write: () => void) => void setTimeout(write, WINDOW_MS),
};
