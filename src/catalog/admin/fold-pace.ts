// When a running import adds its stored counters to their rows: often enough that they are not long behind, and seldom enough
// that this takes a small share of the time. Where lines name many issuers and schemas, one fold changes tens of thousands of rows.

/** Windows, and milliseconds, after which counters are folded. */
const WINDOWS = 100;
const AFTER_MS = 60_000;
/** The next fold waits so many times as long as the last one took, and at most so many milliseconds. */
const TIMES = 60;
const MOST_MS = 300_000;

/** The folds of one import. */
export class FoldPace {
  #windows = 0;
  #since = 0;
  #lastMs = 0;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(
    private readonly fold: () => Promise<void>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Call it after each window; folds if it is time to. */
  async written(): Promise<void> {
    if (this.#windows === 0) this.#since = this.now();
    this.#windows += 1;
    const elapsed = this.now() - this.#since;
    const isMany = this.#windows >= WINDOWS || elapsed > AFTER_MS;
    if (isMany && elapsed >= Math.min(TIMES * this.#lastMs, MOST_MS)) await this.end();
  }

  /** Folds what has been written since the last fold. */
  async end(): Promise<void> {
    if (this.#windows === 0) return;
    const begun = this.now();
    await this.fold();
    this.#lastMs = this.now() - begun;
    this.#windows = 0;
  }
}
