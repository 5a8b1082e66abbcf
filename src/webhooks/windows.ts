// Small reads and writes of many endpoints are sent as one command.

/** How long writes are collected, milliseconds. */
const WINDOW_MS = 20;
/** The most rows of one command. */
const MOST = 200;

/** Options of a loader that collects writes for a moment. */
export const COLLECTED = {
  cache: false,
  maxBatchSize: MOST,
  batchScheduleFn: (write: () => void) => void setTimeout(write, WINDOW_MS),
};

/** Options of a loader that joins reads of the same moment. */
export const READ = { cache: false, maxBatchSize: MOST };
