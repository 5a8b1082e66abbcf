// How many deliveries are under way at once in a process.

/** A counting semaphore; whoever waits longest is next. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly most: number) {
    this.#free = most;
  }

  /** Runs work in a slot of its own. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
