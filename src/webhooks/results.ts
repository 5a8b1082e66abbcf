// Writes the outcomes of deliveries, many in one command. An outcome is written only if the delivery's number of attempts has not changed since it
// was read, and it was not sent again since, which moves its expiry: so a gateway that has lost its claim writes nothing.
import DataLoader from 'dataloader';
import { type NativeWrite, native } from '../base/mongodb/native.js';
import { updateByIndex } from '../store/pieces.js';
import type { AttemptOutcome } from './attempts.js';
import type { DatabaseClock } from './database-clock.js';
import type { WebhookDeliveryRow, WebhookModels } from './models.js';
import { delayAfter } from './schedule.js';
import { RESULTS } from './batching.js';

/** Attempts that are stored with a delivery; the oldest are dropped. */
const MAX_TRIES = 30;

type Write = NativeWrite<WebhookDeliveryRow>;

/** What follows from a recorded attempt. */
export interface RecordedResult {
  /** False: the delivery was changed while it was sent, so it may be due again. */
  isStored: boolean;
  /** When it is tried again, by the database's clock; undefined: never. */
  nextAt?: Date;
}

/** Writes results. */
export class DeliveryResults {
  readonly #writes = new DataLoader<Write, boolean>((writes) => this.#writeAll(writes), RESULTS);

  constructor(
    private readonly models: WebhookModels,
    private readonly databaseClock: DatabaseClock,
    private readonly clock: () => number,
  ) {}

  /** Records an attempt; resolves when it is stored. */
  async record(
    delivery: WebhookDeliveryRow,
    { attempt, delivered, gone, retryAfterMs }: AttemptOutcome,
  ): Promise<RecordedResult> {
    const attempts = delivery.attempts + 1;
    const $push = { tries: { $each: [attempt], $slice: -MAX_TRIES } };
    const settledAt = new Date(this.clock());
    const end = { $push, $unset: { held: 1 } };
    if (delivered) {
      return { isStored: await this.#write(delivery, { ...end, $set: { state: 'delivered', attempts, settledAt } }) };
    }
    const delayMs = gone ? undefined : delayAfter(attempts, retryAfterMs);
    const nextAt = delayMs === undefined ? undefined : new Date((await this.databaseClock.now()) + delayMs);
    if (nextAt === undefined || nextAt >= delivery.expireAt) {
      const reason = gone ? 'The receiver responded with 410.' : 'The last attempt failed.';
      return {
        isStored: await this.#write(delivery, { ...end, $set: { state: 'dead', attempts, settledAt, reason } }),
      };
    }
    return { isStored: await this.#write(delivery, { $push, $set: { attempts, nextAt, held: true } }), nextAt };
  }

  /** Postpones later deliveries of a subject until an earlier one is due. */
  async postpone(ids: readonly string[], nextAt: Date): Promise<void> {
    if (ids.length === 0) return;
    const change = { $set: { nextAt, held: true as const } };
    await this.models.webhookDeliveries.updateMany({ _id: { $in: [...ids] }, state: 'pending' }, change);
  }

  /**
   * Marks all pending deliveries of an endpoint as dead while it is closed. It is read after the deliveries are found, so those that are added
   * once a partner has enabled it again are not touched.
   */
  async markAllDead(webhookId: string, reason: string, isClosed: () => Promise<boolean>): Promise<void> {
    const change = { $set: { state: 'dead' as const, reason, settledAt: new Date(this.clock()) }, $unset: { held: 1 } };
    await updateByIndex(this.models.webhookDeliveries, { webhookId, state: 'pending' }, change, { isStill: isClosed });
  }

  #write({ _id, attempts, expireAt }: WebhookDeliveryRow, update: object): Promise<boolean> {
    return this.#writes.load({ updateOne: { filter: { _id, state: 'pending', attempts, expireAt }, update } });
  }

  /** If one of them is not stored, none counts as stored: the command does not say which. */
  async #writeAll(writes: readonly Write[]): Promise<boolean[]> {
    const { matchedCount } = await native(this.models.webhookDeliveries).bulkWrite(writes, { ordered: false });
    return writes.map(() => matchedCount === writes.length);
  }
}
