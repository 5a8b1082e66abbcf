// Waiting for what must come true: as long as a busy machine needs, and no longer than a test may hang.
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;
/** Part of the wait so far that the next pause takes: asking all the time slows down what is waited for. */
const SHARE = 0.1;
/** Only a fault takes this long. */
const LIMIT_MS = 240_000;

/** Repeats checks until they pass, and returns their value. @throws the last failure, when nothing has come true for so long. */
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

/** Asks until it is so; the test's own limit ends what never is. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now();
  while (!(await isSo())) await pauseSince(since);
}

const pauseSince = (since: number): Promise<void> =>
  delay(Math.min(Math.max(FIRST_PAUSE_MS, SHARE * (performance.now() - since)), LONGEST_PAUSE_MS));
