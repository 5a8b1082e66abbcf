// /v1/webhooks: a partner's endpoints, and the ledger of their deliveries.
import { requirePartner } from '../base/callers/rights.js';
import { type AnyRoute, route } from '../http/route.js';
import { cursorPage, itemsOf } from '../http/shapes.js';
import type { WebhookDeliveries } from './deliveries.js';
import {
  type DeliveriesQuery,
  type DeliveryParams,
  deliveriesQuery,
  deliveryParams,
  isEventId,
  type RegisterWebhook,
  registerWebhookInput,
  type WebhookParams,
  webhookParams,
} from './request.js';
import { webhook, webhookDelivery, webhookWithSecret } from './types.js';
import type { Webhooks } from './webhooks.js';

export interface WebhookRouteServices {
  webhooks: Webhooks;
  webhookDeliveries: WebhookDeliveries;
}

const UNKNOWN = 'The partner has no such webhook.';
/** A ping may keep a connection open for 15 s. */
const PING_POINTS = 200;
const PING_PATIENCE_S = 20;

/** All routes of webhooks. */
export function webhookRoutes(services: WebhookRouteServices): AnyRoute[] {
  return [...endpointRoutes(services), ...secretRoutes(services), ...deliveryRoutes(services), ...endRoutes(services)];
}

function endpointRoutes({ webhooks }: WebhookRouteServices): AnyRoute[] {
  return [
    route<unknown, unknown, RegisterWebhook>({
      method: 'POST',
      path: '/v1/webhooks',
      summary: 'Register an endpoint, which receives events from now on; its secret is shown once',
      auth: 'partner',
      operation: 'webhooks',
      body: registerWebhookInput,
      answers: { 201: webhookWithSecret },
      fails: {
        404: 'Events of the catalog were requested, and the catalog is closed.',
        409: 'The partner has the largest number of webhooks, or sends one of the types to this address already.',
      },
      handle: async ({ caller, body }) => ({
        status: 201,
        body: await webhooks.register(requirePartner(caller), body),
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks',
      summary: "The partner's own webhooks, with their health",
      auth: 'partner',
      operation: 'webhooks',
      answers: { 200: itemsOf(webhook) },
      handle: async ({ caller }) => ({ body: { items: await webhooks.list(requirePartner(caller)) } }),
    }),
    route<WebhookParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/webhooks/:id',
      summary: "One of the partner's own webhooks, with its health",
      auth: 'partner',
      operation: 'webhooks',
      params: webhookParams,
      answers: { 200: webhook },
      fails: { 404: UNKNOWN },
      handle: async ({ caller, params }) => ({ body: await webhooks.get(requirePartner(caller), params.id) }),
    }),
  ];
}

function secretRoutes({ webhooks, webhookDeliveries }: WebhookRouteServices): AnyRoute[] {
  return [
    route<WebhookParams, unknown, unknown>({
      method: 'POST',
      path: '/v1/webhooks/:id/rotate',
      summary: 'Create a new secret; for 24 hours, the previous one also signs',
      auth: 'partner',
      operation: 'webhooks',
      params: webhookParams,
      answers: { 200: webhookWithSecret },
      fails: { 404: UNKNOWN, 409: 'The webhook was changed by another request at the same time.' },
      handle: async ({ caller, params }) => ({ body: await webhooks.rotate(requirePartner(caller), params.id) }),
    }),
    route<WebhookParams, unknown, unknown>({
      method: 'POST',
      path: '/v1/webhooks/:id/test',
      summary: 'Send a test ping now; returns its delivery',
      auth: 'partner',
      operation: 'webhooks',
      params: webhookParams,
      answers: { 200: webhookDelivery },
      fails: { 404: UNKNOWN },
      points: PING_POINTS,
      patience: PING_PATIENCE_S,
      handle: async ({ caller, params }) => ({ body: await webhookDeliveries.ping(requirePartner(caller), params.id) }),
    }),
  ];
}

function deliveryRoutes({ webhookDeliveries }: WebhookRouteServices): AnyRoute[] {
  return [
    route<WebhookParams, DeliveriesQuery, unknown>({
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries',
      summary: 'Deliveries of a webhook with their attempts, newest first; `state=dead` lists the dead letters',
      auth: 'partner',
      operation: 'webhooks',
      params: webhookParams,
      query: deliveriesQuery,
      answers: { 200: cursorPage(webhookDelivery) },
      fails: { 404: UNKNOWN },
      async handle({ caller, params, query }) {
        const page = await webhookDeliveries.page(requirePartner(caller), { webhookId: params.id, ...query });
        const { hasNextPage: hasMore, endCursor } = page.pageInfo;
        return { body: { items: page.nodes, hasMore, ...(hasMore ? { nextCursor: endCursor } : {}) } };
      },
    }),
    route<DeliveryParams, unknown, unknown>({
      method: 'POST',
      path: '/v1/webhooks/deliveries/:id/redeliver',
      summary: 'Send a delivery again, or all deliveries of an event by its id',
      auth: 'partner',
      operation: 'webhooks',
      params: deliveryParams,
      answers: { 202: itemsOf(webhookDelivery) },
      fails: { 404: 'The partner has no such delivery.' },
      async handle({ caller, params: { id } }) {
        const which = isEventId(id) ? { eventId: id } : { deliveryId: id };
        return { status: 202, body: { items: await webhookDeliveries.redeliver(requirePartner(caller), which) } };
      },
    }),
  ];
}

function endRoutes({ webhooks }: WebhookRouteServices): AnyRoute[] {
  return [
    route<WebhookParams, unknown, unknown>({
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      summary: 'Delete a webhook and its deliveries',
      auth: 'partner',
      operation: 'webhooks',
      params: webhookParams,
      answers: { 204: null },
      fails: { 404: UNKNOWN },
      async handle({ caller, params }) {
        await webhooks.delete(requirePartner(caller), params.id);
        return { status: 204 };
      },
    }),
  ];
}
