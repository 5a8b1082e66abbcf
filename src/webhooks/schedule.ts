// When a delivery is tried again: the schedule of Standard Webhooks with jitter, and the receiver's Retry-After.
import { DELAYS, jittered, pauseAfter } from '../base/concurrency/retry.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays after each failed attempt. A delivery whose last attempt fails too is dead. */
const RETRY_DELAYS_MS: readonly number[] = [
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

/** After so many failed attempts in a row, an endpoint is paused; each further failure doubles the pause. */
const FAILURES_TO_PAUSE = 5;
/** An endpoint without a success for so long is disabled. */
const DISABLE_MS = 3 * 24 * HOUR;
/**
 * Failures further apart are not in a row, because nothing was tried between them. Delays between two attempts are
 * shorter.
 */
const MAX_GAP_MS = 2 * 24 * HOUR;

/**
 * Milliseconds until the next attempt; undefined: there is none.
 * @param attempts the number of failed attempts
 * @param retryAfterMs the receiver's Retry-After, if it sent one
 */
export function delayAfter(attempts: number, retryAfterMs = 0): number | undefined {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  if (delay === undefined) return undefined;
  return Math.max(jittered(delay, JITTER), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/**
 * How long an endpoint is paused, in milliseconds; 0: it is not.
 * @param failures failed attempts in a row
 */
export function endpointPauseAfter(failures: number): number {
  if (failures < FAILURES_TO_PAUSE) return 0;
  return pauseAfter(DELAYS.pausedEndpoint, failures - FAILURES_TO_PAUSE + 1);
}

/** When the current failures in a row began, if the latest is at `now`. */
export function failingSinceOf({ failedAt, failingSince }: Failures, now: Date): Date {
  const isNext = failedAt !== undefined && now.getTime() - failedAt.getTime() <= MAX_GAP_MS;
  return (isNext ? failingSince : undefined) ?? now;
}

/** Whether an endpoint has failed for so long that it is disabled. */
export const isHopeless = (failingSince: Date, now: Date): boolean =>
  now.getTime() - failingSince.getTime() >= DISABLE_MS;

interface Failures {
  failedAt?: Date | undefined;
  failingSince?: Date | null | undefined;
}
