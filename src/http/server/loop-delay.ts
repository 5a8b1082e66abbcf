// Measures how much the event loop lags: how late a timer's ticks are over some seconds. One long task makes one tick late; an overload makes all of
// them late.

/** Milliseconds between two ticks of the timer. */
const TICK_MS = 100;
/** For how long a tick is part of the measurement. */
const WINDOW_MS = 5_000;
/** The share of ticks that may be late. */
const PERCENTILE = 0.9;
/** With fewer late ticks, there were only single long tasks. */
const MIN_LATE = 3;

interface Tick {
  at: number;
  late: number;
}

/** The lateness of the last seconds, in milliseconds. */
export class LoopDelay {
  #ticks: Tick[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Starts to measure this process. */
  start(): void {
    let expected = performance.now() + TICK_MS;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.add(now, Math.max(0, now - expected));
      expected = now + TICK_MS;
    }, TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Adds a tick. */
  add(at: number, late: number): void {
    this.#ticks = this.#ticks.filter((tick) => tick.at > at - WINDOW_MS);
    this.#ticks.push({ at, late });
  }

  /** Whether the lag has exceeded this limit for some time: fewer than nine of ten ticks were within it. */
  exceeds(limitMs: number): boolean {
    const delays = this.#ticks.map(({ late }) => late).sort((a, b) => a - b);
    const isLate = (delays[Math.floor(delays.length * PERCENTILE)] ?? 0) > limitMs;
    return isLate && delays.filter((late) => late > limitMs).length >= MIN_LATE;
  }
}
