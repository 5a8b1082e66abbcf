// Runs the checks of all parts from time to time, and reports what they find.
import { setTimeout as wait } from 'node:timers/promises';
import type { PartCheck, Problems } from './problems.js';

/** Interval of the checks, milliseconds: an alert follows within a minute. */
const EVERY_MS = 15_000;
/** The same while one of them has found something: it may be over. */
const OPEN_MS = 3_000;

/** Looks for problems that nothing reports by itself. */
export class PartWatch {
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly problems: Problems,
    private readonly checks: readonly PartCheck[],
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Runs every check once. */
  async look(): Promise<void> {
    await Promise.all(this.checks.map((check) => this.#look(check)));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.look();
      const isOpen = this.problems.open.some(({ kind }) => this.checks.some(({ kinds }) => kinds.includes(kind)));
      await wait(isOpen ? OPEN_MS : EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #look({ kinds, look }: PartCheck): Promise<void> {
    try {
      const found = await look();
      if (!this.#stop.signal.aborted) this.problems.replace(kinds, found);
    } catch {
      // The store is away, which is a problem of its own: what was known stays.
    }
  }
}
