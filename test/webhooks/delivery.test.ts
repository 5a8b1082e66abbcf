// Promises of deliveries: signed, the event as REST serves it, in order for each subject, tried again, recorded.

import type { UpdateQuery } from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type WebhookQueueRow, webhookModels } from '../../src/webhooks/models.js';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { registerPartner } from '../support/partner.js';
import { Receiver } from './receiver.js';
import { arrived, hurry, issueMany, ledger, type Rest, register } from './support.js';

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

it('each event is delivered once, as GET /v1/events has it, and standardwebhooks verifies it', async () => {
  await register(rest, receiver);
  const [hash] = await issueMany(membership, 1, 'once');
  await arrived(receiver, 2);
  const { items } = (await rest('GET', '/v1/events')).body;
  const own = items.filter(({ coreClaimHash }: { coreClaimHash: string }) => coreClaimHash === hash);
  expect(receiver.received.map(({ data }) => data)).toEqual(own);
  for (const { type, timestamp, data } of receiver.received) expect([type, timestamp]).toEqual([data.type, data.at]);
  expect(receiver.forged).toEqual([]);
  await eventually(async () => {
    const { body: metrics } = await membership.gateway.admin('GET', '/metrics');
    expect(metrics).toMatch(/^gateway_webhook_attempts_total\{result="delivered"\} 2$/m);
  });
});

it('deliveries of one subject arrive in order: later ones wait for a failed one', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted', 'stored', 'revoked'] });
  receiver.answer = 500;
  const [coreClaimHash] = await issueMany(membership, 1, 'order');
  await arrived(receiver, 1);
  await rest('POST', '/v1/credentials/revoke', { coreClaimHash });
  await eventually(async () => expect(await ledger(rest, webhookId)).toHaveLength(3));
  await hurry(membership.gateway);
  await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(2));
  expect(new Set(receiver.received.map(({ type }) => type))).toEqual(new Set(['submitted']));
  receiver.answer = 204;
  await eventually(async () => {
    await hurry(membership.gateway);
    expect(receiver.ids()).toHaveLength(3);
  });
  const types = receiver.received.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
  expect(types).toEqual(['submitted', 'stored', 'revoked']);
});

it('a delivery is dead after ten attempts; later ones of its subject continue, and a redelivery sends it again', async () => {
  const { webhookId } = await register(rest, receiver);
  receiver.answer = (response, { type }) => response.writeHead(type === 'submitted' ? 500 : 200).end('no such thing');
  await issueMany(membership, 1, 'dead');
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    // The second one also comes by itself, after five seconds.
    await eventually(async () => {
      const rows: { type: string; attempts: unknown[] }[] = await ledger(rest, webhookId);
      const tried = rows.find(({ type }) => type === 'submitted')?.attempts.length;
      if (attempt > 1) await hurry(membership.gateway);
      expect(tried).toBeGreaterThanOrEqual(attempt);
    });
  }
  // The endpoint is paused after so many failures.
  await eventually(async () => {
    await hurry(membership.gateway);
    expect(receiver.ids()).toHaveLength(2);
  });
  // A result is recorded after the receiver's response.
  await eventually(async () =>
    expect((await rest('GET', `/v1/webhooks/${webhookId}`)).body.health).toMatchObject({ dead: 1, pending: 0 }),
  );
  const [dead] = await ledger(rest, webhookId, '&state=dead');
  expect(dead).toMatchObject({ type: 'submitted', state: 'dead', nextAttemptAt: null });
  expect(dead.attempts).toHaveLength(10);
  expect(receiver.received.filter(({ type }) => type === 'submitted')).toHaveLength(10);
  expect(dead.attempts[0]).toMatchObject({ status: 500, answer: 'no such thing', error: null });
  receiver.answer = 200;
  expect((await rest('POST', `/v1/webhooks/deliveries/${dead.eventId}/redeliver`)).status).toBe(202);
  await eventually(async () => expect(await ledger(rest, webhookId, '&state=delivered')).toHaveLength(2));
  expect(receiver.received.at(-1)).toMatchObject({ id: dead.deliveryId, type: 'submitted' });
});

