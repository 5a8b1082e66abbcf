// A test ping that an endpoint accepts, while a gateway is about to disable that endpoint for what was before.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseClock } from '../../src/webhooks/database-clock.js';
import { webhookModels } from '../../src/webhooks/models.js';
import { DeliveryResults } from '../../src/webhooks/results.js';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { Receiver } from './receiver.js';
import { hurry, issueMany, ledger, type Rest, register } from './support.js';

const HOUR = 3_600_000;

let membership: Membership;
let rest: Rest;
let receiver: Receiver;
beforeAll(async () => {
  membership = await startMembership();
  rest = membership.partner;
});
afterAll(() => membership.gateway.close());
beforeEach(async () => {
  receiver = await new Receiver().start();
});
afterEach(async () => {
  for (const { webhookId } of (await rest('GET', '/v1/webhooks')).body.items)
    await rest('DELETE', `/v1/webhooks/${webhookId}`);
  await receiver.stop();
});

const models = () => webhookModels(membership.gateway.app.connection);
const stateOf = async (webhookId: string) => (await rest('GET', `/v1/webhooks/${webhookId}`)).body.state;
const ping = async (webhookId: string) => (await rest('POST', `/v1/webhooks/${webhookId}/test`)).body.state;

it('a webhook that is disabled while its test ping is under way is enabled by that ping', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  const disabled = { $set: { state: 'disabled', disabledReason: 'gone' } } as const;
  receiver.answer = (response, { type }) => {
    const before = type === 'ping' ? models().webhooks.updateOne({ _id: webhookId }, disabled) : Promise.resolve();
    void before.then(() => response.writeHead(204).end());
  };
  expect(await ping(webhookId)).toBe('delivered');
  expect(await stateOf(webhookId)).toBe('enabled');
  const [hash] = await issueMany(membership, 1, 'enabled');
  await eventually(() => expect(receiver.received.map(({ data }) => data.coreClaimHash)).toContain(hash));
});

it('an accepted test ping is not undone by a failure of before, however late its result is stored', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  const [failedAt, failingSince] = [new Date(Date.now() - 20 * HOUR), new Date(Date.now() - 72 * HOUR)];
  await models().webhookQueues.updateOne({ _id: webhookId }, { $set: { failures: 4, failedAt, failingSince } });
  receiver.answer = (response, { type }) => void response.writeHead(type === 'ping' ? 204 : 503).end();
  const { record } = DeliveryResults.prototype;
  const pinged = vi.fn(() => ping(webhookId));
  const recording = vi.spyOn(DeliveryResults.prototype, 'record').mockImplementationOnce(async function (
    this: DeliveryResults,
    ...result
  ) {
    const stored = await record.apply(this, result);
    expect(await pinged()).toBe('delivered');
    return stored;
  });
  onTestFinished(() => recording.mockRestore());
  await issueMany(membership, 1, 'late');
  await eventually(() => expect(pinged).toHaveResolved());
  receiver.answer = 204;
  await eventually(async () => {
    await hurry(membership.gateway);
    expect(await ledger(rest, webhookId, '&state=pending')).toEqual([]);
  });
  expect(await ledger(rest, webhookId)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  expect(await stateOf(webhookId)).toBe('enabled');
});

it('a response with 410 to an attempt that began before an accepted test ping does not disable', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  const pinged = vi.fn(() => ping(webhookId));
  receiver.answer = (response, { type }) => {
    if (type === 'ping') return void response.writeHead(204).end();
    receiver.answer = 204;
    void pinged().then(() => response.writeHead(410).end());
  };
  await issueMany(membership, 1, 'gone');
  await eventually(async () => expect(await ledger(rest, webhookId, '&state=dead')).toHaveLength(1));
  expect(pinged).toHaveResolvedWith('delivered');
  const [hash] = await issueMany(membership, 1, 'not-gone');
  await eventually(() => expect(receiver.received.map(({ data }) => data.coreClaimHash)).toContain(hash));
  expect(await stateOf(webhookId)).toBe('enabled');
});

it('an endpoint whose test ping was accepted is not disabled by an attempt from before, even if the store is slow to tell its time', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  const { now } = DatabaseClock.prototype;
  let begunAt = 0;
  const pinged = vi.fn(() => ping(webhookId));
  const slow = vi.spyOn(DatabaseClock.prototype, 'now').mockImplementation(async function (this: DatabaseClock) {
    const isAccepted = pinged.mock.settledResults.some(({ type }) => type === 'fulfilled');
    // Longer than the whole attempt, however busy the machine is.
    if (isAccepted) await setTimeout(2 * (performance.now() - begunAt));
    return now.call(this);
  });
  onTestFinished(() => slow.mockRestore());
  receiver.answer = (response, { type }) => {
    if (type === 'ping') return void response.writeHead(204).end();
    receiver.answer = 204;
    void pinged().then(() => response.writeHead(410).end());
  };
  begunAt = performance.now();
  await issueMany(membership, 1, 'slow-clock');
  await eventually(async () => expect(await ledger(rest, webhookId, '&state=dead')).toHaveLength(1));
  const [hash] = await issueMany(membership, 1, 'slow-clock-later');
  await eventually(() => expect(receiver.received.map(({ data }) => data.coreClaimHash)).toContain(hash));
  expect(await stateOf(webhookId)).toBe('enabled');
});

it('an endpoint that responds with 410 after an accepted test ping is disabled', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  expect(await ping(webhookId)).toBe('delivered');
  receiver.answer = 410;
  await eventually(async () => {
    await issueMany(membership, 1, `gone-${randomUUID()}`);
    expect(await stateOf(webhookId)).toBe('disabled');
  });
});

it('a redelivery is sent, even if the result of an attempt from before it is stored late', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  const { record } = DeliveryResults.prototype;
  const redelivered = vi.fn((id: string) => rest('POST', `/v1/webhooks/deliveries/${id}/redeliver`));
  const recording = vi.spyOn(DeliveryResults.prototype, 'record').mockImplementationOnce(async function (
    this: DeliveryResults,
    delivery,
    outcome,
  ) {
    // Another gateway, which has the claim since, found the endpoint closed.
    const dead = { state: 'dead', reason: 'The webhook is disabled.', settledAt: new Date() } as const;
    await models().webhookDeliveries.updateOne({ _id: delivery._id }, { $set: dead });
    expect((await redelivered(delivery._id)).status).toBe(202);
    return record.call(this, delivery, outcome);
  });
  onTestFinished(() => recording.mockRestore());
  const [hash] = await issueMany(membership, 1, 'again');
  await eventually(() => expect(receiver.received.map(({ data }) => data.coreClaimHash)).toEqual([hash, hash]));
  await eventually(async () =>
    expect(await ledger(rest, webhookId)).toMatchObject([{ state: 'delivered', attempts: [{}] }]),
  );
});
