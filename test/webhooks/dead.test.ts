// Endpoints that fail are left in peace: paused as a whole, disabled after three days, and back with a test ping.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { wakeQueues } from '../../src/webhooks/add-deliveries.js';
import { EndpointHealth } from '../../src/webhooks/endpoint-health.js';
import { type WebhookDeliveryRow, webhookModels } from '../../src/webhooks/models.js';
import { eventually, until } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { registerPartner } from '../support/partner.js';
import { Receiver } from './receiver.js';
import { issueMany, ledger, type Rest, register } from './support.js';

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
const healthOf = async (webhookId: string) => (await rest('GET', `/v1/webhooks/${webhookId}`)).body.health;
const ping = async (webhookId: string) => (await rest('POST', `/v1/webhooks/${webhookId}/test`)).body.state;

/** The endpoint is paused for an hour, in a queue that no gateway has. */
async function pauseForHour(webhookId: string): Promise<Date> {
  const until = new Date(Date.now() + HOUR);
  await eventually(async () => {
    await models().webhookQueues.updateOne(
      { _id: webhookId, holder: '' },
      { $set: { pausedUntil: until, dueAt: until, failures: 12 } },
    );
    expect((await healthOf(webhookId)).pausedUntil).toBe(until.toISOString());
  });
  return until;
}

it('five failures in a row pause an endpoint and all its deliveries; a test ping that it accepts ends the pause and the waiting', async () => {
  receiver.answer = 500;
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  await issueMany(membership, 25, 'paused');
  await eventually(async () => expect((await healthOf(webhookId)).pausedUntil).not.toBeNull());
  const items: { attempts: unknown[] }[] = await eventually(async () => {
    const all = await ledger(rest, webhookId, '&state=pending');
    expect(all).toHaveLength(25);
    return all;
  });
  expect(items.filter(({ attempts }) => attempts.length === 0).length).toBeGreaterThan(10);
  const { consecutiveFailures, failingSince, lastFailureAt, status } = await healthOf(webhookId);
  expect([consecutiveFailures, status]).toEqual([expect.any(Number), 'failing']);
  expect(consecutiveFailures).toBeGreaterThanOrEqual(5);
  expect(Date.parse(failingSince)).toBeLessThanOrEqual(Date.parse(lastFailureAt));

  const until = await pauseForHour(webhookId);
  await models().webhookDeliveries.updateMany({ webhookId, attempts: { $gt: 0 } }, { $set: { nextAt: until } });
  const before = receiver.received.length;
  await issueMany(membership, 1, 'meanwhile');
  await eventually(async () => expect(await ledger(rest, webhookId)).toHaveLength(26));
  expect(await ping(webhookId)).toBe('dead');
  expect((await healthOf(webhookId)).pausedUntil).toBe(until.toISOString());
  expect(receiver.received.slice(before).map(({ type }) => type)).toEqual(['ping']);

  receiver.answer = 204;
  expect(await ping(webhookId)).toBe('delivered');
  await eventually(async () => {
    const { pausedUntil, consecutiveFailures: failures } = await healthOf(webhookId);
    expect([pausedUntil, failures]).toEqual([null, 0]);
  });
  await eventually(async () => expect(await ledger(rest, webhookId, '&state=pending')).toEqual([]));
  expect(receiver.received.filter(({ type }) => type === 'submitted').length).toBeGreaterThanOrEqual(26);
});

