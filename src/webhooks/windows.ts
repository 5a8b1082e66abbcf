// Small reads and writes of many endpoints are sent as one command.

/** How long results are collected, on which the next delivery of a subject waits; and what says of a queue that it has no work. Milliseconds. */
const RESULT_MS = 20;
const IDLE_MS = 200;
/** The most rows of one command. */
const MOST = 200;

/** Options of a loader that collects writes for so long. */
const collectedFor = (ms: number) => ({
  cache: false,
  maxBatchSize: MOST,
  batchScheduleFn: (write: () => void) => void setTimeout(write, ms),
});

/** Options of loaders that collect writes for a moment. */
export const RESULTS = collectedFor(RESULT_MS);
export const IDLE_QUEUES = collectedFor(IDLE_MS);

/** Options of a loader that joins reads of the same moment. */
export const READ = { cache: false, maxBatchSize: MOST };