/** The next such write to the queues fails: before it is made, or after it, so that only its reply is lost. */
function failQueueWrite(when: 'before' | 'after', isIt: (change: UpdateQuery<WebhookQueueRow>) => boolean) {
  const fail = vi.fn(() => Promise.reject(new Error('the connection broke')));
  const { webhookQueues } = webhookModels(membership.gateway.app.connection);
  const write = webhookQueues.updateMany.bind(webhookQueues);
  const failing = vi.spyOn(webhookQueues, 'updateMany').mockImplementation(((filter: object, change: object) => {
    if (!isIt(change)) return write(filter, change);
    failing.mockRestore();
    const made = when === 'after' ? write(filter, change).exec() : Promise.resolve();
    return made.then(fail);
  }) as never);
  onTestFinished(() => failing.mockRestore());
  return fail;
}

it('deliveries arrive although the reply to the claim of their queue was lost', async () => {
  const failed = failQueueWrite('after', ({ $set }) => Boolean($set?.holder));
  await register(rest, receiver);
  await issueMany(membership, 1, 'unclaimed');
  await arrived(receiver, 2);
  expect(failed).toHaveBeenCalledOnce();
});

it('a redelivery that the store interrupted is done by the next request', async () => {
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  await issueMany(membership, 1, 'again');
  const [{ deliveryId }] = await eventually(async () => {
    const delivered = await ledger(rest, webhookId, '&state=delivered');
    expect(delivered).toHaveLength(1);
    return delivered;
  });
  const redeliver = async () => (await rest('POST', `/v1/webhooks/deliveries/${deliveryId}/redeliver`)).status;
  failQueueWrite('before', ({ $inc }) => $inc?.work !== undefined);
  expect([await redeliver(), await redeliver()]).toEqual([500, 202]);
  await eventually(() => expect(receiver.received).toHaveLength(2));
});

it('deliveries are signed with both secrets after a rotation', async () => {
  const { webhookId, secret } = await register(rest, receiver);
  const rotated = (await rest('POST', `/v1/webhooks/${webhookId}/rotate`)).body;
  expect(rotated.secret).not.toBe(secret);
  for (const one of [secret, rotated.secret]) {
    receiver.secrets.set('/', one);
    const before = receiver.received.length;
    expect((await rest('POST', `/v1/webhooks/${webhookId}/test`)).body.state).toBe('delivered');
    expect(receiver.received.slice(before)).toMatchObject([{ type: 'ping', signatures: 2 }]);
  }
  expect(receiver.forged).toEqual([]);
});

it('a partner sees only its own webhooks and events', async () => {
  const other = await registerPartner(membership.gateway);
  const { webhookId } = await register(rest, receiver);
  await register(other.rest, receiver, { path: '/other' });
  await issueMany(membership, 1, 'mine');
  await arrived(receiver, 2);
  const [delivery] = await ledger(rest, webhookId);
  for (const [method, path] of [
    ['GET', `/v1/webhooks/${webhookId}`],
    ['DELETE', `/v1/webhooks/${webhookId}`],
    ['POST', `/v1/webhooks/${webhookId}/rotate`],
    ['POST', `/v1/webhooks/${webhookId}/test`],
    ['GET', `/v1/webhooks/${webhookId}/deliveries`],
    ['POST', `/v1/webhooks/deliveries/${delivery.deliveryId}/redeliver`],
    ['POST', `/v1/webhooks/deliveries/${delivery.eventId}/redeliver`],
  ] as const)
    expect([path, (await other.rest(method, path)).status]).toEqual([path, 404]);
  expect((await other.rest('GET', '/v1/webhooks')).body.items).toHaveLength(1);
  expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/']));
});

it('a receiver that was unreachable for a while gets all events', async () => {
  const count = Number(process.env.WEBHOOK_ISSUANCES ?? 20);
  const { webhookId } = await register(rest, receiver, { types: ['submitted'] });
  const first = await issueMany(membership, count / 2, 'before');
  await receiver.stop();
  const second = await issueMany(membership, count / 2, 'away');
  await eventually(async () => expect((await ledger(rest, webhookId, '&state=pending')).length).toBeGreaterThan(0));
  await receiver.start();
  // Many issuances take longer than the five seconds before the second attempt; the third is after five minutes.
  await eventually(() => expect(receiver.ids().length).toBeGreaterThanOrEqual(count), 480_000);
  const hashes = new Set(receiver.received.map(({ data }) => data.coreClaimHash));
  expect(hashes).toEqual(new Set([...first, ...second]));
  await eventually(async () =>
    expect((await rest('GET', `/v1/webhooks/${webhookId}`)).body.health).toMatchObject({ pending: 0, dead: 0 }),
  );
}, 900_000);
