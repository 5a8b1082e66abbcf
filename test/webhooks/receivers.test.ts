// Receivers that hang, lie, send too much or lead elsewhere: each harms nobody, and its ledger says what it did.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryResults } from '../../src/webhooks/results.js';
import { eventually, until } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { registerPartner } from '../support/partner.js';
import { Receiver } from './receiver.js';
import { arrived, issueMany, ledger, register, type Rest } from './support.js';

let membership: Membership;
let rest: Rest;
let good: Receiver;
let bad: Receiver;
beforeAll(async () => {
  membership = await startMembership();
  rest = membership.partner;
});
afterAll(() => membership.gateway.close());
beforeEach(async () => {
  [good, bad] = await Promise.all([new Receiver().start(), new Receiver().start()]);
});
afterEach(async () => {
  for (const { webhookId } of (await rest('GET', '/v1/webhooks')).body.items)
    await rest('DELETE', `/v1/webhooks/${webhookId}`);
  await Promise.all([good.stop(), bad.stop()]);
});

/** The one delivery of a webhook once it has an attempt; a second one follows a failure after five seconds. */
const tried = (webhookId: string) =>
  eventually(async () => {
    const [delivery] = await ledger(rest, webhookId);
    expect(delivery?.attempts.length).toBeGreaterThan(0);
    return delivery;
  });

it('An endpoint that hangs delays no other', async () => {
  let ended = 0;
  bad.answer = (response) =>
    void response.once('close', () => {
      ended += 1;
    });
  const { webhookId } = await register(rest, bad, { types: ['submitted'] });
  await register(rest, good, { types: ['submitted'] });
  let issued = (await issueMany(membership, 1, 'first')).length;
  // Each call ends after 15 seconds, which a busy machine may need for ten issuances: then they are tried beside the next call.
  await eventually(async () => {
    await until(() => bad.received.length > ended);
    const before = ended;
    issued += (await issueMany(membership, 9, `hang-${issued}`)).length;
    await arrived(good, issued);
    expect(ended).toBe(before);
  });
  expect(bad.received.length - ended).toBe(1);
  const items = await eventually(async () => {
    const all = await ledger(rest, webhookId);
    expect(all).toHaveLength(Math.min(issued, 100));
    return all;
  });
  expect(items.every(({ state }: { state: string }) => state === 'pending')).toBe(true);
});

it.each<[string, (response: ServerResponse) => void, object]>([
  ['an error', (response) => response.writeHead(500).end('oops'), { status: 500, answer: 'oops' }],
  ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end(), { status: 302 }],
  [
    'a redirect to a metadata service',
    (response) => response.writeHead(307, { location: 'http://169.254.169.254/latest/' }).end(),
    { status: 307 },
  ],
  ['a broken connection', (response) => void response.destroy(), { status: null, error: 'The connection broke.' }],
  ['nothing it may say', (response) => void response.socket?.end('HTTP/9 garbage\r\n\r\n'), { status: null }],
])('A response of %s is a failed attempt', async (_name, answer, attempt) => {
  bad.answer = answer;
  const { webhookId } = await register(rest, bad, { types: ['submitted'] });
  await issueMany(membership, 1, 'fails');
  const { state, attempts } = await tried(webhookId);
  expect([state, attempts[0]]).toMatchObject(['pending', attempt]);
  expect(new Set(bad.received.map(({ path }) => path))).toEqual(new Set(['/']));
  expect((await rest('GET', `/v1/webhooks/${webhookId}`)).body.health).toMatchObject({ pending: 1 });
});

it('Of a response of 10 MB with 200 only the beginning is read, and the delivery succeeds', async () => {
  bad.answer = (response) => response.writeHead(200).end(Buffer.alloc(10_000_000, 'x'));
  const { webhookId } = await register(rest, bad, { types: ['submitted'] });
  await issueMany(membership, 1, 'large');
  const delivery = await tried(webhookId);
  expect(delivery.state).toBe('delivered');
  expect(delivery.attempts[0].answer.length).toBeLessThanOrEqual(500);
});

