// The health of an endpoint, which its queue row stores, and how many concurrent deliveries it gets.
import type { AttemptOutcome } from './attempts.js';
import type { QueueHealth } from './claims.js';
import { endpointPauseAfter, failingSinceOf, isHopeless } from './schedule.js';

/** The most concurrent deliveries to one endpoint. */
const MAX_AT_ONCE = 8;
/** An attempt that takes longer is slow, and no longer has a slot of healthy endpoints. Milliseconds. */
export const SLOW_MS = 2_000;
/** Successes that follow a success are stored at most this often. Milliseconds. */
const REPORT_MS = 10_000;

/** The health of one endpoint, while this process has its queue. */
export class EndpointHealth {
  #health: QueueHealth;
  /** The health that is stored. */
  #stored: QueueHealth;
  #isSlow = false;
  #atOnce = 1;

  constructor(
    { failures, failedAt, failingSince = null }: QueueHealth,
    private readonly clock: () => number,
  ) {
    this.#health = { failures, failingSince, ...(failedAt ? { failedAt } : {}) };
    this.#stored = this.#health;
  }

  get now(): QueueHealth {
    return this.#health;
  }

  /** Whether the last attempt neither failed nor was slow. */
  get isGood(): boolean {
    return this.#health.failures === 0 && !this.#isSlow;
  }

  /** Concurrent deliveries: one at first, one more with each success, and one again after a failure or a slow response. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /** How long the endpoint is paused, in milliseconds; 0: it is not. */
  get pauseMs(): number {
    return endpointPauseAfter(this.#health.failures);
  }

  /** Whether every attempt of three days has failed. */
  get isHopeless(): boolean {
    const { failedAt, failingSince } = this.#health;
    return Boolean(failedAt && failingSince && isHopeless(failingSince, failedAt));
  }

  add({ delivered, attempt }: AttemptOutcome): void {
    const { failures } = this.#health;
    const now = new Date(this.clock());
    const latest = delivered
      ? { failures: 0, failingSince: null, succeededAt: now }
      : { failures: failures + 1, failingSince: failingSinceOf(this.#health, now), failedAt: now };
    this.#health = { ...this.#health, ...latest };
    this.#isSlow = attempt.durationMs > SLOW_MS;
    this.#atOnce = delivered && !this.#isSlow ? Math.min(this.#atOnce + 1, MAX_AT_ONCE) : 1;
  }

  /** Calls `store` unless the stored health is nearly the same. */
  async report(store: (health: QueueHealth) => Promise<unknown>): Promise<void> {
    const health = this.#health;
    if (!isWorthStoring(this.#stored, health)) return;
    await store(health);
    this.#stored = health;
  }
}

/**
 * Whether the health differs enough to be stored: there were failures since, or a success long after the stored one.
 */
function isWorthStoring(stored: QueueHealth, { failures, failedAt, succeededAt }: QueueHealth): boolean {
  if (failures !== stored.failures || failedAt !== stored.failedAt) return true;
  return (succeededAt?.getTime() ?? 0) - (stored.succeededAt?.getTime() ?? 0) > REPORT_MS;
}
