// A bell between two tasks of a process.

/** Wakes a waiting task; several rings before it wakes count as one. */
export class Bell {
  #ring: () => void = () => {};
  #next = this.#armed();

  #armed(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve;
    });
  }

  ring(): void {
    this.#ring();
  }

  /** Resolves after the next ring, after so many milliseconds, or when the signal aborts. */
  async rungWithin(ms: number, signal?: AbortSignal): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    await this.rung(over.signal);
    signal?.removeEventListener('abort', end);
    clearTimeout(timer);
  }

  /** Resolves after the next ring, or when the signal aborts. */
  async rung(signal: AbortSignal): Promise<void> {
    // A signal that has already aborted fires no event.
    if (signal.aborted) return;
    let stop = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      stop = resolve;
    });
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([this.#next, aborted]);
    signal.removeEventListener('abort', stop);
    this.#next = this.#armed();
  }
}