it('a test ping keeps the order of a subject, however many deliveries of others wait', async () => {
  receiver.answer = 500;
  const { webhookId } = await register(rest, receiver, { types: ['submitted', 'revoked'] });
  const [coreClaimHash] = await issueMany(membership, 1, 'first');
  // The second attempt follows after five seconds.
  await eventually(async () => expect((await ledger(rest, webhookId))[0]?.attempts.length).toBeGreaterThan(0));
  const until = await pauseForHour(webhookId);
  await models().webhookDeliveries.updateMany({ webhookId }, { $set: { nextAt: until } });
  await rest('POST', '/v1/credentials/revoke', { coreClaimHash });
  const later = await eventually(async () => {
    const row = await models().webhookDeliveries.findOne({ webhookId, type: 'revoked' }).lean();
    expect(row).not.toBeNull();
    return row as WebhookDeliveryRow;
  });
  const others = Array.from({ length: 1_000 }, (_, at) => ({
    ...later,
    ...{ _id: `msg_${at}`, subject: `other ${at}`, seq: later.seq + at + 1 },
  }));
  await models().webhookDeliveries.insertMany(others);
  const before = receiver.received.length;
  receiver.answer = 204;
  expect(await ping(webhookId)).toBe('delivered');
  const arrived = () =>
    receiver.received.slice(before).filter(({ id, type }) => type === 'submitted' || id === later._id);
  await eventually(() => expect(new Set(arrived().map(({ type }) => type)).size).toBe(2));
  expect(arrived().map(({ type }) => type)).toEqual(['submitted', 'revoked']);
});

it('a delivery that is added to a paused endpoint wakes no gateway', async () => {
  const [paused, over, fresh] = await Promise.all(
    ['/a', '/b', '/c'].map(async (path) => (await register(rest, receiver, { path })).webhookId),
  );
  const until = await pauseForHour(paused);
  await models().webhookQueues.updateOne({ _id: over }, { $set: { pausedUntil: new Date(1) } });
  const at = Date.now() + 2 * 60_000;
  await wakeQueues(models(), [paused, over, fresh], at);
  const rows = await models().webhookQueues.find({ _id: { $in: [paused, over, fresh] } });
  const dueOf = new Map(rows.map(({ _id, dueAt }) => [_id, dueAt?.getTime()]));
  expect([dueOf.get(paused), dueOf.get(over), dueOf.get(fresh)]).toEqual([until.getTime(), at, at]);
});

it('a delivery that is added with a time before the end of a pause wakes the gateway that has the queue since then', async () => {
  const { webhookId: _id } = await register(rest, receiver);
  const end = new Date();
  const queue = () => models().webhookQueues.findOne({ _id }).lean();
  await models().webhookQueues.updateOne({ _id, holder: '' }, { $set: { pausedUntil: end, dueAt: end, failures: 12 } });
  await until(async () => (await queue())?.holder !== '');
  const work = (await queue())?.work ?? 0;
  await wakeQueues(models(), [_id], end.getTime() - 1);
  expect((await queue())?.work).toBe(work + 1);
});

it('three days without a success disable an endpoint, with an event and the reason in its health; a ping enables it', async () => {
  receiver.answer = 503;
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  await register(rest, receiver, { path: '/watch', types: ['webhook_disabled'] });
  const [failedAt, failingSince] = [new Date(Date.now() - 20 * HOUR), new Date(Date.now() - 72 * HOUR)];
  await models().webhookQueues.updateOne({ _id: webhookId }, { $set: { failures: 9, failedAt, failingSince } });
  receiver.answer = (response, { path }) => response.writeHead(path === '/watch' ? 204 : 503).end();
  await issueMany(membership, 3, 'days');
  const disabled = { status: 'disabled', disabledReason: 'failing', pausedUntil: null, pending: 0 };
  await eventually(async () => expect(await healthOf(webhookId)).toMatchObject(disabled));
  const [dead] = await ledger(rest, webhookId, '&state=dead');
  expect(dead).toMatchObject({ state: 'dead', reason: 'The webhook is disabled.' });
  const event = { type: 'webhook_disabled', webhookId, reason: 'failing' };
  await eventually(async () =>
    expect((await rest('GET', '/v1/events?types=webhook_disabled')).body.items).toMatchObject([event]),
  );
  await eventually(() =>
    expect(receiver.received.filter(({ path }) => path === '/watch')).toMatchObject([{ data: event }]),
  );
  const other = await registerPartner(membership.gateway);
  expect((await other.rest('GET', '/v1/events?types=webhook_disabled')).body.items).toEqual([]);

  receiver.answer = 204;
  expect(await ping(webhookId)).toBe('delivered');
  const back = { consecutiveFailures: 0, failingSince: null, disabledReason: null, status: 'healthy' };
  expect(await healthOf(webhookId)).toMatchObject(back);
  const [hash] = await issueMany(membership, 1, 'back');
  await eventually(() => expect(receiver.received.map(({ data }) => data.coreClaimHash)).toContain(hash));
});