it('410 disables an endpoint; a test ping that it accepts enables it', async () => {
  bad.answer = 410;
  const { webhookId } = await register(rest, bad, { types: ['submitted'] });
  await issueMany(membership, 3, 'gone');
  // Events that come after the first 410 have no delivery at all.
  const gone = { state: 'disabled', health: { status: 'disabled', pending: 0 } };
  await eventually(async () => expect((await rest('GET', `/v1/webhooks/${webhookId}`)).body).toMatchObject(gone));
  expect((await ledger(rest, webhookId, '&state=dead')).length).toBeGreaterThan(0);
  expect((await rest('POST', `/v1/webhooks/${webhookId}/test`)).body.state).toBe('dead');
  bad.answer = 200;
  expect((await rest('POST', `/v1/webhooks/${webhookId}/test`)).body.state).toBe('delivered');
  expect((await rest('GET', `/v1/webhooks/${webhookId}`)).body.state).toBe('enabled');
  const [hash] = await issueMany(membership, 1, 'again');
  const again = () => bad.received.filter(({ data }) => data.coreClaimHash === hash);
  await eventually(() => expect(again()).toMatchObject([{ type: 'submitted' }]));
});

it('An endpoint that is enabled again while its deliveries are being marked as dead gets the next event', async () => {
  bad.answer = 410;
  const { webhookId } = await register(rest, bad, { types: ['submitted'] });
  // The gateway has read that the endpoint is disabled, and goes on once the next event has its delivery.
  const { markAllDead } = DeliveryResults.prototype;
  let goOn = () => {};
  const added = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const marking = vi.spyOn(DeliveryResults.prototype, 'markAllDead').mockImplementationOnce(async function (
    this: DeliveryResults,
    ...args
  ) {
    await added;
    return markAllDead.apply(this, args);
  });
  await issueMany(membership, 1, 'gone-once');
  await until(() => marking.mock.calls.length > 0);
  bad.answer = 200;
  expect((await rest('POST', `/v1/webhooks/${webhookId}/test`)).body.state).toBe('delivered');
  const [hash] = await issueMany(membership, 1, 'at-once');
  await until(async () => (await ledger(rest, webhookId, '&state=pending')).length > 0);
  goOn();
  await eventually(() => expect(bad.received.map(({ data }) => data.coreClaimHash)).toContain(hash));
  marking.mockRestore();
});

it.each([
  ['120', 120],
  // Two hours from when the file is read.
  [new Date(Date.now() + 7_200_000).toUTCString(), 3_600],
  // At most a day.
  ['999999999', 86_000],
])('the next attempt waits for Retry-After: %s', async (retryAfter, seconds) => {
  bad.answer = (response) => response.writeHead(503, { 'retry-after': retryAfter }).end();
  const { webhookId } = await register(rest, bad, { types: ['submitted'] });
  await issueMany(membership, 1, 'later');
  const { nextAttemptAt, attempts } = await tried(webhookId);
  const delay = (Date.parse(nextAttemptAt) - Date.parse(attempts[0].at)) / 1_000;
  expect(delay).toBeGreaterThanOrEqual(seconds);
  expect(delay).toBeLessThan(86_500);
});

describe('What cannot be registered', () => {
  const types = ['submitted'];
  it.each([
    ['http://example.org/hook', 'url'],
    ['https://10.0.0.1/hook', 'url'],
    ['https://169.254.169.254/latest/', 'url'],
    ['https://[fd00::1]/hook', 'url'],
    ['https://user:secret@example.org/', 'url'],
    ['https://0x7f.1/', 'url'],
    [`https://example.org/${'x'.repeat(2_000)}`, 'url'],
    ['ftp://example.org/', 'url'],
    ['', 'url'],
  ])('a webhook with the address %.40s cannot be registered', async (url, field) => {
    const { status, body } = await rest('POST', '/v1/webhooks', { url, types });
    expect(status).toBe(400);
    expect(body.message).toContain(`"${field}"`);
  });

  it.each([[[]], [['nonsense']], ['submitted'], [Array(51).fill('submitted')]])(
    'a webhook with the types %j cannot be registered',
    async (wrong) => {
      const { status, body } = await rest('POST', '/v1/webhooks', { url: good.url(), types: wrong });
      expect(status).toBe(400);
      expect(body.message).toContain('"types');
    },
  );

  it('a partner cannot register 21 webhooks, even by concurrent requests', async () => {
    const other = await registerPartner(membership.gateway);
    const add = (_: unknown, at: number) => other.rest('POST', '/v1/webhooks', { url: good.url(`/${at}`), types });
    const statuses = (await Promise.all(Array.from({ length: 24 }, add))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  });
});

it('A secret is shown once, and stored sealed', async () => {
  const { webhookId, secret } = await register(rest, good);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { body } = await rest('GET', `/v1/webhooks/${webhookId}`);
  expect(JSON.stringify(body)).not.toContain('whsec_');
  const rows = await membership.gateway.app.connection.collection('webhooks').find().toArray();
  expect(JSON.stringify(rows)).not.toContain(secret.slice(6));
});
