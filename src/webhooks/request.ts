// Checked input of webhooks.
import { z } from 'zod';
import { wholeNumber } from '../base/input.js';

const MAX_URL = 2_000;
const MAX_TYPES = 50;
const MAX_DESCRIPTION = 500;
const MAX_PAGE = 100;
const DEFAULT_PAGE = 25;

export const webhookBody = z.strictObject({
  url: z.string().min(1).max(MAX_URL),
  types: z.array(z.string().max(100)).min(1).max(MAX_TYPES),
  description: z.string().max(MAX_DESCRIPTION).optional(),
  allowDuplicate: z.boolean().optional(),
});
export type WebhookBody = z.output<typeof webhookBody>;

export const webhookParams = z.object({ id: z.guid('must be a UUID') });
export type WebhookParams = z.output<typeof webhookParams>;

const deliveryId = z.string().min(1).max(100);
export const deliveryParams = z.object({ id: deliveryId });
export type DeliveryParams = z.output<typeof deliveryParams>;

const state = z.enum(['pending', 'delivered', 'dead']).optional();
export const deliveriesQuery = z.strictObject({
  state,
  after: z.string().min(1).max(200).optional(),
  limit: wholeNumber(1, MAX_PAGE).default(DEFAULT_PAGE),
});
export type DeliveriesQuery = z.output<typeof deliveriesQuery>;

export const deliveriesArgs = z.strictObject({
  webhookId: z.guid('must be a UUID'),
  state,
  after: z.string().min(1).max(200).optional(),
  first: z.int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
});

export const redeliverBody = z
  .strictObject({ deliveryId: deliveryId.optional(), eventId: z.string().min(1).max(100).optional() })
  .refine((body) => (body.deliveryId === undefined) !== (body.eventId === undefined), 'needs deliveryId or eventId');
export type RedeliverBody = z.output<typeof redeliverBody>;

/** Ids of events have 22 characters, those of deliveries more. */
export const isEventId = (id: string): boolean => /^[\w-]{22}$/.test(id);
