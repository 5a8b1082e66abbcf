// What operators may do with partners' webhooks: fields of GraphQL, and routes under /v1/admin/webhooks.
import { operationsOf } from '../http/routes/operation.js';
import type { PartnerWebhooks } from './partner-webhooks.js';
import { deliveriesInput, partnerWebhooksInput, webhookInput } from './request.js';
import { partnerWebhook, partnerWebhookDelivery, partnerWebhookPayload } from './types.js';

const { query, listing, mutation } = operationsOf<{ partnerWebhooks: PartnerWebhooks }>();

const UNKNOWN = 'No webhook has this id.';
const BASE = '/v1/admin/webhooks';
const one = { path: `${BASE}/:id`, members: { id: 'webhookId' }, fails: { 404: UNKNOWN } } as const;
const shown = {
  argument: 'Which one.',
  payload: partnerWebhookPayload,
  show: (webhook: object) => ({ webhook }),
} as const;

export const operatorWebhookOperations = [
  listing('partnerWebhooks', 'Webhooks of all partners, or of one, with their health, newest first. Operator only.', {
    callers: 'operator',
    input: partnerWebhooksInput,
    output: partnerWebhook,
    listing: { what: 'webhooks', most: 20, size: 20 },
    run: ({ partnerWebhooks }, { input }) => partnerWebhooks.page(input),
    rest: { method: 'GET', path: BASE, summary: "Partners' webhooks, with their health" },
  }),

  query('partnerWebhook', 'A webhook of a partner. Operator only.', {
    callers: 'operator',
    input: webhookInput,
    output: partnerWebhook,
    run: ({ partnerWebhooks }, { input }) => partnerWebhooks.get(input.webhookId),
    rest: { ...one, method: 'GET', summary: "A partner's webhook, with its health" },
  }),

  listing(
    'partnerWebhookDeliveries',
    "Deliveries of a partner's webhook: attempts and responses without payloads, newest first. Operator only.",
    {
      callers: 'operator',
      input: deliveriesInput,
      output: partnerWebhookDelivery,
      listing: { what: 'deliveries', most: 100, size: 25 },
      run: ({ partnerWebhooks }, { input }) => partnerWebhooks.deliveries(input),
      rest: {
        ...one,
        method: 'GET',
        path: `${BASE}/:id/deliveries`,
        summary: "Deliveries of a partner's webhook, with attempts and responses, without payloads",
      },
    },
  ),

  mutation('pauseWebhook', 'Pauses a webhook until it is resumed: its deliveries wait. Operator only.', {
    callers: 'operator',
    audit: 'webhook.pause',
    input: webhookInput,
    output: partnerWebhook,
    run: ({ partnerWebhooks }, { caller, input }) => partnerWebhooks.pause(caller, input.webhookId),
    rest: { ...one, method: 'POST', path: `${BASE}/:id/pause`, summary: "Pause a partner's webhook: deliveries wait" },
    graphql: shown,
  }),

  mutation('resumeWebhook', 'Ends the pause of a webhook: what waits is sent now. Operator only.', {
    callers: 'operator',
    audit: 'webhook.resume',
    input: webhookInput,
    output: partnerWebhook,
    run: ({ partnerWebhooks }, { caller, input }) => partnerWebhooks.resume(caller, input.webhookId),
    rest: { ...one, method: 'POST', path: `${BASE}/:id/resume`, summary: 'End a pause: what waits is sent now' },
    graphql: shown,
  }),
];
