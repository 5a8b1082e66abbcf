// Works on one claimed endpoint: reads its due deliveries, sends them, keeps the queue for a while, because more work often follows, then releases
// it. `#next` says which of these steps follows.
import { Bell } from '../base/concurrency/bell.js';
import type { AttemptOutcome, DeliveryAttempts, DeliveryTarget } from './attempts.js';
import type { QueueClaim, QueueClaims } from './claims.js';
import type { DeliverySlots } from './delivery-slots.js';
import type { Due, DueDeliveries } from './due.js';
import { EndpointHealth, SLOW_MS } from './endpoint-health.js';
import type { DisabledReason, WebhookDeliveryRow } from './models.js';
import { RecentTarget } from './recent-target.js';
import type { DeliveryResults } from './results.js';
import { SubjectLanes } from './subject-lanes.js';
import type { ClosedTarget, WebhookTargets } from './targets.js';

/** If fewer deliveries than this are in memory, more are read. */
const LOW = 50;
/** How long a wait lasts before due times are compared again. Milliseconds. */
const WAIT_MS = 1_000;
/** How long a queue must be without work before its health is written or it is released: results of other queues come first. Milliseconds. */
const LINGER_MS = 1_000;
/**
 * A process keeps its queues until the end of its current half minute, so that new work needs no new claim. Then it releases all of
 * them, with or without work, so that gateways share them anew: each claims half of the due queues. Milliseconds.
 */
const KEPT_MS = 30_000;

export interface RunnerParts {
  claims: QueueClaims;
  due: DueDeliveries;
  targets: WebhookTargets;
  attempts: DeliveryAttempts;
  results: DeliveryResults;
  slots: DeliverySlots;
  clock(): number;
}

/** The facts about an endpoint that were read when its queue was claimed. */
export interface RunnerStart {
  target: DeliveryTarget | ClosedTarget;
  due: Due;
  /** When the claim began, by the monotonic clock. */
  readAt: number;
}

/** An outcome, and the last accepted test ping that was known when its attempt began. */
type Attempted = { outcome: AttemptOutcome; pingedAt: Date | undefined };

/**
 * What a runner does next.
 *
 * - `read`: reads the claim and the due deliveries, then sends
 * - `send`: waits while deliveries are sent
 * - `keep`: nothing is pending: keeps the queue for a while, then releases it
 * - `pause`: too many attempts have failed: releases the queue until the pause ends
 * - `end`: this process no longer has the queue, its time is over, or the process stops
 */
type Step = 'read' | 'send' | 'keep' | 'pause' | 'end';

/** One endpoint, while this process has its queue. */
export class EndpointRunner {
  readonly #bell = new Bell();
  readonly #end = new AbortController();
  readonly #lanes: SubjectLanes;
  readonly #target: RecentTarget;
  readonly #health: EndpointHealth;
  readonly #keptUntil = (Math.floor(performance.now() / KEPT_MS) + 1) * KEPT_MS;
  /**
   * The part of the queue that is not in memory: whether something in it may be due now, and when its next delivery is
   * due.
   */
  readonly #stored: { mayBeDue: boolean; nextAt: Date | null } = { mayBeDue: true, nextAt: null };
  /** `work` of the queue when it was last read. */
  #work = 0;
  /** The queue is released, or another process has it. */
  #isReleased = false;
  #failure: unknown;

