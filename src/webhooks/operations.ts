// What partners may do with webhooks: the fields of GraphQL and the routes under /v1/webhooks.
import { z } from 'zod';
import { operationsOf } from '../http/routes/operation.js';
import type { WebhookDeliveries } from './deliveries.js';
import {
  deliveriesInput,
  deliveryParams,
  isEventId,
  redeliverWebhookInput,
  registerWebhookInput,
  webhookInput,
} from './request.js';
import {
  deleteWebhookPayload,
  redeliverWebhookPayload,
  testWebhookPayload,
  type WebhookWithSecret,
  webhook,
  webhookDelivery,
  webhookSecretPayload,
  webhookWithSecret,
} from './types.js';
import type { Webhooks } from './webhooks.js';

export interface WebhookServices {
  webhooks: Webhooks;
  webhookDeliveries: WebhookDeliveries;
}

const UNKNOWN = 'The partner has no such webhook.';
/** A ping may keep a connection open for 15 s. */
const PING_POINTS = 200;
const PING_PATIENCE_S = 20;

const own = { callers: 'partner', permission: 'webhooks' } as const;
const members = { id: 'webhookId' } as const;
const withSecret = ({ secret, ...webhook }: WebhookWithSecret) => ({ webhook, secret });

const { query, listing, mutation } = operationsOf<WebhookServices>();

export const webhookOperations = [
  mutation('registerWebhook', 'Registers an endpoint, which receives events from now on. Partners.', {
    ...own,
    audit: 'webhook.register',
    input: registerWebhookInput,
    output: webhookWithSecret,
    run: ({ webhooks }, { caller, input }) => webhooks.register(caller, input),
    rest: {
      method: 'POST',
      path: '/v1/webhooks',
      summary: 'Register an endpoint, which receives events from now on; its secret is shown once',
      status: 201,
      fails: {
        404: 'Events of the catalog were requested, and the catalog is closed.',
        409: 'The partner has the largest number of webhooks, or sends one of the types to this address already.',
      },
    },
    graphql: { argument: 'Where, and which events.', payload: webhookSecretPayload, show: withSecret },
  }),

  query('webhooks', "The partner's own webhooks, oldest first; at most 20.", {
    ...own,
    output: z.array(webhook),
    run: ({ webhooks }, { caller }) => webhooks.list(caller),
    rest: { method: 'GET', path: '/v1/webhooks', summary: "The partner's own webhooks, with their health" },
  }),

  query('webhook', "One of the partner's own webhooks.", {
    ...own,
    input: webhookInput,
    output: webhook,
    run: ({ webhooks }, { caller, input }) => webhooks.get(caller, input.webhookId),
    rest: {
      method: 'GET',
      path: '/v1/webhooks/:id',
      members,
      summary: "One of the partner's own webhooks, with its health",
      fails: { 404: UNKNOWN },
    },
  }),

  mutation(
    'rotateWebhookSecret',
    'Creates a new secret for a webhook. For 24 hours, the previous one also signs. Partners.',
    {
      ...own,
      audit: 'webhook.rotate',
      input: webhookInput,
      output: webhookWithSecret,
      run: ({ webhooks }, { caller, input }) => webhooks.rotate(caller, input.webhookId),
      rest: {
        method: 'POST',
        path: '/v1/webhooks/:id/rotate',
        members,
        summary: 'Create a new secret; for 24 hours, the previous one also signs',
        fails: { 404: UNKNOWN, 409: 'The webhook was changed by another request at the same time.' },
      },
      graphql: { argument: 'Which one.', payload: webhookSecretPayload, show: withSecret },
    },
  ),

  mutation('testWebhook', 'Sends a test ping now, without retries. Partners.', {
    ...own,
    audit: 'webhook.test',
    input: webhookInput,
    output: webhookDelivery,
    points: PING_POINTS,
    patience: PING_PATIENCE_S,
    run: ({ webhookDeliveries }, { caller, input }) => webhookDeliveries.ping(caller, input.webhookId),
    rest: {
      method: 'POST',
      path: '/v1/webhooks/:id/test',
      members,
      summary: 'Send a test ping now; returns its delivery',
      fails: { 404: UNKNOWN },
    },
    graphql: { argument: 'Which one.', payload: testWebhookPayload, show: (delivery) => ({ delivery }) },
  }),

  listing('webhookDeliveries', 'Deliveries of a webhook with their attempts, newest first.', {
    ...own,
    input: deliveriesInput,
    output: webhookDelivery,
    listing: { what: 'deliveries', most: 100, size: 25 },
    run: ({ webhookDeliveries }, { caller, input }) => webhookDeliveries.page(caller, input),
    rest: {
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries',
      members,
      summary: 'Deliveries of a webhook with their attempts, newest first; `state=dead` lists the dead letters',
      fails: { 404: UNKNOWN },
    },
  }),

  mutation(
    'redeliverWebhook',
    'Sends one delivery again, or all deliveries of an event. They may arrive out of order. Partners.',
    {
      ...own,
      audit: 'webhook.redeliver',
      input: redeliverWebhookInput,
      output: z.array(webhookDelivery),
      run: ({ webhookDeliveries }, { caller, input }) => webhookDeliveries.redeliver(caller, input),
      rest: {
        method: 'POST',
        path: '/v1/webhooks/deliveries/:id/redeliver',
        request: {
          params: deliveryParams,
          input: ({ params: { id = '' } }) => (isEventId(id) ? { eventId: id } : { deliveryId: id }),
        },
        summary: 'Send a delivery again, or all deliveries of an event by its id',
        status: 202,
        fails: { 404: 'The partner has no such delivery.' },
      },
      graphql: { argument: 'Which ones.', payload: redeliverWebhookPayload, show: (deliveries) => ({ deliveries }) },
    },
  ),

  mutation('deleteWebhook', 'Deletes a webhook and its deliveries. Partners.', {
    ...own,
    audit: 'webhook.delete',
    input: webhookInput,
    run: ({ webhooks }, { caller, input }) => webhooks.delete(caller, input.webhookId),
    rest: {
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      members,
      summary: 'Delete a webhook and its deliveries',
      fails: { 404: UNKNOWN },
    },
    graphql: {
      argument: 'Which one.',
      payload: deleteWebhookPayload,
      show: (_deleted, { webhookId }) => ({ webhookId }),
    },
  }),
];
