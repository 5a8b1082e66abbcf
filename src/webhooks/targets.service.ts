// Where the deliveries of an endpoint go, or why they go nowhere.
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { DeliveryAttempts, Target } from './attempts.service.js';
import type { WebhookModels, WebhookRow } from './models.js';

/** Endpoints, ready to be sent to. */
export class WebhookTargets {
  constructor(
    private readonly models: WebhookModels,
    private readonly partners: PartnerDirectory,
    private readonly attempts: DeliveryAttempts,
  ) {}

  /** The target; `closed` says why there is none. */
  async of(webhookId: string): Promise<Target | { closed: string }> {
    const row = await this.models.webhooks.findById(webhookId).lean<WebhookRow>();
    if (row === null) return { closed: 'The webhook was deleted.' };
    if (row.state === 'disabled') return { closed: 'The webhook is disabled.' };
    if ((await this.partners.find(row.partnerId)) === undefined) return { closed: 'The partner was retired.' };
    return this.attempts.targetOf(row);
  }

  /** The receiver answered 410. */
  async disable(webhookId: string): Promise<void> {
    await this.models.webhooks.updateOne({ _id: webhookId }, { $set: { state: 'disabled' } });
  }
}