  constructor(
    private readonly claim: QueueClaim,
    private readonly parts: RunnerParts,
    private start?: RunnerStart,
  ) {
    this.#health = new EndpointHealth(claim, () => parts.clock());
    this.#target = new RecentTarget(() => this.#look());
    this.#lanes = new SubjectLanes({
      deliver: (row) => this.#deliver(row),
      onIdle: () => this.#bell.ring(),
      onError: (error) => {
        this.#failure ??= error;
        this.stop();
      },
    });
  }

  /** Called when deliveries were added. */
  wake(): void {
    this.#stored.mayBeDue = true;
    this.#bell.ring();
  }

  /** Works until the queue is released or lost, its half minute is over, or `stop` is called. Returns whether the queue is released or lost. @throws the store's errors. */
  async run(): Promise<boolean> {
    try {
      for (let step = this.#next; step !== 'end'; step = this.#next) await this.#take(step);
      if (!this.#isReleased) await this.#report();
    } finally {
      this.stop();
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#isReleased;
  }

  /** Aborts deliveries in progress. */
  stop(): void {
    // No one reads this reason, but an abort without a reason would create an error with its stack.
    this.#end.abort('stopped');
    this.#lanes.close();
    this.#bell.ring();
  }

  get #next(): Step {
    const { size, isClosed } = this.#lanes;
    const isOver = performance.now() >= this.#keptUntil;
    if (this.#end.signal.aborted || (isOver && size === 0)) return 'end';
    if (isClosed) return 'pause';
    if (this.#stored.mayBeDue && size < LOW && !isOver) return 'read';
    return size > 0 ? 'send' : 'keep';
  }

  #take(step: Exclude<Step, 'end'>): Promise<void> {
    if (step === 'read') return this.#read();
    if (step === 'send') return this.#send();
    return step === 'keep' ? this.#keep() : this.#pause();
  }

  /** Reads the claim, then the due deliveries. */
  async #read(): Promise<void> {
    this.#stored.mayBeDue = false;
    this.#lanes.beginReading();
    const due = await this.#due();
    if (due === undefined) return;
    this.#stored.nextAt = due.nextAt;
    for (const row of due.rows) {
      if (this.#lanes.isOutdated(row.subject)) this.#stored.mayBeDue = true;
      else this.#lanes.add(row);
    }
    if (!due.isAll) this.#stored.mayBeDue = true;
    if (this.#lanes.size > 0) await this.#send();
  }

  /** Waits until something changes, or until a stored delivery is due. */
  async #send(): Promise<void> {
    await this.#bell.rungWithin(WAIT_MS);
    const { nextAt } = this.#stored;
    if (nextAt !== null && (await this.parts.due.isOver(nextAt))) this.#stored.mayBeDue = true;
  }

  /** Keeps the queue for a while if nothing is pending, then releases it; at once if the process stops. */
  async #keep(): Promise<void> {
    const { nextAt } = this.#stored;
    if (await this.#hasMoreUntil(performance.now() + LINGER_MS)) return;
    if (nextAt === null && performance.now() < this.#keptUntil) {
      await this.#report();
      if (await this.#hasMoreUntil(this.#keptUntil)) return;
    }
    if (await this.parts.claims.release(this.claim, nextAt, this.#health.now)) this.#released();
    else this.#stored.mayBeDue = true;
  }

  /** Waits for deliveries in progress, then releases the queue until the pause ends. Deliveries in memory stay pending. */
  async #pause(): Promise<void> {
    while (this.#lanes.running > 0) await this.#bell.rungWithin(WAIT_MS);
    if (this.#end.signal.aborted) return;
    const { claims, due } = this.parts;
    await claims.pause(this.claim, await due.in(this.#health.pauseMs), this.#health.now);
    this.#released();
  }

  /** Waits for more work until this moment by the monotonic clock, or until `stop`. Returns whether there is more. */
  async #hasMoreUntil(until: number): Promise<boolean> {
    while (performance.now() < until && !this.#end.signal.aborted) {
      await this.#bell.rungWithin(until - performance.now());
      if (this.#stored.mayBeDue) return true;
    }
    return false;
  }

  /** Ends the work, because this process no longer has the queue. */
  #released(): void {
    this.#isReleased = true;
    this.stop();
  }

  #report(): Promise<void> {
    return this.#health.report((health) => this.parts.claims.report(this.claim, health));
  }

  async #due(): Promise<Due | undefined> {
    const { start } = this;
    this.start = undefined;
    if (start !== undefined) {
      const target = await this.#opened(start.target);
      if (target === undefined) return undefined;
      this.#target.use(target, start.readAt);
      return this.#end.signal.aborted ? undefined : start.due;
    }
    await this.#target.look();
    if (this.#end.signal.aborted) return undefined;
    // If deliveries are added from now on, `release` does nothing.
    this.claim.work = this.#work;
    return this.parts.due.read(this.claim.webhookId, this.#lanes.ids);
  }

  /**
   * Checks that this process still has the queue, and reads the target of its deliveries; undefined: there is none, and
   * the work ends.
   */
  async #look(): Promise<DeliveryTarget | undefined> {
    const { claims, targets } = this.parts;
    const [queue, target] = await Promise.all([
      claims.read(this.claim),
      targets.of(this.claim.webhookId),
      this.#report(),
    ]);
    if (queue === undefined) {
      this.#released();
      return undefined;
    }
    this.#work = queue.work;
    this.claim.pingedAt = queue.pingedAt;
    return this.#opened(target);
  }

  /**
   * The target; undefined if the endpoint accepts no deliveries. Its pending deliveries are then marked as dead, unless
   * it is enabled meanwhile, and the work ends.
   */
  async #opened(target: DeliveryTarget | ClosedTarget): Promise<DeliveryTarget | undefined> {
    if (!('closed' in target)) return target;
    const { claims, results, targets } = this.parts;
    const { webhookId } = this.claim;
    let isClosed = true;
    await results.markAllDead(webhookId, target.closed, async () => {
      isClosed = 'closed' in (await targets.of(webhookId));
      return isClosed;
    });
    // Otherwise the queue is due at once.
    if (isClosed) this.#isReleased = await claims.release(this.claim, null, this.#health.now);
    this.stop();
    return undefined;
  }

  /** Sends a delivery and stores its result. Returns whether the next one of its subject may be sent. */
  async #deliver(row: WebhookDeliveryRow): Promise<boolean> {
    const { outcome, pingedAt } = (await this.#attempt(row)) ?? {};
    if (outcome === undefined) return false;
    const { nextAt, isStored } = await this.parts.results.record(row, outcome);
    this.#lanes.removeSent(row);
    if (!isStored) this.#stored.mayBeDue = true;
    this.#health.add(outcome);
    if (outcome.gone || this.#health.isHopeless) {
      await this.#disable(outcome.gone ? 'gone' : 'failing', pingedAt);
      if (this.#end.signal.aborted) return false;
    }
    if (nextAt !== undefined) await this.#postpone(row.subject, nextAt);
    if (this.#health.pauseMs > 0) this.#lanes.close();
    if (this.#lanes.isClosed) return false;
    this.#lanes.atOnce = this.#health.atOnce;
    if (this.#lanes.size < LOW) this.#bell.ring();
    return true;
  }

  /** Postpones the later deliveries of a subject, including those that are read meanwhile. */
  async #postpone(subject: string, nextAt: Date): Promise<void> {
    const stored = this.#stored;
    if (stored.nextAt === null || nextAt < stored.nextAt) stored.nextAt = nextAt;
    await this.#lanes.postpone(subject, (ids) => this.parts.results.postpone(ids, nextAt));
  }

  async #attempt(row: WebhookDeliveryRow): Promise<Attempted | undefined> {
    const { healthy, failing } = this.parts.slots;
    const [slots, slotMs] = this.#health.isGood ? [healthy, SLOW_MS] : [failing, undefined];
    const { signal } = this.#end;
    return slots.run(
      async () => {
        const target = signal.aborted ? undefined : await this.#target.recent();
        if (signal.aborted || target === undefined) return undefined;
        const { pingedAt } = this.claim;
        const outcome = await this.parts.attempts.send(target, { id: row._id, body: row.body }, signal);
        return outcome && { outcome, pingedAt };
      },
      { key: this.#target.partnerId, slotMs },
    );
  }

  async #disable(disabledReason: DisabledReason, pingedAt: Date | undefined): Promise<void> {
    await this.parts.targets.disable(this.claim, this.#health.now, { disabledReason, pingedAt });
    await this.#target.look();
  }
}
