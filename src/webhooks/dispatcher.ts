// The deliverer of a process: claims queues with due deliveries and runs each. The change stream wakes it.
import { randomInt } from 'node:crypto';
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { ChangeListener } from '../store/change-feed.js';
import { pause } from '../store/lease.js';
import type { QueueClaim, QueueClaims } from './claims.js';
import { EndpointRunner, type RunnerParts, type RunnerStart } from './endpoint-runner.js';

/** The most endpoints on which a process works at the same time. */
const MAX_RUNNERS = 2_000;
/** The most queues of one read, and of one claim. Half of the due queues are claimed, so that other processes have work too. */
const MAX_READ = 800;
const MAX_CLAIMED = 400;
const SHARE = 2;
/** How often queues of dead processes are searched while other processes have queues. Milliseconds. */
const RECOVER_MS = 2_000;
/** The longest wait while there is work; after QUIET_MS without work, LONGEST_MS. The change stream ends every wait. Milliseconds. */
const IDLE_MS = 10_000;
const QUIET_MS = 2 * IDLE_MS;
const LONGEST_MS = 600_000;
const RETRY_MS = 500;

export interface DispatcherOptions extends RunnerParts {
  claims: QueueClaims;
  onError(error: unknown): void;
}

/** Delivers; the process calls `start()` and `stop()`. */
export class DeliveryDispatcher implements Worker {
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  readonly #runners = new Map<string, EndpointRunner>();
  readonly #runs = new Set<Promise<void>>();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: DispatcherOptions) {}

  /** The listener for the collection `webhookQueues`. */
  readonly changes: ChangeListener = {
    ignores: ['delete'],
    // Claims, and queues without deliveries, wake no process.
    onlyUpdatesOf: ['dueAt', 'work'],
    changed: (changes) => {
      for (const { id, set } of changes) {
        const runner = this.#runners.get(String(id));
        if (runner === undefined) this.#bell.ring();
        else if (set?.work !== undefined) runner.wake();
      }
    },
    // Changes may have been missed.
    interrupted: () => {
      for (const runner of this.#runners.values()) runner.wake();
      this.#bell.ring();
    },
  };

  start(): void {
    this.#running = this.#loop();
  }

  /** Aborts deliveries in progress, releases all queues and resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    await this.#running;
    for (const runner of this.#runners.values()) runner.stop();
    await Promise.all(this.#runs);
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    let lookedAt = Number.NEGATIVE_INFINITY;
    let waitMs = 0;
    let others = false;
    let activeAt = performance.now();
    while (!signal.aborted) {
      try {
        if (performance.now() - lookedAt > RECOVER_MS) {
          lookedAt = performance.now();
          others = await this.options.claims.recover(new Set(this.#runners.keys()));
        }
        const dueAt = await this.#claimDue();
        // Another process may have claimed the queues that were due. If that process dies, they are recovered.
        if (dueAt !== undefined || others) activeAt = performance.now();
        const isQuiet = performance.now() - activeAt > QUIET_MS;
        const dueMs = dueAt === undefined ? IDLE_MS : Math.max(0, dueAt - performance.now());
        waitMs = isQuiet ? LONGEST_MS : Math.min(dueMs, others ? RECOVER_MS : IDLE_MS);
      } catch (error) {
        if (!signal.aborted) this.options.onError(error);
        await pause(RETRY_MS, signal);
        waitMs = 0;
      }
      if (!signal.aborted && (await this.#bell.rungWithin(waitMs))) activeAt = performance.now();
    }
  }

  /** Claims some of the due queues. Returns when there may be more, by the monotonic clock; undefined: none is waiting. */
  async #claimDue(): Promise<number | undefined> {
    const free = MAX_RUNNERS - this.#runners.size;
    if (free <= 0) return performance.now() + RETRY_MS;
    const { claims } = this.options;
    const { ids, nextAt } = await claims.due(MAX_READ);
    if (ids.length === 0) return nextAt;
    const some = Math.min(free, MAX_CLAIMED, Math.ceil(ids.length / SHARE));
    // From a random position, so that several processes rarely claim the same queues.
    const from = randomInt(ids.length);
    const chosen = [...ids, ...ids].slice(from, from + some);
    const readAt = performance.now();
    await this.#runAll(await claims.claim(chosen), readAt);
    return ids.length > some ? readAt : (nextAt ?? readAt + IDLE_MS);
  }

  /**
   * Reads the targets and deliveries of all these endpoints together. If that fails, or there are too many deliveries,
   * each runner reads its own.
   */
  async #runAll(claimed: readonly QueueClaim[], readAt: number): Promise<void> {
    const ids = claimed.map(({ webhookId }) => webhookId);
    const { targets, due } = this.options;
    const read = Promise.all([targets.ofAll(ids), due.readAll(ids)]);
    const [targetsOf, dueOf] = await read.catch((error: unknown) => {
      this.options.onError(error);
      return [undefined, undefined];
    });
    for (const [at, claim] of claimed.entries()) {
      const [target, own] = [targetsOf?.[at], dueOf?.[at]];
      this.#run(claim, target && own && { target, due: own, readAt });
    }
  }

  #run(claim: QueueClaim, start: RunnerStart | undefined): void {
    const runner = new EndpointRunner(claim, this.options, start);
    this.#runners.set(claim.webhookId, runner);
    const run = this.#runOf(runner, claim).finally(() => {
      this.#runs.delete(run);
    });
    this.#runs.add(run);
  }

  async #runOf(runner: EndpointRunner, claim: QueueClaim): Promise<void> {
    const { claims, onError } = this.options;
    const { signal } = this.#stop;
    let isReleased = false;
    try {
      isReleased = await runner.run();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    // A runner that lost the queue may end after this process has claimed it again.
    if (this.#runners.get(claim.webhookId) === runner) this.#runners.delete(claim.webhookId);
    // A test ping may have released it, so it may be due.
    if (isReleased) this.#bell.ring();
    while (!isReleased) {
      isReleased = await claims.abandon(claim).then(
        () => true,
        () => pause(RETRY_MS, signal).then(() => signal.aborted),
      );
    }
  }
}
