// Waits until something is true: as long as a busy machine needs, but no longer than a test may take.
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;
/** The next pause, as a part of the wait so far. Checking without pauses would slow down what is awaited. */
const SHARE = 0.1;
/** Only something that is broken takes this long. */
const LIMIT_MS = 240_000;

/** Repeats a check until it passes, and returns its value. @throws the last failure when the time is over. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() - since > limitMs) throw error;
    }
    await pauseSince(since);
  }
}

/** Repeats a check until it is true; the time limit of the test ends it otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now();
  while (!(await isSo())) await pauseSince(since);
}

const pauseSince = (since: number): Promise<void> =>
  delay(Math.min(Math.max(FIRST_PAUSE_MS, SHARE * (performance.now() - since)), LONGEST_PAUSE_MS));
