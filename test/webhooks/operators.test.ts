// Partners' webhooks as operators see them: which fail, with what response, since when; paused and resumed.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { webhookModels } from '../../src/webhooks/models.js';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { Receiver } from './receiver.js';
import { arrived, issueMany, ledger, type Rest, register } from './support.js';

let membership: Membership;
let rest: Rest;
let receiver: Receiver;
beforeAll(async () => {
  membership = await startMembership();
  rest = membership.partner;
});
afterAll(() => membership?.gateway.close());
beforeEach(async () => {
  receiver = await new Receiver().start();
});
afterEach(async () => {
  for (const { webhookId } of (await rest('GET', '/v1/webhooks')).body.items)
    await rest('DELETE', `/v1/webhooks/${webhookId}`);
  await receiver.stop();
});

const admin = (method: 'GET' | 'POST', path: string) => membership.gateway.admin(method, `/v1/admin/webhooks${path}`);
const trouble = () => membership.gateway.app.services.webhookTrouble;
const metrics = async (): Promise<string> => (await membership.gateway.admin('GET', '/metrics')).body;

/** Two failed attempts of one delivery. */
async function failsTwice(webhookId: string): Promise<void> {
  const { webhookDeliveries, webhookQueues } = webhookModels(membership.gateway.app.connection);
  await eventually(async () => {
    const queue = await webhookQueues.findById(webhookId).lean();
    if ((queue?.failures ?? 0) >= 2) return;
    await webhookDeliveries.updateMany({ webhookId, state: 'pending' }, { $set: { nextAt: new Date(1) } });
    await webhookQueues.updateOne({ _id: webhookId }, { $set: { dueAt: new Date(1) }, $inc: { work: 1 } });
    expect.fail('it has not failed twice yet');
  });
}

it('an operator sees whose webhooks fail, with the responses, without payloads and the rest of the address', async () => {
  const { webhookId } = await register(rest, receiver, { path: '/secret-path', types: ['submitted'] });
  receiver.answer = (response) => void response.writeHead(503).end('we are moving');
  await issueMany(membership, 1, 'seen');
  await failsTwice(webhookId);
  const { body } = await admin('GET', `?status=failing&partnerId=${membership.partnerId}`);
  expect(body.items).toMatchObject([{ webhookId, partnerId: membership.partnerId, health: { status: 'failing' } }]);
  expect(body.items[0].origin).toBe(new URL(receiver.url('/')).origin);
  const deliveries = await admin('GET', `/${webhookId}/deliveries`);
  expect(deliveries.body.items[0].attempts[0]).toMatchObject({ status: 503, answer: 'we are moving' });
  const shown = JSON.stringify([body, deliveries.body, (await admin('GET', `/${webhookId}`)).body]);
  expect(shown).not.toContain('secret-path');
  expect(shown).not.toContain('payload');
  expect((await rest('GET', '/v1/admin/webhooks')).status).toBe(403);
});

it('a partner whose calls all fail is named in health and metrics until one is accepted', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  receiver.answer = 503;
  await issueMany(membership, 1, 'fails');
  await failsTwice(webhookId);
  expect(await trouble().problem()).toMatchObject({
    partners: 1,
    since: expect.any(Date),
    sentence: expect.stringContaining(membership.partnerId),
  });
  const line = new RegExp(`gateway_partner_webhooks_failing_seconds\\{partner="${membership.partnerId}"\\} [\\d.]+`);
  expect(await metrics()).toMatch(line);
  // An endpoint that works: not all fail any more.
  const works = await new Receiver().start();
  await register(rest, works, { types: ['submitted'] });
  expect(await trouble().problem()).toBeUndefined();
  expect(await metrics()).not.toMatch(line);
  await works.stop();
});

it('a webhook that an operator has paused is not called, not after a test ping either, and gets what waits once it is resumed', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  const paused = await admin('POST', `/${webhookId}/pause`);
  expect(paused).toMatchObject({ status: 200, body: { webhookId, pausedAt: expect.any(String) } });
  expect((await rest('GET', `/v1/webhooks/${webhookId}`)).body).toMatchObject({
    pausedAt: paused.body.pausedAt,
    health: { pausedUntil: null },
  });
  const hashes = await issueMany(membership, 2, 'paused');
  await eventually(async () => expect(await ledger(rest, webhookId, '&state=pending')).toHaveLength(2));
  expect((await rest('POST', `/v1/webhooks/${webhookId}/test`)).body.state).toBe('delivered');
  // What is registered later is called: deliveries before it had their turn.
  const later = await new Receiver().start();
  await register(rest, later, { types: ['submitted'] });
  const [last] = await issueMany(membership, 1, 'later');
  await arrived(later, 1);
  expect(await ledger(rest, webhookId, '&state=pending')).toHaveLength(3);
  expect((await admin('POST', `/${webhookId}/resume`)).body).toMatchObject({ pausedAt: null });
  await eventually(() =>
    expect(receiver.received.map(({ data }) => data.coreClaimHash)).toEqual(expect.arrayContaining([...hashes, last])),
  );
  await later.stop();
  const { gateway } = membership;
  const log = gateway.app.connection.collection('auditEntries');
  await eventually(async () => expect(await log.countDocuments({ operation: /^webhook\.(pause|resume)$/ })).toBe(2));
});
