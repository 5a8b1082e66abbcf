// Works on one claimed endpoint: reads its due deliveries, sends those of different subjects at the same time and those of one subject in
// order, keeps the queue for a while, because more work often follows, then releases it.
import { Bell } from '../base/concurrency/bell.js';
import type { AttemptOutcome, DeliveryAttempts, DeliveryTarget } from './attempts.js';
import type { QueueClaim, QueueClaims } from './claims.js';
import type { DeliverySlots } from './delivery-slots.js';
import type { Due, DueDeliveries } from './due.js';
import { EndpointHealth, SLOW_MS } from './endpoint-health.js';
import type { DisabledReason, WebhookDeliveryRow } from './models.js';
import type { DeliveryResults } from './results.js';
import type { ClosedTarget, WebhookTargets } from './targets.js';

/** If fewer deliveries than this are in memory, more are read. */
const LOW = 50;
/** How long after the claim was read a delivery may begin: less than the remaining time of the lease. Milliseconds. */
const FRESH_MS = 1_000;
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

/** What was read about an endpoint when its queue was claimed. */
export interface RunnerStart {
  target: DeliveryTarget | ClosedTarget;
  due: Due;
  /** When the claim began, by the monotonic clock. */
  readAt: number;
}

/** One endpoint, while this process has its queue. */
export class EndpointRunner {
  readonly #bell = new Bell();
  readonly #end = new AbortController();
  /** Deliveries in memory, by subject; a lane works on each subject. */
  readonly #lanes = new Map<string, WebhookDeliveryRow[]>();
  readonly #ready: string[] = [];
  readonly #ids = new Set<string>();
  /** Subjects with a result since the last reading began: what was read for them is out of date. */
  readonly #touched = new Set<string>();
  #active = 0;
  /** The queue is released, or another process has it. */
  #isReleased = false;
  #isPausing = false;
  /** There may be due deliveries that are not in memory. */
  #unread = true;
  #target: DeliveryTarget | undefined;
  #freshUntil = 0;
  #work = 0;
  #checking: Promise<void> | undefined;
  #nextAt: Date | null = null;
  readonly #health: EndpointHealth;
  readonly #keptUntil = (Math.floor(performance.now() / KEPT_MS) + 1) * KEPT_MS;
  #failure: unknown;
  #start: RunnerStart | undefined;

  constructor(
    private readonly claim: QueueClaim,
    private readonly parts: RunnerParts,
    start?: RunnerStart,
  ) {
    this.#health = new EndpointHealth(claim, () => parts.clock());
    this.#start = start;
  }

  /** Called when deliveries were added. */
  wake(): void {
    this.#unread = true;
    this.#bell.ring();
  }

