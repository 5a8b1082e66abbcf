// Webhooks and deliveries as the partner sees them, without secrets and sequence numbers, and the functions that build them from rows.
import { z } from 'zod';
import { choice, count, id, milliseconds, record, time, uuid } from '../base/record.js';
import type { DeliveryAttempt, WebhookDeliveryRow, WebhookQueueRow, WebhookRow } from './models.js';

const webhookState = choice('WebhookState', 'Whether an endpoint is called.', {
  enabled: 'It is called.',
  disabled: 'It responded with 410, or failed for three days. A successful test ping enables it again.',
});

const webhookStatus = choice('WebhookStatus', 'The health of an endpoint.', {
  untested: 'Nothing has been sent to it yet.',
  healthy: 'The last attempt succeeded.',
  failing: 'The last attempt failed.',
  disabled: 'It is not called: see `disabledReason`.',
});

const disabledReason = choice('WebhookDisabledReason', 'Why an endpoint is disabled.', {
  gone: 'It responded with 410.',
  failing: 'Every attempt of three days failed.',
});

export const deliveryState = choice('WebhookDeliveryState', 'The state of a delivery.', {
  pending: 'It waits for its first or next attempt.',
  delivered: 'The receiver responded with 2xx.',
  dead: 'It is not tried again.',
});

const webhookHealth = record('WebhookHealth', 'The health of an endpoint.', {
  status: webhookStatus.describe('The health in one word.'),
  lastSuccessAt: time.nullable().describe('When it last responded with 2xx.'),
  lastFailureAt: time.nullable().describe('When an attempt last failed.'),
  consecutiveFailures: count.describe('Failed attempts since the last success.'),
  pending: count.describe('Pending deliveries, counted up to 1,000.'),
  dead: count.describe('Dead deliveries, counted up to 1,000.'),
  failingSince: time.nullable().describe('The first of the failures in a row.'),
  pausedUntil: time.nullable().describe('Nothing is sent before, unless a test ping succeeds; null: it is not paused.'),
  disabledReason: disabledReason.nullable().describe('Why it is disabled; null: it is not.'),
});

export const webhook = record('Webhook', "An endpoint that receives a partner's events.", {
  webhookId: uuid.describe('Its id.'),
  url: z.string().describe('Where deliveries go.'),
  types: z.array(z.string()).describe('Which types of events are delivered.'),
  description: z.string().nullable().describe("The partner's own note."),
  state: webhookState.describe('Whether it is called.'),
  pausedAt: time.nullable().describe('Since when the operator has paused it: its deliveries wait; null: it is not.'),
  createdAt: time.describe('When it was registered.'),
  previousSecretUntil: time
    .nullable()
    .describe('Until when the secret from before the last rotation also signs; null: only one secret signs.'),
  health: webhookHealth.describe('Its health.'),
}).meta({ id: 'Webhook' });
export type Webhook = z.output<typeof webhook>;

const secret = z.string().describe('The signing secret. It is shown only in this response.');
/** The result in GraphQL. */
export const webhookSecretPayload = record('WebhookSecretPayload', 'A webhook and its new secret.', {
  webhook: webhook.describe('The webhook.'),
  secret,
});
/** The result in REST. */
export const webhookWithSecret = webhook.extend({ secret }).meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

const webhookAttempt = record('WebhookAttempt', 'An attempt of a delivery.', {
  at: time.describe('When it began.'),
  durationMs: milliseconds.describe('How long it took, in milliseconds.'),
  status: count.nullable().describe('HTTP status of the response; null: there was none.'),
  answer: z.string().nullable().describe('The beginning of the response.'),
  error: z.string().nullable().describe('Why there was no response.'),
});

export const webhookDelivery = record('WebhookDelivery', 'The delivery of an event to an endpoint.', {
  deliveryId: id.describe('Its id, which is sent as webhook-id.'),
  webhookId: uuid.describe('The webhook.'),
  eventId: id.nullable().describe('The event; null: a test ping.'),
  type: z.string().describe('Type of the event, or ping.'),
  state: deliveryState.describe('Its state.'),
  nextAttemptAt: time.nullable().describe('When the next attempt is due; null: there is none.'),
  attempts: z.array(webhookAttempt).describe('Its attempts, oldest first.'),
  reason: z.string().nullable().describe('Why it is dead.'),
  payload: z.string().describe('The signed body.'),
  createdAt: time.describe('When it was added.'),
  settledAt: time.nullable().describe('When it was delivered or became dead.'),
}).meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof webhookDelivery>;

