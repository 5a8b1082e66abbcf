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

  /** Resolves after the next ring, or when the signal aborts. Returns whether it has rung. */
  async rung(signal: AbortSignal): Promise<boolean> {
    // A signal that has already aborted fires no event.
    if (signal.aborted) return false;
    let stop = (): void => {};
    const aborted = new Promise<false>((resolve) => {
      stop = () => resolve(false);
    });
    signal.addEventListener('abort', stop, { once: true });
    const isRung = await Promise.race([this.#next.then(() => true), aborted]);
    signal.removeEventListener('abort', stop);
    this.#next = this.#armed();
    return isRung;
  }
}
