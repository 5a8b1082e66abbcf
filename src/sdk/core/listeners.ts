// Listeners of events: each counts once, and one that throws harms no other.

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

  /** Calls those that listen at this moment, in the order in which they were added. What one throws is reported as if it ran alone. */
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
