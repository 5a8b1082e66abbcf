// The records of webhooks and deliveries, made from their rows.
import type { DeliveryAttempt, WebhookDeliveryRow, WebhookQueueRow, WebhookRow } from './models.js';
import type { Webhook, WebhookAttempt, WebhookDelivery, WebhookHealth } from './types.js';

export interface WebhookCounts {
  pending: number;
  dead: number;
}

function statusOf({ state }: WebhookRow, { failures, succeededAt }: Partial<WebhookQueueRow>): WebhookHealth['status'] {
  if (state === 'disabled') return 'disabled';
  if ((failures ?? 0) > 0) return 'failing';
  return succeededAt === undefined ? 'untested' : 'healthy';
}

/** A webhook for its partner. */
export function webhookView(
  row: WebhookRow,
  queue: Partial<WebhookQueueRow>,
  counts: WebhookCounts,
  now: Date,
): Webhook {
  const { _id: webhookId, url, types, description = null, state, createdAt, previousUntil } = row;
  const health = {
    status: statusOf(row, queue),
    lastSuccessAt: queue.succeededAt ?? null,
    lastFailureAt: queue.failedAt ?? null,
    consecutiveFailures: queue.failures ?? 0,
    ...counts,
    failingSince: queue.failingSince ?? null,
    pausedUntil: state === 'enabled' && queue.pausedUntil && queue.pausedUntil > now ? queue.pausedUntil : null,
    // Those of earlier versions have no reason: it was 410.
    disabledReason: state === 'disabled' ? (row.disabledReason ?? 'gone') : null,
  };
  const previousSecretUntil = previousUntil && previousUntil > now ? previousUntil : null;
  return { webhookId, url, types, description, state, createdAt, previousSecretUntil, health };
}

const attemptView = ({ at, durationMs, status, answer, error }: DeliveryAttempt): WebhookAttempt => ({
  at,
  durationMs,
  status: status ?? null,
  answer: answer ?? null,
  error: error ?? null,
});

/** A delivery for its partner. */
export function deliveryView(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    deliveryId: row._id,
    webhookId: row.webhookId,
    eventId: row.eventId ?? null,
    type: row.type,
    state: row.state,
    nextAttemptAt: row.state === 'pending' ? row.nextAt : null,
    attempts: row.tries.map(attemptView),
    reason: row.reason ?? null,
    payload: row.body,
    createdAt: row.createdAt,
    settledAt: row.settledAt ?? null,
  };
}
