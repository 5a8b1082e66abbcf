// The target of a claimed queue's deliveries, read so recently that this process certainly still has the queue.
import type { DeliveryTarget } from './attempts.js';

/** How long after the claim was read a delivery may begin: less than the remaining time of the lease. Milliseconds. */
const RECENT_MS = 1_000;

/** The target of an endpoint, no older than a second when it is used. */
export class RecentTarget {
  #target: DeliveryTarget | undefined;
  #recentUntil = 0;
  #looking: Promise<void> | undefined;

  /** @param read reads the claim and the target; undefined: nothing is sent any more. */
  constructor(private readonly read: () => Promise<DeliveryTarget | undefined>) {}

  get partnerId(): string | undefined {
    return this.#target?.partnerId;
  }

  /** The target, read again if that was too long ago; undefined: nothing is sent any more. */
  async recent(): Promise<DeliveryTarget | undefined> {
    if (performance.now() > this.#recentUntil) await this.look();
    return this.#target;
  }

  /** @param readAt when the reading of its claim began, by the monotonic clock. */
  use(target: DeliveryTarget, readAt: number): void {
    this.#target = target;
    this.#recentUntil = readAt + RECENT_MS;
  }

  /** Reads it, or waits for the reading in progress. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    // Measured before the lease is read, so that the lease lasts longer than assumed.
    const readAt = performance.now();
    const target = await this.read();
    if (target !== undefined) this.use(target, readAt);
  }
}
