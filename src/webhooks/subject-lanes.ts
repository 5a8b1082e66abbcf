// The deliveries of an endpoint that are in memory: those of one subject are sent one after the other, those of different subjects at the same
// time.
import { Limit, LimitRefusal } from '../base/concurrency/limit.js';
import type { WebhookDeliveryRow } from './models.js';

export interface LanesOptions {
  /** Sends the next delivery of a subject. Returns whether the one after it may be sent. */
  deliver(row: WebhookDeliveryRow): Promise<boolean>;
  /** Called when a subject's deliveries have ended. */
  onIdle(): void;
  onError(error: unknown): void;
}

/** One lane for each subject with deliveries. */
export class SubjectLanes {
  /** By subject, in order; the first one is being sent, or waits for its turn. */
  readonly #lanes = new Map<string, WebhookDeliveryRow[]>();
  readonly #ids = new Set<string>();
  readonly #sent = new Set<string>();
  readonly #limit = new Limit({ atOnce: 1 });
  #isClosed = false;

  constructor(private readonly options: LanesOptions) {}

  /** How many deliveries are in memory. */
  get size(): number {
    return this.#ids.size;
  }

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  /** How many are being sent. */
  get running(): number {
    return this.#limit.running;
  }

  /** Whether no further delivery is begun. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How many subjects are sent at the same time. A lower number interrupts nothing. */
  set atOnce(atOnce: number) {
    if (!this.#isClosed) this.#limit.atOnce = atOnce;
  }

  /** Begins no further delivery. */
  close(): void {
    this.#isClosed = true;
    this.#limit.close();
  }

  /** From now on, `isOutdated` reports the subjects whose deliveries change. Call it before rows are read. */
  beginReading(): void {
    this.#sent.clear();
  }

  /** Whether rows of a subject that were read since `beginReading` may have changed. */
  isOutdated(subject: string): boolean {
    return this.#sent.has(subject);
  }

  add(row: WebhookDeliveryRow): void {
    const lane = this.#lanes.get(row.subject);
    this.#ids.add(row._id);
    if (lane !== undefined) return void lane.push(row);
    const rows = [row];
    this.#lanes.set(row.subject, rows);
    this.#limit
      .run(() => this.#run(row.subject, rows))
      .catch((error: unknown) => {
        if (!(error instanceof LimitRefusal)) this.options.onError(error);
      })
      .finally(this.options.onIdle);
  }

  /** Removes the delivery of a subject that was sent. */
  removeSent({ subject, _id }: WebhookDeliveryRow): void {
    this.#sent.add(subject);
    this.#lanes.get(subject)?.shift();
    this.#ids.delete(_id);
  }

  /**
   * Removes the deliveries of a subject. Until `postponed` has ended they still count as in memory, so nothing reads them again. Deliveries
   * added in that time are postponed too.
   */
  async postpone(subject: string, postponed: (ids: string[]) => Promise<void>): Promise<void> {
    const rows = this.#lanes.get(subject) ?? [];
    while (rows.length > 0) {
      const ids = rows.splice(0).map(({ _id }) => _id);
      await postponed(ids);
      for (const id of ids) this.#ids.delete(id);
    }
  }

  async #run(subject: string, rows: WebhookDeliveryRow[]): Promise<void> {
    for (let row = rows[0]; row !== undefined; row = rows[0]) if (!(await this.options.deliver(row))) return;
    this.#lanes.delete(subject);
  }
}
