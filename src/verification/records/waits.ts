// Requests that wait for a verification to change, woken by the change stream, without polling.
import { Bell } from '../../base/concurrency/bell.js';
import { Limit } from '../../base/concurrency/limit.js';
import type { ChangeListener } from '../../store/change-feed.js';

/** The most waiting requests of a process, and of one caller. Further requests get the current state at once. */
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_CALLER = 100;

/** A request that waits. */
interface Waiter {
  readonly bell: Bell;
  /** Aborts when its time is over, or when the process stops. */
  readonly over: AbortController;
}

/** Wakes waiting requests. */
export class VerificationWaits {
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #limit = new Limit({ atOnce: MAX_WAITING, perKey: MAX_WAITING_OF_CALLER });
  #hasEnded = false;

  /** The listener for the collection `verifications`. */
  readonly changes: ChangeListener = {
    ignores: ['insert', 'delete'],
    changed: (changes) => {
      for (const { id } of changes) this.#wake(String(id));
    },
    // Changes may have been missed, so every waiter reads again.
    interrupted: () => {
      for (const id of this.#waiting.keys()) this.#wake(id);
    },
  };

  /** Ends all waits, so that the process need not wait for them. */
  end(): void {
    this.#hasEnded = true;
    for (const waiters of this.#waiting.values()) for (const { over } of waiters) over.abort();
  }

  /**
   * Reads until the row meets the condition or the time is over; returns the last row. @param caller the caller of the request
   */
  async until<T>(
    { id, caller, seconds }: { id: string; caller: string; seconds: number },
    read: () => Promise<T>,
    isWaitedFor: (value: T) => boolean,
  ): Promise<T> {
    const first = await read();
    if (seconds === 0 || !isWaitedFor(first) || this.#hasEnded) return first;
    const leave = this.#limit.enter(caller);
    if (leave === undefined) return first;
    try {
      return await this.#follow(id, seconds, read, isWaitedFor);
    } finally {
      leave();
    }
  }

  async #follow<T>(
    id: string,
    seconds: number,
    read: () => Promise<T>,
    isWaitedFor: (value: T) => boolean,
  ): Promise<T> {
    const waiter: Waiter = { bell: new Bell(), over: new AbortController() };
    const waiters = this.#waiting.get(id) ?? new Set<Waiter>();
    this.#waiting.set(id, waiters.add(waiter));
    // Not `AbortSignal.timeout`: if only `AbortSignal.any` refers to it, it is garbage-collected and never fires.
    const timer = setTimeout(() => waiter.over.abort(), seconds * 1_000);
    try {
      for (;;) {
        // Read after registering, so that no change is missed.
        const value = await read();
        if (!isWaitedFor(value) || waiter.over.signal.aborted) return value;
        await waiter.bell.rung(waiter.over.signal);
      }
    } finally {
      clearTimeout(timer);
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiting.delete(id);
    }
  }

  #wake(id: string): void {
    for (const { bell } of this.#waiting.get(id) ?? []) bell.ring();
  }
}
