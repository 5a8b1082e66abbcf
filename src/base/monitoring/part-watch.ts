// Runs the checks of all parts from time to time, and reports what they find.
import type { PartCheck, Problems } from './problems.js';

/** Interval of the checks, milliseconds: an alert follows within a minute. */
const EVERY_MS = 15_000;

/** Looks for problems that nothing reports by itself. */
export class PartWatch {
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(
    private readonly problems: Problems,
    private readonly checks: readonly PartCheck[],
    private readonly everyMs = EVERY_MS,
  ) {}

  start(): void {
    this.#timer = setInterval(() => void this.look(), this.everyMs).unref();
    void this.look();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Runs every check once; a call during another one waits for that. */
  look(): Promise<void> {
    this.#looking ??= Promise.all(this.checks.map((check) => this.#run(check)))
      .then(() => {})
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #run({ kinds, look }: PartCheck): Promise<void> {
    try {
      const found = await look();
      if (!this.#stop.signal.aborted) this.problems.replace(kinds, found);
    } catch {
      // The store is away, which is a problem of its own: what was known stays.
    }
  }
}
