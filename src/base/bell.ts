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

  /** Resolves after the next ring, or after so many milliseconds. */
  async rungWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#next, over]);
    clearTimeout(timer);
    this.#next = this.#armed();
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
