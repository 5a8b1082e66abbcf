// Retry: the one table of delays, and the policies that use it (docs/mechanisms.md#retry).
import { DelegateBackoff, type Policy, type RetryPolicy, retry } from 'cockatiel';

/** When something is tried again, milliseconds. */
export interface Delays {
  /** The first delay. Each further one is `factor` times as long, up to `mostMs`. */
  firstMs: number;
  mostMs: number;
  /** Default 2. */
  factor?: number;
  /** Delays are longer by up to this share, drawn at random, so that retries after one failure are spread. */
  jitter?: number;
  /** How often it is tried again; default: without end. */
  retries?: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The delays of everything that is retried. Webhook deliveries have the schedule of Standard Webhooks instead
 * (webhooks/schedule.ts).
 */
export const DELAYS = {
  /**
   * An insert after which a duplicate key was reported: another process has inserted the row first, or the random value
   * is in use.
   */
  duplicateKey: { firstMs: 0, mostMs: 0, retries: 4 },
  /** A command while the store is unavailable. */
  storeCommand: { firstMs: SECOND, mostMs: 4 * SECOND, retries: 4 },
  /** The execution of a subscription for an event, while the store is unavailable. */
  eventResult: { firstMs: 250, mostMs: 250, retries: 20 },
  /** A call to an issuer that certainly had no effect. A client waits for it. */
  issuerCall: { firstMs: 100, mostMs: SECOND, jitter: 1, retries: 2 },
  /** Passing a mail to its server. */
  mail: { firstMs: SECOND, mostMs: 10 * SECOND, factor: 10, retries: 2 },
  /** A page of a mirrored network: the network responds that it is busy, or does not respond. */
  busySource: { firstMs: SECOND, mostMs: 5 * MINUTE, retries: 4 },
  silentSource: { firstMs: SECOND, mostMs: 5 * MINUTE, retries: 2 },
  /** Fetching the key set of a partner. */
  keySet: { firstMs: 2 * SECOND, mostMs: MINUTE },
  /** A transaction that the chain did not accept. */
  chainJob: { firstMs: 5 * SECOND, mostMs: 10 * MINUTE },
  /** Calls to a webhook endpoint after several failures in a row. */
  pausedEndpoint: { firstMs: 5 * SECOND, mostMs: HOUR, jitter: 0.2 },
  /** Restarting a child process that ended. */
  restart: { firstMs: 250, mostMs: 10 * SECOND },
} as const satisfies Record<string, Delays>;

/** Milliseconds until the next attempt; undefined: there is none. @param failures so far, at least 1. */
export function delayAfter({ retries, ...delays }: Delays, failures: number): number | undefined {
  return retries !== undefined && failures > retries ? undefined : pauseAfter(delays, failures);
}

/** Milliseconds until the next attempt of work that is retried without end. @param failures so far, at least 1. */
export function pauseAfter(
  { firstMs, mostMs, factor = 2, jitter = 0 }: Omit<Delays, 'retries'>,
  failures: number,
): number {
  return jittered(Math.min(firstMs * Math.min(factor ** (failures - 1), Number.MAX_VALUE), mostMs), jitter);
}

/** A delay that is longer by up to this share. */
export const jittered = (ms: number, jitter: number): number => ms * (1 + jitter * Math.random());

/**
 * A policy that runs work again in this process. Work with a signal must check it by itself: a signal does not shorten
 * a delay.
 * @param when what is tried again: cockatiel's `handleWhen` for errors, `handleWhenResult` for results
 */
export function retrying(delays: Delays, when: Policy): RetryPolicy {
  const backoff = new DelegateBackoff(({ attempt }: { attempt: number }) => pauseAfter(delays, attempt));
  return retry(when, { maxAttempts: delays.retries ?? Number.POSITIVE_INFINITY, backoff });
}
