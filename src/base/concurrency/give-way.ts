// Background work that gives way to callers: while they ask, its pieces run one at a time, and each is followed by a rest.
import { setTimeout as delay } from 'node:timers/promises';

/** How long the rest is, in times of the piece before it: a third of the time at most goes to background work. */
const REST = 2;
/** The longest rest: work goes on however long callers ask without a pause. Milliseconds. */
const MOST_REST_MS = 250;

/** Runs pieces of background work. */
export class GiveWay {
  #rested: Promise<unknown> = Promise.resolve();

  /**
   * @param isBusy whether callers have asked for something just now
   * @param clock milliseconds by a monotonic clock
   * @param pause resolves after so many milliseconds; rejects once the signal is aborted
   */
  constructor(
    private readonly isBusy: () => boolean,
    private readonly clock: () => number = () => performance.now(),
    private readonly pause = (ms: number, signal?: AbortSignal): Promise<void> => delay(ms, undefined, { signal }),
  ) {}

  /** Runs a piece: at once while nobody asks; else after those before it and their rests. @param signal ends the rests. @throws what the piece throws. */
  async run<T>(piece: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!this.isBusy()) return piece();
    const turn = this.#rested.then(() => this.#timed(piece));
    this.#rested = turn.then(({ tookMs }) => this.pause(Math.min(REST * tookMs, MOST_REST_MS), signal)).catch(() => {});
    return (await turn).result();
  }

  /** The outcome of a piece, and how long it took. */
  async #timed<T>(piece: () => Promise<T>): Promise<{ tookMs: number; result(): T }> {
    const began = this.clock();
    const [settled] = await Promise.allSettled([piece()]);
    const result = (): T => {
      if (settled.status === 'rejected') throw settled.reason;
      return settled.value;
    };
    return { tookMs: this.clock() - began, result };
  }
}
