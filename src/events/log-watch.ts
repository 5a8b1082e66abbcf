// Checks that the event log makes progress. After writing events, and from time to time, a process looks for events
// that have waited too long for a sequence number, and reports this.

import { Bell } from '../base/concurrency/bell.js';
import type { ProblemReport } from '../base/monitoring/problems.js';
import { pause } from '../store/lease.js';
import type { EventModels } from './models.js';

export interface LogWatchOptions {
  models: EventModels;
  problems: ProblemReport;
  /** Monotonic, milliseconds: clocks of different processes cannot be compared to measure a wait. */
  clock?(): number;
  /** Interval between two checks while events wait, milliseconds. */
  intervalMs?: number;
  /** Rung when this process has written events. */
  bell?: Bell;
}

/** An event that waits longer for its number is reported to the operator. */
export const MAX_WAIT_MS = 10_000;
const INTERVAL_MS = 2_500;
/**
 * Interval between two checks while this process writes no events: a process that has written events may have ended.
 */
const IDLE_MS = 60_000;

/** Reports events that wait too long for their sequence number. */
export class LogWatch {
  readonly #stop = new AbortController();
  #oldest: { id: string; since: number } | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: LogWatchOptions) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Checks once. */
  async look(): Promise<void> {
    const { models, problems, clock = () => performance.now() } = this.options;
    const pending = await models.events
      .findOne({ pending: true }, { _id: 1 })
      .sort({ _id: 1 })
      .lean<{ _id: unknown }>();
    if (pending === null) this.#oldest = undefined;
    else if (this.#oldest?.id !== String(pending._id)) this.#oldest = { id: String(pending._id), since: clock() };
    if (this.#oldest !== undefined && clock() - this.#oldest.since > MAX_WAIT_MS) problems.raise('event-log-stands');
    else problems.clear('event-log-stands');
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { intervalMs = INTERVAL_MS, bell = new Bell() } = this.options;
    while (!signal.aborted) {
      // A store that does not respond is reported elsewhere.
      await this.look().catch(() => {});
      if (this.#oldest === undefined) await bell.rungWithin(IDLE_MS, signal);
      await pause(intervalMs, signal);
    }
  }
}
