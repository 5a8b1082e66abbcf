// Batching: small reads and writes for many endpoints are sent as one command.

/**
 * For how long writes are collected, milliseconds: results, for which a subject's next delivery waits; and releases of
 * idle queues.
 */
const RESULT_MS = 20;
const IDLE_MS = 200;
/** The most rows of one command. */
const MAX_ROWS = 200;

/** Options of a loader that collects writes for this long. */
const collectedFor = (ms: number) => ({
  cache: false,
  maxBatchSize: MAX_ROWS,
  batchScheduleFn: (write: () => void) => void setTimeout(write, ms),
});

/** Options of loaders that collect results, or releases and reports of idle queues. */
export const RESULTS = collectedFor(RESULT_MS);
export const IDLE_QUEUES = collectedFor(IDLE_MS);

/** Options of a loader that joins concurrent reads. */
export const READ = { cache: false, maxBatchSize: MAX_ROWS };
