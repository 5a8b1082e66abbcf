// Which deliveries of an endpoint may be sent now: those that are due, but none whose subject has an earlier delivery that waits.
import type { DatabaseClock } from './database-clock.js';
import type { WebhookDeliveryRow, WebhookModels } from './models.js';
import type { DeliveryResults } from './results.service.js';

const WINDOW = 200;

/** What is due. */
export interface Due {
  /** In order of their events. */
  rows: WebhookDeliveryRow[];
  /** When the next delivery that is not due will be; null: none waits. */
  nextAt: Date | null;
  /** False if more may be due. */
  isAll: boolean;
}

/** Reads what is due. */
export class DueDeliveries {
  constructor(
    private readonly models: WebhookModels,
    private readonly results: DeliveryResults,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** Whether a moment of the database's clock is over. */
  async isOver(moment: Date): Promise<boolean> {
    return moment.getTime() <= (await this.databaseClock.now());
  }

  /** The due deliveries but those that are in memory already. Those that must wait for an earlier one are put off until it is due. */
  async read(webhookId: string, inMemory: ReadonlySet<string>): Promise<Due> {
    const limit = WINDOW + inMemory.size;
    const now = await this.databaseClock.now();
    const pending = await this.models.webhookDeliveries
      .find({ webhookId, state: 'pending' })
      .sort({ nextAt: 1, seq: 1 })
      .limit(limit)
      .lean<WebhookDeliveryRow[]>();
    const isDue = ({ nextAt }: WebhookDeliveryRow) => nextAt.getTime() <= now;
    const due = pending.filter((row) => isDue(row) && !inMemory.has(row._id)).sort((a, b) => a.seq - b.seq);
    const isWhole = pending.length < limit;
    const held = isWhole ? pending.filter((row) => row.held && !isDue(row)) : await this.#heldOf(webhookId, due);
    const rows = await this.#without(due, held, inMemory);
    const nextAt = pending.find((row) => !isDue(row))?.nextAt ?? null;
    return { rows, nextAt, isAll: isWhole || !isDue(pending.at(-1) as WebhookDeliveryRow) };
  }

  #heldOf(webhookId: string, due: readonly WebhookDeliveryRow[]): Promise<WebhookDeliveryRow[]> {
    const subjects = [...new Set(due.map(({ subject }) => subject))];
    return this.models.webhookDeliveries
      .find({ webhookId, held: true, subject: { $in: subjects } }, { body: 0, tries: 0 })
      .lean<WebhookDeliveryRow[]>();
  }

  async #without(
    due: readonly WebhookDeliveryRow[],
    held: readonly WebhookDeliveryRow[],
    inMemory: ReadonlySet<string>,
  ): Promise<WebhookDeliveryRow[]> {
    const dueIds = new Set(due.map(({ _id }) => _id));
    const first = new Map<string, WebhookDeliveryRow>();
    for (const row of held) {
      if (dueIds.has(row._id) || inMemory.has(row._id)) continue;
      const earlier = first.get(row.subject);
      if (earlier === undefined || row.seq < earlier.seq) first.set(row.subject, row);
    }
    const waits = ({ subject, seq }: WebhookDeliveryRow) => (first.get(subject)?.seq ?? Number.MAX_SAFE_INTEGER) < seq;
    for (const [subject, { nextAt }] of first) {
      const later = due.filter((row) => row.subject === subject && waits(row));
      await this.results.postpone(
        later.map(({ _id }) => _id),
        nextAt,
      );
    }
    return due.filter((row) => !waits(row));
  }
}
