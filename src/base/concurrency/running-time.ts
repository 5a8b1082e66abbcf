// Time limits of what others do, by the time in which this process runs.

/** A time in which the process stands still counts as one of these parts. */
const PARTS = 10;

/**
 * Calls `over` after so many milliseconds. A time in which this process stands still, because it was suspended or got no processor time, counts
 * as a tenth at most: the other side is not slow because its response is not read. What has arrived at the end is still read before the call.
 * @returns a function that ends the wait.
 */
export function afterRunning(ms: number, over: () => void): () => void {
  let isEnded = false;
  let left = PARTS;
  const next = (): void => {
    left -= 1;
    if (left > 0) timer = setTimeout(next, ms / PARTS);
    // Timers come before what is to be read.
    else setImmediate(() => isEnded || over());
  };
  let timer = setTimeout(next, ms / PARTS);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