  /** Works until the queue is released or lost, its half minute is over, or `stop` is called. Returns whether the queue is released or lost. @throws the store's errors. */
  async run(): Promise<boolean> {
    try {
      while (!this.#end.signal.aborted && !(this.#isOver && this.#ids.size === 0)) await this.#step();
      if (!this.#isReleased) await this.#report();
    } finally {
      this.stop();
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#isReleased;
  }

  get #isOver(): boolean {
    return performance.now() >= this.#keptUntil;
  }

  #report(): Promise<void> {
    return this.#health.report((health) => this.parts.claims.report(this.claim, health));
  }

  /** Aborts deliveries in progress. */
  stop(): void {
    // The reason is never read; without one, an error with its stack is created.
    this.#end.abort('stopped');
    this.#bell.ring();
  }

  async #step(): Promise<void> {
    if (this.#isPausing) return this.#pause();
    if (this.#unread && this.#ids.size < LOW && !this.#isOver) await this.#read();
    this.#startLanes();
    if (this.#ids.size > 0) await this.#waitForWork();
    else if (!this.#unread && !this.#end.signal.aborted) await this.#release();
  }

  /** Waits for deliveries in progress, then releases the queue until the pause ends. Deliveries in memory stay pending. */
  async #pause(): Promise<void> {
    while (this.#active > 0) await this.#bell.rungWithin(FRESH_MS);
    if (this.#end.signal.aborted) return;
    const { claims, due } = this.parts;
    await claims.pause(this.claim, await due.in(this.#health.pauseMs), this.#health.now);
    this.#released();
  }

  /** Waits until something changes, or until a stored delivery is due. */
  async #waitForWork(): Promise<void> {
    await this.#bell.rungWithin(FRESH_MS);
    if (this.#nextAt !== null && (await this.parts.due.isOver(this.#nextAt))) this.#unread = true;
  }

  /** Keeps the queue for a while if nothing is pending, then releases it; at once if the process stops. */
  async #release(): Promise<void> {
    const { claims } = this.parts;
    if (await this.#hasMoreWithin(LINGER_MS)) return;
    const keptMs = this.#nextAt === null ? this.#keptUntil - performance.now() : 0;
    if (keptMs > 0) {
      await this.#report();
      if (await this.#hasMoreWithin(keptMs)) return;
    }
    if (await claims.release(this.claim, this.#nextAt, this.#health.now)) this.#released();
    else this.#unread = true;
  }

  /** Waits for more work, for this long at most, or until `stop`. Returns whether there is more. */
  async #hasMoreWithin(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    for (let left = ms; left > 0 && !this.#end.signal.aborted; left = until - performance.now()) {
      await this.#bell.rungWithin(left);
      if (this.#unread) return true;
    }
    return false;
  }

  /** Ends the work: the queue is no longer ours. */
  #released(): void {
    this.#isReleased = true;
    this.stop();
  }

  /** Reads the claim, then what is due. */
  async #read(): Promise<void> {
    this.#unread = false;
    this.#touched.clear();
    const due = await this.#due();
    if (due === undefined) return;
    const { rows, nextAt, isAll } = due;
    this.#nextAt = nextAt;
    for (const row of rows) {
      if (this.#touched.has(row.subject)) this.#unread = true;
      else this.#add(row);
    }
    if (!isAll) this.#unread = true;
  }

  async #due(): Promise<Due | undefined> {
    const start = this.#start;
    this.#start = undefined;
    if (start !== undefined) {
      await this.#use(start.target, start.readAt);
      return this.#end.signal.aborted ? undefined : start.due;
    }
    await this.#check();
    if (this.#end.signal.aborted) return undefined;
    // If deliveries are added after this, `release` does nothing.
    this.claim.work = this.#work;
    return this.parts.due.read(this.claim.webhookId, this.#ids);
  }

  #add(row: WebhookDeliveryRow): void {
    const lane = this.#lanes.get(row.subject);
    this.#ids.add(row._id);
    if (lane) return void lane.push(row);
    this.#lanes.set(row.subject, [row]);
    this.#ready.push(row.subject);
  }

  /** Checks that the queue is still ours, and reads where deliveries go. */
  #check(): Promise<void> {
    this.#checking ??= this.#checkOnce().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #checkOnce(): Promise<void> {
    const { claims, targets } = this.parts;
    const { webhookId } = this.claim;
    // Measured before the lease is read, so that the lease lasts longer than assumed.
    const readAt = performance.now();
    const [queue, target] = await Promise.all([claims.read(this.claim), targets.of(webhookId), this.#report()]);
    if (queue === undefined) return this.#released();
    this.#work = queue.work;
    await this.#use(target, readAt);
  }

  async #use(target: DeliveryTarget | ClosedTarget, readAt: number): Promise<void> {
    if ('closed' in target) {
      const { claims, results } = this.parts;
      await results.markAllDead(this.claim.webhookId, target.closed);
      this.#isReleased = await claims.release(this.claim, null, this.#health.now);
      return this.stop();
    }
    this.#target = target;
    this.#freshUntil = readAt + FRESH_MS;
  }

  #startLanes(): void {
    while (this.#active < this.#health.atOnce && !this.#isPausing && !this.#end.signal.aborted) {
      const subject = this.#ready.shift();
      if (subject === undefined) return;
      this.#active += 1;
      this.#lane(subject)
        .catch((error: unknown) => {
          this.#failure ??= error;
          this.stop();
        })
        .finally(() => {
          this.#active -= 1;
          this.#bell.ring();
        });
    }
  }

  /** Sends the deliveries of one subject, one after the other. */
  async #lane(subject: string): Promise<void> {
    const rows = this.#lanes.get(subject) ?? [];
    for (let row = rows[0]; row !== undefined; row = rows[0]) {
      const outcome = await this.#send(row);
      if (outcome === undefined) return;
      const { nextAt } = await this.parts.results.record(row, outcome);
      this.#touched.add(subject);
      this.#health.add(outcome);
      rows.shift();
      this.#ids.delete(row._id);
      if (outcome.gone) return this.#disable('gone');
      if (this.#health.isHopeless) return this.#disable('failing');
      if (nextAt !== undefined) await this.#wait(rows, nextAt);
      this.#isPausing ||= this.#health.pauseMs > 0;
      if (this.#isPausing) return;
      this.#startLanes();
      if (this.#ids.size < LOW) this.#bell.ring();
    }
    this.#lanes.delete(subject);
  }

  /** Postpones the later deliveries of the subject, including those that are read meanwhile. */
  async #wait(rows: WebhookDeliveryRow[], nextAt: Date): Promise<void> {
    if (this.#nextAt === null || nextAt < this.#nextAt) this.#nextAt = nextAt;
    while (rows.length > 0) {
      const ids = rows.splice(0).map(({ _id }) => _id);
      await this.parts.results.postpone(ids, nextAt);
      for (const id of ids) this.#ids.delete(id);
    }
  }

  async #send(row: WebhookDeliveryRow): Promise<AttemptOutcome | undefined> {
    const { healthy, failing } = this.parts.slots;
    const [slots, slotMs] = this.#health.isGood ? [healthy, SLOW_MS] : [failing, undefined];
    return slots.run(
      async () => {
        if (performance.now() > this.#freshUntil && !this.#end.signal.aborted) await this.#check();
        const { signal } = this.#end;
        if (signal.aborted || this.#target === undefined) return undefined;
        return this.parts.attempts.send(this.#target, { id: row._id, body: row.body }, signal);
      },
      { key: this.#target?.partnerId, slotMs },
    );
  }

  async #disable(reason: DisabledReason): Promise<void> {
    await this.parts.targets.disable(this.claim.webhookId, reason);
    this.#freshUntil = 0;
    await this.#check();
  }
}
