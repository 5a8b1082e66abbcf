// Waiting for what must come true: as long as a busy machine needs, and no longer than a test may hang.
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
/** Only a fault takes this long. */
const LIMIT_MS = 120_000;

/** Repeats checks until they pass, and returns their value. @throws the last failure, when nothing has come true for so long. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await delay(POLL_MS);
  }
}