describe('What counts as three days of failures', () => {
  const now = Date.now();
  const ago = (hours: number) => new Date(now - hours * HOUR);
  const failed = { delivered: false, gone: false, attempt: { at: new Date(now), durationMs: 1 } };
  it.each([
    ['the first one', { failures: 0 }, false],
    ['less than three days', { failures: 40, failedAt: ago(1), failingSince: ago(71) }, false],
    ['three days', { failures: 9, failedAt: ago(28), failingSince: ago(72) }, true],
    ['weeks between two failures', { failures: 1, failedAt: ago(500), failingSince: ago(500) }, false],
    ['a queue of an earlier version', { failures: 7, failedAt: ago(1) }, false],
  ])('the start of three days of failures: %s: %o', (_name, health, isHopeless) => {
    const endpoint = new EndpointHealth(health, () => now);
    endpoint.add(failed);
    expect(endpoint.isHopeless).toBe(isHopeless);
  });

  it('a success ends a row of failures', () => {
    const endpoint = new EndpointHealth({ failures: 9, failedAt: ago(1), failingSince: ago(90) }, () => now);
    endpoint.add({ ...failed, delivered: true });
    expect([endpoint.pauseMs, endpoint.isHopeless, endpoint.now.failingSince]).toEqual([0, false, null]);
    endpoint.add(failed);
    expect([endpoint.isHopeless, endpoint.now.failingSince]).toEqual([false, new Date(now)]);
  });

  it('pauses double from five seconds to an hour', () => {
    const pauses = [1, 4, 5, 6, 7, 14, 15, 90].map((failures) => new EndpointHealth({ failures }, () => now).pauseMs);
    for (const [at, least] of [0, 0, 5, 10, 20, 2_560, 3_600, 3_600].entries()) {
      expect(pauses[at]).toBeGreaterThanOrEqual(least * 1_000);
      expect(pauses[at]).toBeLessThanOrEqual(least * 1_200);
    }
  });
});

describe('An address that has a type already', () => {
  const add = (body: object, as: Rest = rest) =>
    as('POST', '/v1/webhooks', { url: receiver.url('/dup'), types: ['stored'], ...body });
  const first = () => add({ types: ['submitted', 'stored'] });

  it.each([
    ['the same', () => ({ types: ['submitted', 'stored'] })],
    ['one of its types', () => ({})],
    ['more types', () => ({ types: ['revoked', 'stored', 'expired'] })],
    ['another spelling', () => ({ url: receiver.url('/x/../dup').replace('http', 'HTTP') })],
  ])('an address that has the type already is refused: %s', async (_name, body) => {
    const { body: webhook } = await first();
    const { status, body: refusal } = await add(body());
    expect([status, refusal.message]).toEqual([409, expect.stringContaining(webhook.webhookId)]);
    expect((await rest('GET', '/v1/webhooks')).body.items).toHaveLength(1);
  });

  it.each([
    ['other types', () => ({ types: ['revoked'] })],
    ['another address', () => ({ url: receiver.url('/dup?two') })],
    ['a request that asks for it', () => ({ allowDuplicate: true })],
  ])('an address is registered again: %s', async (_name, body) => {
    await first();
    expect((await add(body())).status).toBe(201);
  });

  it('two partners may register the same address and type', async () => {
    await first();
    expect((await add({}, (await registerPartner(membership.gateway)).rest)).status).toBe(201);
  });

  it('concurrent requests register the same address and type once', async () => {
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => add({})))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it('GraphQL refuses a registered address and type as REST does', async () => {
    await first();
    const document =
      'mutation ($input: RegisterWebhookInput!) { registerWebhook(input: $input) { webhook { health { pausedUntil disabledReason failingSince } } } }';
    const headers = { 'x-partner-auth': await membership.token() };
    const ask = (more: object) =>
      membership.gateway.gql(document, { input: { url: receiver.url('/dup'), types: ['stored'], ...more } }, headers);
    expect(JSON.stringify(await ask({}))).toContain('CONFLICT');
    expect(JSON.stringify(await ask({ allowDuplicate: true }))).toContain('"disabledReason":null');
  });
});
