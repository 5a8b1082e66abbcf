// A bell with which one task of a process wakes another.

/**
 * Wakes the task that waits for it. Several rings before the task wakes count as one. After a ring without a waiting
 * task, the next wait ends at once.
 */
export class Bell {
  #isRung = false;
  #wake: () => void = () => {};

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves after the next ring, after so many milliseconds, or when the signal aborts. Returns whether it has rung. */
  rungWithin(ms: number, signal?: AbortSignal): Promise<boolean> {
    return this.#rung(signal, ms);
  }

  /** Resolves after the next ring, or when the signal aborts. Returns whether it has rung. If the signal aborts first, a later ring ends the next wait. */
  rung(signal: AbortSignal): Promise<boolean> {
    return this.#rung(signal);
  }

  async #rung(signal?: AbortSignal, ms?: number): Promise<boolean> {
    // A signal that has already aborted fires no event.
    if (signal?.aborted) return false;
    if (!this.#isRung) await this.#woken(signal, ms);
    const isRung = this.#isRung;
    this.#isRung = false;
    return isRung;
  }

  #woken(signal?: AbortSignal, ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(wake, ms);
      this.#wake = wake;
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
