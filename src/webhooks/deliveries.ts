// The ledger of deliveries: lists with attempts and responses, redeliveries, and test pings.
import { randomUUID } from 'node:crypto';
import type { PartnerCaller } from '../base/callers/caller.js';
import { Limit } from '../base/concurrency/limit.js';
import { DomainError } from '../base/errors.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import type { RecordWrites } from '../store/audit-port.js';
import { wakeQueues } from './add-deliveries.js';
import type { AttemptOutcome, DeliveryAttempts } from './attempts.js';
import type { DatabaseClock } from './database-clock.js';
import type { DeliveryState, WebhookDeliveryRow, WebhookModels } from './models.js';
import { deliveryIdOf } from './payload.js';
import type { RedeliverWebhook } from './request.js';
import { deliveryView, type WebhookDelivery } from './types.js';
import type { Webhooks } from './webhooks.js';

export interface DeliveriesOptions {
  models: WebhookModels;
  webhooks: Webhooks;
  attempts: DeliveryAttempts;
  databaseClock: DatabaseClock;
  recordWrites: RecordWrites;
  /** How long a delivery is stored, milliseconds. */
  retentionMs: number;
  clock(): number;
}

/** A page of the ledger. */
export interface DeliveryPage {
  webhookId: string;
  state?: DeliveryState | undefined;
  after?: string | undefined;
  limit: number;
}

/** Concurrent test pings of a process, and of one partner in it. */
const PINGS = 32;
const PINGS_OF_PARTNER = 4;
const PING_RETRY_SECONDS = 15;

/** Deliveries of partners. */
export class WebhookDeliveries {
  readonly #pings = new Limit({ atOnce: PINGS });

  constructor(private readonly options: DeliveriesOptions) {}

  /** A webhook's deliveries, newest first. @throws DomainError NOT_FOUND, BAD_USER_INPUT (`after`). */
  async page(
    caller: PartnerCaller,
    { webhookId, state, after, limit }: DeliveryPage,
  ): Promise<PageOf<WebhookDelivery>> {
    await this.options.webhooks.row(caller, webhookId);
    return newestFirst({
      model: this.options.models.webhookDeliveries,
      filter: { webhookId, ...(state === undefined ? {} : { state }) },
      limit,
      after,
      show: (rows: WebhookDeliveryRow[]) => rows.map(deliveryView),
    });
  }

  /**
   * Sends a delivery, or all deliveries of an event, again, with all retries, in no particular order. Pending ones do not change.
   * @throws DomainError NOT_FOUND.
   */
  async redeliver(caller: PartnerCaller, { deliveryId, eventId }: RedeliverWebhook): Promise<WebhookDelivery[]> {
    const { models, webhooks } = this.options;
    const ids = await webhooks.idsOf(caller);
    const deliveryIds = eventId === undefined ? [deliveryId ?? ''] : ids.map((id) => deliveryIdOf(id, eventId));
    const own = { _id: { $in: deliveryIds }, webhookId: { $in: ids } };
    await this.#redeliverAll(caller, await models.webhookDeliveries.find(own).lean<WebhookDeliveryRow[]>());
    const rows = await models.webhookDeliveries.find(own).lean<WebhookDeliveryRow[]>();
    if (rows.length === 0)
      throw new DomainError('NOT_FOUND', 'No delivery has this id. It may have expired.', {
        field: eventId === undefined ? 'deliveryId' : 'eventId',
      });
    return rows.map(deliveryView);
  }

  /**
   * Sends a test ping, once, and records it. If the endpoint accepts it, the webhook's pause ends, waiting deliveries
   * are due now, and a disabled webhook is enabled.
   * @throws DomainError NOT_FOUND, RATE_LIMITED if the partner has too many pings in progress.
   */
  async ping(caller: PartnerCaller, webhookId: string): Promise<WebhookDelivery> {
    const { models, webhooks, attempts, recordWrites, clock } = this.options;
    const webhook = await webhooks.row(caller, webhookId);
    const id = `msg_${randomUUID()}`;
    const now = new Date(clock());
    const data = { id, type: 'ping', at: now.toISOString(), webhookId };
    const body = JSON.stringify({ type: 'ping', timestamp: data.at, data });
    const outcome = await this.#withinLimit(caller, () => attempts.send(attempts.targetOf(webhook), { id, body }));
    if (outcome === undefined) throw new Error('a test ping has no signal that aborts it');
    if (outcome.delivered) await webhooks.recover(webhookId);
    const row = {
      ...pingRow(webhookId, caller.partnerId, now, this.options.retentionMs),
      _id: id,
      body,
      ...settledBy(outcome, now),
    };
    await models.webhookDeliveries.db.transaction(async (session) => {
      await models.webhookDeliveries.create([row], { session });
      const entry = { operation: 'webhook.test', subject: id, outcome: 'created', after: row } as const;
      await recordWrites(caller, [entry], session);
    });
    return deliveryView(row);
  }

  #withinLimit<T>({ partnerId }: PartnerCaller, send: () => Promise<T>): Promise<T> {
    if (this.#pings.countOf(partnerId) < PINGS_OF_PARTNER) return this.#pings.run(send, { key: partnerId });
    const message = `A partner may have ${PINGS_OF_PARTNER} test pings under way at the same time.`;
    throw new DomainError('RATE_LIMITED', message, { retryAfter: PING_RETRY_SECONDS });
  }

  async #redeliverAll(caller: PartnerCaller, rows: readonly WebhookDeliveryRow[]): Promise<void> {
    const { models, databaseClock, recordWrites, retentionMs } = this.options;
    const now = await databaseClock.now();
    for (const before of rows.filter(({ state }) => state !== 'pending')) {
      const { _id, state, webhookId } = before;
      const end = { expireAt: new Date(now + retentionMs), retentionMs };
      const fresh = { state: 'pending' as const, attempts: 0, subject: _id, nextAt: new Date(now), ...end };
      const change = { $set: fresh, $unset: { settledAt: 1, reason: 1 } };
      await models.webhookDeliveries.db.transaction(async (session) => {
        const { modifiedCount } = await models.webhookDeliveries.updateOne({ _id, state }, change, {
          session,
        });
        if (modifiedCount === 0) return;
        await wakeQueues(models, [webhookId], now, session);
        const entry = {
          operation: 'webhook.redeliver',
          subject: _id,
          outcome: 'started',
          before,
          after: fresh,
        } as const;
        await recordWrites(caller, [entry], session);
      });
    }
  }
}

const pingRow = (webhookId: string, partnerId: string, now: Date, retentionMs: number) => ({
  webhookId,
  partnerId,
  seq: 0,
  type: 'ping',
  subject: 'ping',
  nextAt: now,
  attempts: 1,
  createdAt: now,
  expireAt: new Date(now.getTime() + retentionMs),
  retentionMs,
});

const settledBy = ({ attempt, delivered }: AttemptOutcome, settledAt: Date) => ({
  state: delivered ? ('delivered' as const) : ('dead' as const),
  tries: [attempt],
  settledAt,
  ...(delivered ? {} : { reason: 'A test ping is sent once.' }),
});
