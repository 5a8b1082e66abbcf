// Bounds how much of one kind of work runs at the same time; the rest waits in order.

/** A number of slots for work, with a queue. */
export class Slots {
  readonly #queue: (() => void)[] = [];
  #count = 0;

  constructor(private readonly size: number) {}

  /** Runs work when a slot is free. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#count >= this.size) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#count += 1;
    try {
      return await work();
    } finally {
      // The slot goes to the next in the queue, or is free again.
      const next = this.#queue.shift();
      if (next) next();
      else this.#count -= 1;
    }
  }
}
