// When a delivery is tried again: the schedule of Standard Webhooks with jitter, and the receiver's Retry-After.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays after each failed attempt. A delivery whose last attempt fails too is dead. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** The longest Retry-After that is honoured. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** Delays are longer by up to this factor, so that many deliveries that failed together are spread. */
const JITTER = 0.2;

/**
 * Milliseconds until the next attempt; undefined: there is none.
 * @param attempts the number of failed attempts
 * @param retryAfterMs the receiver's Retry-After, if it sent one
 */
export function delayAfter(attempts: number, retryAfterMs = 0): number | undefined {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  if (delay === undefined) return undefined;
  return Math.max(delay * (1 + JITTER * Math.random()), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
