// A bell between two tasks of a process.

/** Wakes the task that waits for it; several rings before it wakes count as one, and one before it waits ends its wait at once. */
export class Bell {
  #isRung = false;
  #wake: () => void = () => {};

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves after the next ring, after so many milliseconds, or when the signal aborts. Returns whether it has rung. */
  async rungWithin(ms: number, signal?: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    const isRung = await this.rung(over.signal);
    signal?.removeEventListener('abort', end);
    clearTimeout(timer);
    return isRung;
  }

  /** Resolves after the next ring, or when the signal aborts. Returns whether it has rung. A ring that is not returned ends the next wait. */
  async rung(signal: AbortSignal): Promise<boolean> {
    // A signal that has already aborted fires no event.
    if (signal.aborted) return false;
    if (!this.#isRung) await this.#woken(signal);
    const isRung = this.#isRung;
    this.#isRung = false;
    return isRung;
  }

  #woken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
