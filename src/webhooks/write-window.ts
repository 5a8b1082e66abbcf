// Small writes of many endpoints are collected for a moment and sent as one command.

/** How long writes are collected, milliseconds. */
const WINDOW_MS = 20;
/** The most writes of one command. */
const MOST = 200;

/** Options of a loader that collects writes. */
export const COLLECTED = {
  cache: false,
  maxBatchSize: MOST,
  batchScheduleFn: (write: () => void) => void setTimeout(write, WINDOW_MS),
};
