// Refuses callers without points at a limited rate: immediate refusals would let a client that retries at once use all processor time.

/** Milliseconds between two refusals: 200 per second, about 2 % of a core. */
const STEP_MS = 5;
/** How many refusals may wait. The connections of further ones are closed. */
const MAX_WAITING = 1_000;

/** Sends refusals at a limited rate. */
export class Refusals {
  readonly #queue: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Calls `refuse` after the refusals that wait before it. @returns false if too many wait. */
  add(refuse: () => void): boolean {
    if (this.#queue.length >= MAX_WAITING) return false;
    this.#queue.push(refuse);
    this.#timer ??= setTimeout(() => this.#step(), STEP_MS);
    return true;
  }

  #step(): void {
    this.#queue.shift()?.();
    this.#timer = this.#queue.length > 0 ? setTimeout(() => this.#step(), STEP_MS) : undefined;
  }
}