export const deleteWebhookPayload = record('DeleteWebhookPayload', 'Response of deleteWebhook.', {
  webhookId: uuid.describe('The deleted webhook.'),
});

export const testWebhookPayload = record('TestWebhookPayload', 'Response of testWebhook.', {
  delivery: webhookDelivery.describe('The ping.'),
});

export const redeliverWebhookPayload = record('RedeliverWebhookPayload', 'Response of redeliverWebhook.', {
  deliveries: z.array(webhookDelivery).describe('The deliveries, which are now pending.'),
});

export const partnerWebhook = record('PartnerWebhook', 'An endpoint of a partner, as operators see it.', {
  webhookId: webhook.shape.webhookId,
  partnerId: uuid.describe('The partner.'),
  origin: z.string().describe('Where deliveries go: the origin of the address, whose rest may be a secret.'),
  types: webhook.shape.types,
  state: webhook.shape.state,
  pausedAt: webhook.shape.pausedAt,
  createdAt: webhook.shape.createdAt,
  health: webhook.shape.health,
}).meta({ id: 'PartnerWebhook' });
export type PartnerWebhook = z.output<typeof partnerWebhook>;

export const partnerWebhookDelivery = record(
  'PartnerWebhookDelivery',
  'A delivery as operators see it: without its payload.',
  {
    deliveryId: webhookDelivery.shape.deliveryId,
    eventId: webhookDelivery.shape.eventId,
    type: webhookDelivery.shape.type,
    state: webhookDelivery.shape.state,
    nextAttemptAt: webhookDelivery.shape.nextAttemptAt,
    attempts: webhookDelivery.shape.attempts,
    reason: webhookDelivery.shape.reason,
    createdAt: webhookDelivery.shape.createdAt,
    settledAt: webhookDelivery.shape.settledAt,
  },
).meta({ id: 'PartnerWebhookDelivery' });
export type PartnerWebhookDelivery = z.output<typeof partnerWebhookDelivery>;

export const partnerWebhookPayload = record('PartnerWebhookPayload', 'The webhook that was changed.', {
  webhook: partnerWebhook.describe('The webhook.'),
});

export interface WebhookCounts {
  pending: number;
  dead: number;
}

function statusOf(
  { state }: WebhookRow,
  { failures, succeededAt }: Partial<WebhookQueueRow>,
): Webhook['health']['status'] {
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
  const { _id: webhookId, url, types, description = null, state, pausedAt = null, createdAt, previousUntil } = row;
  const health = {
    status: statusOf(row, queue),
    lastSuccessAt: queue.succeededAt ?? null,
    lastFailureAt: queue.failedAt ?? null,
    consecutiveFailures: queue.failures ?? 0,
    ...counts,
    failingSince: queue.failingSince ?? null,
    pausedUntil: pausedUntilOf(row, queue, now),
    // Rows of earlier versions have no reason: only 410 disabled an endpoint.
    disabledReason: state === 'disabled' ? (row.disabledReason ?? 'gone') : null,
  };
  const previousSecretUntil = previousUntil && previousUntil > now ? previousUntil : null;
  return { webhookId, url, types, description, state, pausedAt, createdAt, previousSecretUntil, health };
}

/** A pause by an operator has no end that is known. */
function pausedUntilOf(
  { state, pausedAt }: WebhookRow,
  { pausedUntil }: Partial<WebhookQueueRow>,
  now: Date,
): Date | null {
  const isPaused = state === 'enabled' && pausedAt === undefined && pausedUntil && pausedUntil > now;
  return isPaused ? pausedUntil : null;
}

const attemptView = ({ at, durationMs, status, answer, error }: DeliveryAttempt): z.output<typeof webhookAttempt> => ({
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

/** A webhook for operators. */
export function partnerWebhookView({ partnerId }: WebhookRow, webhook: Webhook): PartnerWebhook {
  const { webhookId, url, types, state, pausedAt, createdAt, health } = webhook;
  return { webhookId, partnerId, origin: new URL(url).origin, types, state, pausedAt, createdAt, health };
}

/** A delivery for operators. */
export function partnerDeliveryView(row: WebhookDeliveryRow): PartnerWebhookDelivery {
  const { webhookId: _same, payload: _private, ...delivery } = deliveryView(row);
  return delivery;
}
