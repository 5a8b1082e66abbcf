// Which deliveries of an endpoint may be sent now: due ones, unless an earlier delivery of the same subject is waiting.
import DataLoader from 'dataloader';
import type { DatabaseClock } from './database-clock.js';
import type { WebhookDeliveryRow, WebhookModels } from './models.js';
import type { DeliveryResults } from './results.js';
import { READ } from './batching.js';

const WINDOW = 200;
/** The most deliveries that are read together for several endpoints. */
const WINDOW_OF_ALL = 1_000;

/** The due deliveries of an endpoint. */
export interface Due {
  /** In order of their events. */
  rows: WebhookDeliveryRow[];
  /** When the next delivery after these is due; null: there is none. */
  nextAt: Date | null;
  /** False if more may be due. */
  isAll: boolean;
}

const NONE: ReadonlySet<string> = new Set();
const bySeq = (a: WebhookDeliveryRow, b: WebhookDeliveryRow): number => a.seq - b.seq;
const dueAt =
  (now: number) =>
  ({ nextAt }: WebhookDeliveryRow): boolean =>
    nextAt.getTime() <= now;

/** Reads what is due. */
export class DueDeliveries {
  readonly #reads = new DataLoader<string, Due>((ids) => this.#readEach(ids), READ);

  constructor(
    private readonly models: WebhookModels,
    private readonly results: DeliveryResults,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** Whether a moment has passed, by the database's clock. */
  async isOver(moment: Date): Promise<boolean> {
    return moment.getTime() <= (await this.databaseClock.now());
  }

  /** The moment so many milliseconds from now, by the database's clock. */
  async in(ms: number): Promise<Date> {
    return new Date((await this.databaseClock.now()) + ms);
  }

  /** The due deliveries, except those that are in memory already. Deliveries that must wait for an earlier one are postponed until that one is due. */
  read(webhookId: string, inMemory: ReadonlySet<string>): Promise<Due> {
    return inMemory.size === 0 ? this.#reads.load(webhookId) : this.#readOne(webhookId, inMemory);
  }

  /** Reads the due deliveries of all endpoints in one command, unless there are too many. */
  async #readEach(webhookIds: readonly string[]): Promise<Due[]> {
    const all = webhookIds.length > 1 ? await this.readAll(webhookIds) : undefined;
    return all ?? Promise.all(webhookIds.map((webhookId) => this.#readOne(webhookId, NONE)));
  }

  async #readOne(webhookId: string, inMemory: ReadonlySet<string>): Promise<Due> {
    const limit = WINDOW + inMemory.size;
    const now = await this.databaseClock.now();
    const pending = await this.#pending({ webhookId }, limit);
    if (pending.length < limit) return this.#dueOf(pending, now, inMemory);
    const isDue = dueAt(now);
    const due = pending.filter((row) => isDue(row) && !inMemory.has(row._id)).sort(bySeq);
    const rows = await this.#unblocked(due, await this.#heldOf(webhookId, due), inMemory);
    const nextAt = pending.find((row) => !isDue(row))?.nextAt ?? null;
    return { rows, nextAt, isAll: nextAt !== null };
  }

  /** The due deliveries of several endpoints, in their order, in one command; undefined if there are too many. */
  async readAll(webhookIds: readonly string[]): Promise<Due[] | undefined> {
    const now = await this.databaseClock.now();
    const pending = await this.#pending({ webhookId: { $in: [...webhookIds] } }, WINDOW_OF_ALL);
    if (pending.length === WINDOW_OF_ALL) return undefined;
    const rowsOf = new Map(webhookIds.map((webhookId) => [webhookId, [] as WebhookDeliveryRow[]]));
    for (const row of pending) rowsOf.get(row.webhookId)?.push(row);
    return Promise.all(webhookIds.map((webhookId) => this.#dueOf(rowsOf.get(webhookId) ?? [], now, NONE)));
  }

  #pending(which: object, limit: number): Promise<WebhookDeliveryRow[]> {
    return this.models.webhookDeliveries
      .find({ ...which, state: 'pending' })
      .sort({ nextAt: 1, seq: 1 })
      .limit(limit)
      .lean<WebhookDeliveryRow[]>();
  }

  /** Picks the due deliveries from all pending ones. */
  async #dueOf(pending: readonly WebhookDeliveryRow[], now: number, inMemory: ReadonlySet<string>): Promise<Due> {
    const isDue = dueAt(now);
    const due = pending.filter((row) => isDue(row) && !inMemory.has(row._id)).sort(bySeq);
    const held = pending.filter((row) => row.held && !isDue(row));
    const rows = await this.#unblocked(due, held, inMemory);
    return { rows, nextAt: pending.find((row) => !isDue(row))?.nextAt ?? null, isAll: true };
  }

  #heldOf(webhookId: string, due: readonly WebhookDeliveryRow[]): Promise<WebhookDeliveryRow[]> {
    const subjects = [...new Set(due.map(({ subject }) => subject))];
    return this.models.webhookDeliveries
      .find({ webhookId, held: true, subject: { $in: subjects } }, { body: 0, tries: 0 })
      .lean<WebhookDeliveryRow[]>();
  }

  async #unblocked(
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
    const isBlocked = ({ subject, seq }: WebhookDeliveryRow) =>
      (first.get(subject)?.seq ?? Number.MAX_SAFE_INTEGER) < seq;
    for (const [subject, { nextAt }] of first) {
      const later = due.filter((row) => row.subject === subject && isBlocked(row));
      await this.results.postpone(
        later.map(({ _id }) => _id),
        nextAt,
      );
    }
    return due.filter((row) => !isBlocked(row));
  }
}
