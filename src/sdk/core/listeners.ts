// Listeners of events: each is called once for an event, and an error in one does not affect the others.

/** A set of listeners for one kind of value. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  add(listener: (value: T) => void): void {
    this.#all.add(listener);
  }

  delete(listener: (value: T) => void): void {
    this.#all.delete(listener);
  }

  clear(): void {
    this.#all.clear();
  }

  /**
   * Calls the current listeners, in the order in which they were added. An error in a listener is thrown
   * asynchronously.
   */
  emit(value: T): void {
    for (const listener of [...this.#all]) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
