// Webhooks in GraphQL: the same answers as REST.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { Receiver } from './receiver.js';
import { arrived, issueMany } from './support.js';

let membership: Membership;
let receiver: Receiver;
beforeAll(async () => {
  membership = await startMembership();
  receiver = await new Receiver().start();
});
afterAll(async () => {
  await membership.gateway.close();
  await receiver.stop();
});

const ask = async (document: string, variables: object = {}) => {
  const headers = { 'x-partner-auth': await membership.token() };
  const { data, errors } = await membership.gateway.gql(document, variables as Record<string, unknown>, headers);
  return { data, codes: errors?.map(({ extensions }) => extensions.code) };
};
const WEBHOOK = `webhookId url types description createdAt previousSecretUntil pausedAt
  health { lastSuccessAt lastFailureAt consecutiveFailures pending dead }`;
const DELIVERY = `deliveryId webhookId eventId type nextAttemptAt reason payload createdAt settledAt
  attempts { at durationMs status answer error }`;
const withoutState = ({ state: _state, ...rest }: Record<string, unknown>) => rest;

it('GraphQL registers, lists, pings, rotates, redelivers and deletes webhooks', async () => {
  const register = `mutation ($input: RegisterWebhookInput!) { registerWebhook(input: $input) { secret webhook { ${WEBHOOK} } } }`;
  const input = { url: receiver.url(), types: ['submitted'], description: 'mine' };
  const { secret, webhook } = (await ask(register, { input })).data.registerWebhook;
  receiver.secrets.set('/', secret);
  const { webhookId } = webhook;
  await issueMany(membership, 1, 'graphql');
  await arrived(receiver, 1);

  const test = `mutation ($input: WebhookInput!) { testWebhook(input: $input) { delivery { state type } } }`;
  const ping = (await ask(test, { input: { webhookId } })).data.testWebhook;
  expect(ping.delivery).toEqual({ state: 'DELIVERED', type: 'ping' });

  // A result is recorded after the receiver's response.
  const rest = await eventually(async () => {
    const { items } = (await membership.partner('GET', `/v1/webhooks/${webhookId}/deliveries`)).body;
    expect(items.map(({ state }: { state: string }) => state)).toEqual(['delivered', 'delivered']);
    return items;
  });
  const ledger = `query ($webhookId: ID!) { webhookDeliveries(webhookId: $webhookId) { totalCount nodes { ${DELIVERY} } } }`;
  expect((await ask(ledger, { webhookId })).data.webhookDeliveries).toEqual({
    totalCount: 2,
    nodes: rest.map(withoutState),
  });

  const again = `mutation ($input: RedeliverWebhookInput!) { redeliverWebhook(input: $input) { deliveries { deliveryId state } } }`;
  // What fails stays pending.
  receiver.answer = 500;
  const { eventId } = rest.find(({ type }: { type: string }) => type === 'submitted');
  expect((await ask(again, { input: { eventId } })).data.redeliverWebhook.deliveries).toMatchObject([
    { state: 'PENDING' },
  ]);
  for (const wrong of [{}, { eventId, deliveryId: 'x' }])
    expect((await ask(again, { input: wrong })).codes).toEqual(['BAD_USER_INPUT']);

  const rotate = `mutation ($input: WebhookInput!) { rotateWebhookSecret(input: $input) { secret webhook { ${WEBHOOK} } } }`;
  expect((await ask(rotate, { input: { webhookId } })).data.rotateWebhookSecret.secret).not.toBe(secret);

  const [listed] = (await membership.partner('GET', '/v1/webhooks')).body.items;
  const { status: _status, ...health } = listed.health;
  const shown = (await ask(`{ webhooks { ${WEBHOOK} } }`)).data.webhooks;
  expect(shown).toMatchObject([{ ...withoutState(listed), health: { dead: health.dead } }]);

  const remove = 'mutation ($input: WebhookInput!) { deleteWebhook(input: $input) { webhookId } }';
  expect((await ask(remove, { input: { webhookId } })).data.deleteWebhook).toEqual({ webhookId });
  expect((await ask(`query ($id: ID!) { webhook(webhookId: $id) { url } }`, { id: webhookId })).codes).toEqual([
    'NOT_FOUND',
  ]);
});
