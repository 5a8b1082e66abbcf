// Bounds how much of one kind of work runs at the same time; the rest waits in order.

/** A number of slots for work, with a queue. */
export class Slots {
  readonly #queue: (() => void)[] = [];
  #count = 0;

  constructor(private readonly size: number) {}

  /** Runs work when a slot is free. Work that takes longer than `heldMs` goes on without its slot. */
  async run<T>(work: () => Promise<T>, heldMs?: number): Promise<T> {
    if (this.#count >= this.size) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#count += 1;
    let isHeld = true;
    const free = (): void => {
      if (isHeld) this.#free();
      isHeld = false;
    };
    const timer = heldMs === undefined ? undefined : setTimeout(free, heldMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      free();
    }
  }

  /** The slot goes to the next in the queue, or is free again. */
  #free(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#count -= 1;
  }
}
