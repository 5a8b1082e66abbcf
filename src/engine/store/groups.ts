// Groups of writes: those that arrive while an earlier group is being flushed wait, and then share one commit and one flush.

/** The groups of one store. A command takes its turn once, however many slices it has. */
export class WriteGroups {
  #flushing: Promise<void> | undefined;
  #gathering = false;

  /** Resolves when no group is being flushed. */
  async turn(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  /** Reports a queued write. lmdb commits all writes that are queued in one turn of the event loop as one group. `flushed` resolves when it is on disk. */
  joined(flushed: Promise<void>): void {
    if (this.#gathering) return;
    this.#gathering = true;
    setImmediate(() => {
      this.#gathering = false;
      const flushing = flushed.then(() => {
        if (this.#flushing === flushing) this.#flushing = undefined;
      });
      this.#flushing = flushing;
    });
  }

  /** Reports a failed commit, whose group never reaches the disk. */
  failed(): void {
    this.#flushing = undefined;
  }
}
