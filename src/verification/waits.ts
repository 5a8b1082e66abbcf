// Requests that wait for a verification to change, woken by the change stream: no process asks the store again and again.
import type { ChangeListener } from '../store/change-feed.js';
import { pause } from '../store/lease.js';

/** Requests that wait in a process, and of one caller; beyond that they are answered at once. */
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_CALLER = 100;

/** Wakes waiting requests. */
export class VerificationWaits {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #callers = new Map<string, number>();
  readonly #ended = new AbortController();
  #count = 0;

  /** The listener for the collection `verifications`. */
  readonly changes: ChangeListener = {
    ignores: ['insert', 'delete'],
    changed: (changes) => {
      for (const { id } of changes) this.#wake(String(id));
    },
    // Some may have been missed: everybody looks again.
    interrupted: () => {
      for (const id of this.#waiting.keys()) this.#wake(id);
    },
  };

  /** Ends all waits, so that the process need not wait for them. */
  end(): void {
    this.#ended.abort();
  }

  /**
   * Reads until the row is not what is waited for any more, or the time is over; returns what was read last.
   * @param caller whose request it is
   */
  async until<T>(
    { id, caller, seconds }: { id: string; caller: string; seconds: number },
    read: () => Promise<T>,
    isWaitedFor: (value: T) => boolean,
  ): Promise<T> {
    const first = await read();
    const waiting = this.#callers.get(caller) ?? 0;
    if (seconds === 0 || !isWaitedFor(first) || this.#count >= MAX_WAITING || waiting >= MAX_WAITING_OF_CALLER)
      return first;
    this.#count += 1;
    this.#callers.set(caller, waiting + 1);
    try {
      return await this.#follow(id, seconds, read, isWaitedFor);
    } finally {
      this.#count -= 1;
      this.#leave(caller);
    }
  }

  async #follow<T>(
    id: string,
    seconds: number,
    read: () => Promise<T>,
    isWaitedFor: (value: T) => boolean,
  ): Promise<T> {
    const over = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(seconds * 1_000)]);
    for (;;) {
      const woken = new AbortController();
      const wake = (): void => woken.abort();
      const wakes = this.#waiting.get(id) ?? new Set<() => void>();
      this.#waiting.set(id, wakes.add(wake));
      try {
        // After it can be woken: what is written in between is not missed.
        const value = await read();
        if (!isWaitedFor(value) || over.aborted) return value;
        await pause(seconds * 1_000, AbortSignal.any([over, woken.signal]));
      } finally {
        wakes.delete(wake);
        if (wakes.size === 0 && this.#waiting.get(id) === wakes) this.#waiting.delete(id);
      }
    }
  }

  #wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  #leave(caller: string): void {
    const left = (this.#callers.get(caller) ?? 1) - 1;
    if (left > 0) this.#callers.set(caller, left);
    else this.#callers.delete(caller);
  }
}
