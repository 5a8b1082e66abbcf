// Partners' webhooks for operators: the list with health, the last attempts with their responses, pause and resume. Operators see where a call
// goes by its origin, and no payload: the rest of an address may be a secret, and a payload is its partner's.
import type { OperatorCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import type { PageInput } from '../http/routes/operation.js';
import type { NewAuditEntry, RecordWrites } from '../store/audit-port.js';
import type { DatabaseClock } from './database-clock.js';
import { type DeliveryState, FOREVER, type WebhookDeliveryRow, type WebhookModels, type WebhookRow } from './models.js';
import type { PartnerWebhooksFilter } from './request.js';
import {
  type PartnerWebhook,
  type PartnerWebhookDelivery,
  partnerDeliveryView,
  partnerWebhookView,
  type Webhook,
} from './types.js';

export interface PartnerWebhooksOptions {
  models: WebhookModels;
  /** Shows a row with its health. */
  withHealth(row: WebhookRow): Promise<Webhook>;
  databaseClock: DatabaseClock;
  recordWrites: RecordWrites;
  clock(): number;
}

/** Failing endpoints that a list is filtered by, at most. */
const MOST_FAILING = 1_000;

/** What operators do with partners' webhooks. */
export class PartnerWebhooks {
  constructor(private readonly options: PartnerWebhooksOptions) {}

  /** Webhooks of all partners, or of one, newest first. @throws DomainError BAD_USER_INPUT (`after`). */
  async page({ partnerId, status, limit, after }: PartnerWebhooksFilter & PageInput): Promise<PageOf<PartnerWebhook>> {
    const { models } = this.options;
    const filter = { ...(partnerId === undefined ? {} : { partnerId }), ...(await this.#filterOf(status)) };
    const show = (rows: WebhookRow[]) => Promise.all(rows.map((row) => this.#view(row)));
    return newestFirst({ model: models.webhooks, filter, limit, after, show });
  }

  async #filterOf(status: PartnerWebhooksFilter['status']): Promise<object> {
    if (status === 'disabled') return { state: 'disabled' };
    if (status === 'paused') return { pausedAt: { $exists: true } };
    if (status === undefined) return {};
    const failing = this.options.models.webhookQueues.find({ failures: { $gt: 0 } }, { _id: 1 }).limit(MOST_FAILING);
    return { state: 'enabled', _id: { $in: (await failing.lean()).map(({ _id }) => _id) } };
  }

  /** @throws DomainError NOT_FOUND. */
  async get(webhookId: string): Promise<PartnerWebhook> {
    return this.#view(await this.#row(webhookId));
  }

  /** Deliveries of a webhook with their attempts and responses, newest first. @throws DomainError NOT_FOUND, BAD_USER_INPUT (`after`). */
  async deliveries({
    webhookId,
    state,
    limit,
    after,
  }: PageInput & { webhookId: string; state?: DeliveryState | undefined }): Promise<PageOf<PartnerWebhookDelivery>> {
    await this.#row(webhookId);
    return newestFirst({
      model: this.options.models.webhookDeliveries,
      filter: { webhookId, ...(state === undefined ? {} : { state }) },
      projection: { body: 0 },
      limit,
      after,
      show: (rows: WebhookDeliveryRow[]) => rows.map(partnerDeliveryView),
    });
  }

  /** Pauses a webhook until it is resumed: its deliveries wait, as long as deliveries are stored. @throws DomainError NOT_FOUND. */
  pause(caller: OperatorCaller, webhookId: string): Promise<PartnerWebhook> {
    const pausedAt = new Date(this.options.clock());
    // A new token ends the claim of the gateway that calls it now.
    const queue = { $set: { holder: '', dueAt: null, pausedUntil: FOREVER }, $inc: { token: 1 } };
    const from = { _id: webhookId, pausedAt: { $exists: false } };
    return this.#change(caller, 'webhook.pause', from, { $set: { pausedAt } }, queue);
  }

  /** Ends a pause: what waits is due now. @throws DomainError NOT_FOUND. */
  async resume(caller: OperatorCaller, webhookId: string): Promise<PartnerWebhook> {
    const dueAt = new Date(await this.options.databaseClock.now());
    const queue = { $set: { dueAt, pausedUntil: null }, $inc: { work: 1 } };
    const from = { _id: webhookId, pausedAt: { $exists: true } };
    return this.#change(caller, 'webhook.resume', from, { $unset: { pausedAt: 1 } }, queue);
  }

  async #change(
    caller: OperatorCaller,
    operation: 'webhook.pause' | 'webhook.resume',
    from: { _id: string },
    change: object,
    queue: object,
  ): Promise<PartnerWebhook> {
    const { models, recordWrites } = this.options;
    await models.webhooks.db.transaction(async (session) => {
      const options = { session, returnDocument: 'after' } as const;
      const after = await models.webhooks.findOneAndUpdate(from, change, options).lean<WebhookRow>();
      if (after === null) return;
      await models.webhookQueues.updateOne({ _id: from._id }, queue, { session });
      const shown = { ...after, origin: new URL(after.url).origin };
      const entry: NewAuditEntry = { operation, subject: from._id, outcome: 'updated', after: shown };
      await recordWrites(caller, [entry], session);
    });
    return this.get(from._id);
  }

  async #view(row: WebhookRow): Promise<PartnerWebhook> {
    return partnerWebhookView(row, await this.options.withHealth(row));
  }

  async #row(webhookId: string): Promise<WebhookRow> {
    const row = await this.options.models.webhooks.findById(webhookId).lean<WebhookRow>();
    if (row === null) throw new DomainError('NOT_FOUND', 'No webhook has this id.', { field: 'webhookId' });
    return row;
  }
}
