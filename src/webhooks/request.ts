// Checked input of webhooks.
import { z } from 'zod';
import { choice, id, input, uuid } from '../base/record.js';
import { deliveryState } from './types.js';

const MAX_URL = 2_000;
const MAX_TYPES = 50;
const MAX_DESCRIPTION = 500;

export const registerWebhookInput = input('RegisterWebhookInput', 'An endpoint to register.', {
  url: z.string().min(1).max(MAX_URL).describe('An https address, at most 2,000 characters.'),
  types: z.array(z.string().max(100)).min(1).max(MAX_TYPES).describe('Event types, as in GET /v1/events.'),
  description: z.string().max(MAX_DESCRIPTION).optional().describe('A note of at most 500 characters.'),
  allowDuplicate: z
    .boolean()
    .optional()
    .describe('Whether another webhook may send some of the types to this address already; default false.'),
});
export type RegisterWebhook = z.output<typeof registerWebhookInput>;

export const webhookInput = input('WebhookInput', 'Which webhook.', { webhookId: uuid.describe('Its id.') });

const deliveryId = id.min(1).max(100);
export const deliveryParams = z.object({ id: deliveryId });

export const deliveriesInput = z.strictObject({
  webhookId: uuid.describe('Id of the webhook.'),
  state: deliveryState.optional().describe('Only in this state; DEAD lists the dead letters.'),
});

const partnerWebhookFilter = choice('PartnerWebhookFilter', 'Which webhooks are listed.', {
  failing: 'The last call has failed.',
  paused: 'The operator has paused it.',
  disabled: 'It responded with 410, or failed for three days.',
});

export const partnerWebhooksInput = z.strictObject({
  partnerId: uuid.optional().describe('Only those of this partner.'),
  status: partnerWebhookFilter.optional().describe('Only those in this state.'),
});
export type PartnerWebhooksFilter = z.output<typeof partnerWebhooksInput>;

export const redeliverWebhookInput = input('RedeliverWebhookInput', 'What to send again: either field.', {
  deliveryId: deliveryId.optional().describe('One delivery.'),
  eventId: id.min(1).max(100).optional().describe('All deliveries of an event.'),
}).refine((body) => (body.deliveryId === undefined) !== (body.eventId === undefined), 'needs deliveryId or eventId');
export type RedeliverWebhook = z.output<typeof redeliverWebhookInput>;

/** Ids of events have 22 characters, those of deliveries more. */
export const isEventId = (id: string): boolean => /^[\w-]{22}$/.test(id);
