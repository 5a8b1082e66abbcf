// Schedules executions for events fairly, and lets the rest of the process run in between. Anonymous ones have a time allowance.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../base/callers/caller.js';
import { Bucket } from '../../base/concurrency/bucket.js';
import { Limit } from '../../base/concurrency/limit.js';

/** How many executions run at the same time, so that their waits for the store overlap. */
const CONCURRENT = 16;
const ANONYMOUS_CONCURRENT = 4;
/** Share of the time that executions for anonymous subscribers may take, after their saved time is used up. */
const SHARE = 0.25;
/** The most time that is saved, milliseconds. The usual event takes less, and does not wait. */
const MAX_SAVED_MS = 250;
/**
 * The most time that is owed. It is limited because the elapsed time of executions includes times when the process or
 * the store stood still.
 */
const MAX_OWED_MS = 5_000;

/**
 * Each distinct operation costs an execution for every event. The number of operations bounds the cost of one event;
 * this class bounds the share of each second. Anonymous executions wait for their allowance; executions for callers
 * with credentials only let other work run in between.
 */
export class RenderTurns {
  readonly #credentialed = new Limit({ atOnce: CONCURRENT });
  readonly #anonymous = new Limit({ atOnce: ANONYMOUS_CONCURRENT });
  /** The time of anonymous executions: a token is a millisecond. */
  readonly #time: Bucket;

  /** @param clock milliseconds that only grow. */
  constructor(private readonly clock: () => number = () => performance.now()) {
    this.#time = new Bucket({ perSecond: SHARE * 1_000, capacity: MAX_SAVED_MS, maxDebt: MAX_OWED_MS, clock });
  }

  run<T>({ kind }: Caller, render: () => Promise<T>): Promise<T> {
    if (kind !== 'anonymous') return this.#credentialed.run(() => nextTurn().then(render));
    return this.#anonymous.run(async () => {
      await this.#available();
      return this.#spend(render);
    });
  }

  /** Resolves when time is left, at the beginning of a turn of the event loop. */
  async #available(): Promise<void> {
    await nextTurn();
    while (this.#time.left <= 0) await delay(Math.ceil(this.#time.msUntil(0)) + 1);
  }

  async #spend<T>(work: () => Promise<T>): Promise<T> {
    const started = this.clock();
    try {
      return await work();
    } finally {
      this.#time.spend(this.clock() - started);
    }
  }
}
