// The target of an endpoint's deliveries, or why there is none.
import DataLoader from 'dataloader';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { AppendEvents } from '../store/event-port.js';
import type { DeliveryAttempts, DeliveryTarget } from './attempts.js';
import { READ } from './batching.js';
import type { QueueClaim, QueueHealth } from './claims.js';
import type { DisabledReason, WebhookModels, WebhookRow } from './models.js';

/** An endpoint that gets no deliveries, and why. */
export interface ClosedTarget {
  closed: string;
}

/** Finds where the deliveries of endpoints go. */
export class WebhookTargets {
  readonly #targets = new DataLoader<string, DeliveryTarget | ClosedTarget>((ids) => this.ofAll(ids), READ);

  constructor(
    private readonly models: WebhookModels,
    private readonly partners: PartnerDirectory,
    private readonly attempts: DeliveryAttempts,
    private readonly appendEvents: AppendEvents,
  ) {}

  /** The target of a webhook; `closed` says why there is none. */
  of(webhookId: string): Promise<DeliveryTarget | ClosedTarget> {
    return this.#targets.load(webhookId);
  }

  /** The targets of several webhooks, in their order. */
  async ofAll(webhookIds: readonly string[]): Promise<(DeliveryTarget | ClosedTarget)[]> {
    const rows = await this.models.webhooks.find({ _id: { $in: [...webhookIds] } }).lean<WebhookRow[]>();
    const rowOf = new Map(rows.map((row) => [row._id, row]));
    return Promise.all(webhookIds.map((webhookId) => this.#targetOf(rowOf.get(webhookId))));
  }

  async #targetOf(row: WebhookRow | undefined): Promise<DeliveryTarget | ClosedTarget> {
    if (row === undefined) return { closed: 'The webhook was deleted.' };
    if (row.state === 'disabled') return { closed: 'The webhook is disabled.' };
    if ((await this.partners.find(row.partnerId)) === undefined) return { closed: 'The partner was retired.' };
    return this.attempts.targetOf(row);
  }

  /**
   * Stores the health of a claimed endpoint and disables it, with an event for its partner, unless the claim was lost, or the endpoint has
   * accepted a test ping since its last attempt began: another one than was known then. Times of two clocks are not compared.
   */
  async disable(
    { webhookId, holder, token }: QueueClaim,
    health: QueueHealth,
    { disabledReason, pingedAt }: { disabledReason: DisabledReason; pingedAt: Date | undefined },
  ): Promise<void> {
    const { webhooks, webhookQueues } = this.models;
    await webhooks.db.transaction(async (session) => {
      // A write, so that it conflicts with that of an accepted test ping, which forgets the failures and ends the claim.
      const claimed = { _id: webhookId, holder, token, pingedAt: pingedAt ?? null };
      const { matchedCount } = await webhookQueues.updateOne(claimed, { $set: health }, { session });
      if (matchedCount === 0) return;
      const change = { $set: { state: 'disabled' as const, disabledReason } };
      const row = await webhooks
        .findOneAndUpdate({ _id: webhookId, state: 'enabled' }, change, { session })
        .lean<WebhookRow>();
      if (row === null) return;
      const payload = { webhookId, reason: disabledReason };
      await this.appendEvents([{ type: 'webhook_disabled', viewers: { partnerId: row.partnerId }, payload }], session);
    });
  }
}
