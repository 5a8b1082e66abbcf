// Bounds how much of one kind of work runs at the same time; the rest waits in order.

export class Slots {
  readonly #queue: (() => void)[] = [];
  #taken = 0;

  constructor(private readonly size: number) {}

  /** Runs work when there is room for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.size) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      // The room is handed on, or given back.
      const next = this.#queue.shift();
      if (next) next();
      else this.#taken -= 1;
    }
  }
}
