// Where the deliveries of an endpoint go, or why they go nowhere.
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { DeliveryAttempts, DeliveryTarget } from './attempts.service.js';
import type { WebhookModels, WebhookRow } from './models.js';

/** An endpoint that gets no deliveries, and why. */
export interface ClosedTarget {
  closed: string;
}

/** Finds where the deliveries of endpoints go. */
export class WebhookTargets {
  constructor(
    private readonly models: WebhookModels,
    private readonly partners: PartnerDirectory,
    private readonly attempts: DeliveryAttempts,
  ) {}

  /** Targets by webhook; `closed` says why there is none. */
  async ofAll(webhookIds: readonly string[]): Promise<Map<string, DeliveryTarget | ClosedTarget>> {
    const rows = await this.models.webhooks.find({ _id: { $in: [...webhookIds] } }).lean<WebhookRow[]>();
    const targets = new Map<string, DeliveryTarget | ClosedTarget>();
    for (const webhookId of webhookIds) targets.set(webhookId, { closed: 'The webhook was deleted.' });
    for (const row of rows) targets.set(row._id, await this.#of(row));
    return targets;
  }

  async #of(row: WebhookRow): Promise<DeliveryTarget | ClosedTarget> {
    if (row.state === 'disabled') return { closed: 'The webhook is disabled.' };
    if ((await this.partners.find(row.partnerId)) === undefined) return { closed: 'The partner was retired.' };
    return this.attempts.targetOf(row);
  }

  /** Disables an endpoint whose receiver responded with 410. */
  async disable(webhookId: string): Promise<void> {
    await this.models.webhooks.updateOne({ _id: webhookId }, { $set: { state: 'disabled' } });
  }
}
