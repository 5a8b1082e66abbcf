// Refusals of callers without points leave one after the other: answering each at once would let whoever does not stop set the pace.

/** Between two steps, and refusals in each: 200 a second, a fiftieth of a core. */
const STEP_MS = 20;
const IN_STEP = 4;
/** Refusals that may wait; the connection of one more is closed. */
const MAX_WAITING = 1_000;

export class Refusals {
  readonly #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Refuses when it is its turn. @returns false when too many wait. */
  add(refuse: () => void): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(refuse);
    this.#timer ??= setTimeout(() => this.#step(), STEP_MS);
    return true;
  }

  #step(): void {
    for (const refuse of this.#waiting.splice(0, IN_STEP)) refuse();
    this.#timer = this.#waiting.length > 0 ? setTimeout(() => this.#step(), STEP_MS) : undefined;
  }
}
