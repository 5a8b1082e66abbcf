// Whose turn it is to execute for an event: one after the other, with the rest of the process in between, and strangers on an allowance.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../base/caller.js';
import { Slots } from './slots.js';

/** Executions at the same time: their waits for the store overlap. */
const CONCURRENT = 16;
const ANONYMOUS_CONCURRENT = 4;
/** The part of the time that executions for anonymous listeners may take, once they have used what was saved. */
const SHARE = 0.25;
/** What is saved at most, milliseconds: the usual event costs less and waits for nothing. */
const MAX_SAVED_MS = 250;

/**
 * Distinct operations each cost an execution for every event. What one event costs is bounded by their number; this bounds how much of each
 * second it takes. Anonymous ones wait for their allowance; those of callers with credentials only let others run in between.
 */
export class RenderTurns {
  readonly #known = new Slots(CONCURRENT);
  readonly #anonymous = new Slots(ANONYMOUS_CONCURRENT);
  readonly #allowance: Allowance;

  /** @param clock milliseconds that only grow. */
  constructor(clock: () => number = () => performance.now()) {
    this.#allowance = new Allowance(clock);
  }

  run<T>({ kind }: Caller, render: () => Promise<T>): Promise<T> {
    if (kind !== 'anonymous') return this.#known.run(() => nextTurn().then(render));
    return this.#anonymous.run(async () => {
      await this.#allowance.available();
      return this.#allowance.spend(render);
    });
  }
}

/** Time that grows by a share of the time that passes, and is spent by working. */
class Allowance {
  #saved = MAX_SAVED_MS;
  #at: number;

  constructor(private readonly clock: () => number) {
    this.#at = clock();
  }

  /** Resolves when there is some, in a turn of its own. */
  async available(): Promise<void> {
    await nextTurn();
    while (this.#grow() <= 0) await delay(Math.ceil(-this.#saved / SHARE) + 1);
  }

  async spend<T>(work: () => Promise<T>): Promise<T> {
    const started = this.clock();
    try {
      return await work();
    } finally {
      this.#saved -= this.clock() - started;
    }
  }

  #grow(): number {
    const now = this.clock();
    this.#saved = Math.min(MAX_SAVED_MS, this.#saved + (now - this.#at) * SHARE);
    this.#at = now;
    return this.#saved;
  }
}
