// Webhooks and deliveries as their partner sees them: without secrets and log positions.
import type {
  DeliveryAttempt,
  DeliveryState,
  DisabledReason,
  WebhookDeliveryRow,
  WebhookQueueRow,
  WebhookRow,
} from './models.js';

/** The state of an endpoint. */
export interface WebhookHealth {
  /** `untested`: nothing was sent yet; `failing`: the last attempt failed. */
  status: 'untested' | 'healthy' | 'failing' | 'disabled';
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  consecutiveFailures: number;
  /** Pending and dead deliveries; both are counted up to 1,000. */
  pending: number;
  dead: number;
  /** The first of these failures. */
  failingSince: Date | null;
  /** Nothing is sent before, unless a test ping succeeds. */
  pausedUntil: Date | null;
  disabledReason: DisabledReason | null;
}

export interface WebhookView {
  webhookId: string;
  url: string;
  types: readonly string[];
  description: string | null;
  state: 'enabled' | 'disabled';
  createdAt: Date;
  /** Until when the previous secret also signs. */
  previousSecretUntil: Date | null;
  health: WebhookHealth;
}

export interface AttemptView {
  at: Date;
  durationMs: number;
  status: number | null;
  answer: string | null;
  error: string | null;
}

export interface DeliveryView {
  deliveryId: string;
  webhookId: string;
  eventId: string | null;
  type: string;
  state: DeliveryState;
  /** When it is tried next; null: never. */
  nextAttemptAt: Date | null;
  attempts: AttemptView[];
  reason: string | null;
  payload: string;
  createdAt: Date;
  settledAt: Date | null;
}

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
): WebhookView {
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

const attemptView = ({ at, durationMs, status, answer, error }: DeliveryAttempt): AttemptView => ({
  at,
  durationMs,
  status: status ?? null,
  answer: answer ?? null,
  error: error ?? null,
});

/** A delivery for its partner. */
export function deliveryView(row: WebhookDeliveryRow): DeliveryView {
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
