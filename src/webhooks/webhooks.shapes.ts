// Shapes of webhooks and their deliveries.
import {
  about,
  COUNT,
  cursorPage,
  listOf,
  named,
  NUMBER,
  object,
  oneOf,
  orNull,
  TEXT,
  TIME,
  UUID,
} from '../http/shapes.js';

const MEMBERS = {
  webhookId: UUID,
  url: TEXT,
  types: listOf(TEXT),
  description: orNull(TEXT),
  state: oneOf('enabled', 'disabled'),
  createdAt: TIME,
  previousSecretUntil: about('Until when the secret from before the last rotation also signs.', orNull(TIME)),
  health: object({
    status: oneOf('untested', 'healthy', 'failing', 'disabled'),
    lastSuccessAt: orNull(TIME),
    lastFailureAt: orNull(TIME),
    consecutiveFailures: COUNT,
    pending: COUNT,
    dead: COUNT,
    failingSince: about('The first of the failures in a row.', orNull(TIME)),
    pausedUntil: about('Nothing is sent before, unless a test ping succeeds.', orNull(TIME)),
    disabledReason: orNull(oneOf('gone', 'failing')),
  }),
};

export const WEBHOOK = named('Webhook', object(MEMBERS));
export const WEBHOOK_WITH_SECRET = named(
  'WebhookWithSecret',
  object({ ...MEMBERS, secret: about('Shown once.', TEXT) }),
);
export const WEBHOOKS = object({ items: listOf(WEBHOOK) });

const ATTEMPT = object({
  at: TIME,
  durationMs: NUMBER,
  status: orNull(COUNT),
  answer: orNull(TEXT),
  error: orNull(TEXT),
});

export const DELIVERY = named(
  'WebhookDelivery',
  object({
    deliveryId: TEXT,
    webhookId: UUID,
    eventId: orNull(TEXT),
    type: TEXT,
    state: oneOf('pending', 'delivered', 'dead'),
    nextAttemptAt: orNull(TIME),
    attempts: listOf(ATTEMPT),
    reason: orNull(TEXT),
    payload: about('What is sent, as text.', TEXT),
    createdAt: TIME,
    settledAt: orNull(TIME),
  }),
);
export const DELIVERY_PAGE = cursorPage(DELIVERY);
export const DELIVERIES = object({ items: listOf(DELIVERY) });
