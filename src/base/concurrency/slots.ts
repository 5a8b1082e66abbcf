// Bounds how much of one kind of work runs at the same time. The rest waits: the work of each owner in order, and owners take turns.

type Owner = string | undefined;

/** A number of slots for work, with a queue for each owner. */
export class Slots {
  /** Waiting work; the first owner is served next. */
  readonly #queues = new Map<Owner, (() => void)[]>();
  readonly #held = new Map<Owner, number>();
  #free: number;

  /** @param perOwner the most slots of one named owner; default all. */
  constructor(
    size: number,
    private readonly perOwner: number = size,
  ) {
    this.#free = size;
  }

  /** Work of an owner that runs or waits. */
  countOf(owner: string): number {
    return (this.#held.get(owner) ?? 0) + (this.#queues.get(owner)?.length ?? 0);
  }

  /**
   * Runs work when a slot is free.
   * @param heldMs work that takes longer goes on without its slot
   * @param owner whose work it is
   */
  async run<T>(work: () => Promise<T>, heldMs?: number, owner?: string): Promise<T> {
    if (this.#free > 0 && this.#mayHold(owner)) this.#take(owner);
    else await this.#wait(owner);
    let isHeld = true;
    const free = (): void => {
      if (isHeld) this.#giveBack(owner);
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

  #mayHold(owner: Owner): boolean {
    return owner === undefined || (this.#held.get(owner) ?? 0) < this.perOwner;
  }

  #take(owner: Owner): void {
    this.#free -= 1;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  #wait(owner: Owner): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(owner);
      if (queue) queue.push(resolve);
      else this.#queues.set(owner, [resolve]);
    });
  }

  #giveBack(owner: Owner): void {
    const held = (this.#held.get(owner) ?? 0) - 1;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
    this.#free += 1;
    this.#startNext();
  }

  /** The slot goes to the first owner that may have one more, which is then the last. */
  #startNext(): void {
    for (const [owner, queue] of this.#queues) {
      if (!this.#mayHold(owner)) continue;
      this.#queues.delete(owner);
      const start = queue.shift();
      if (queue.length > 0) this.#queues.set(owner, queue);
      this.#take(owner);
      start?.();
      return;
    }
  }
}
