// Group commit: writes that arrive during the flush of an earlier group wait, then share one commit and one flush.

/** The write groups of one store. A command waits once, whatever the number of its slices. */
export class WriteGroups {
  #flushing: Promise<void> | undefined;
  #gathering = false;
  /** Ends the wait for each group that is not on disk yet. */
  readonly #waits = new Set<() => void>();

  /** Resolves when the group that is now being flushed is on disk. It does not wait for later groups. */
  async turn(): Promise<void> {
    await this.#flushing;
  }

  /**
   * Reports a queued write. lmdb commits all writes that are queued in one turn of the event loop as one group.
   * `flushed` resolves when the group is on disk.
   */
  joined(flushed: Promise<void>): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const flushing = this.#wait(flushed);
    setImmediate(() => {
      this.#gathering = false;
      this.#flushing = flushing;
    });
  }

  /** Reports a failed commit, whose flush promise never resolves or rejects. */
  failed(): void {
    for (const end of this.#waits) end();
  }

  /** Resolves when the group is on disk or a commit has failed. */
  #wait(flushed: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waits.delete(end);
        resolve();
      };
      this.#waits.add(end);
      flushed.then(end);
    });
  }
}
