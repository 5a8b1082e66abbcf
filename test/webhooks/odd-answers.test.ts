// Receivers that answer as no HTTP server does: each attempt fails or counts, none stays open, and the endpoints get their deliveries afterwards.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { ODD_ANSWERS, type OddServer, oddServer } from '../support/odd-server.js';
import { registerPartner } from '../support/partner.js';
import { Receiver } from './receiver.js';
import { hurry, issueMany, ledger, register, type Rest } from './support.js';

let membership: Membership;
let rest: Rest;
beforeAll(async () => {
  membership = await startMembership();
  rest = membership.partner;
});
afterAll(() => membership.gateway.close());

const servers: OddServer[] = [];
afterEach(async () => {
  for (const { webhookId } of (await rest('GET', '/v1/webhooks')).body.items)
    await rest('DELETE', `/v1/webhooks/${webhookId}`);
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const MAX_WEBHOOKS = 20;
const ANSWERS = Object.entries(ODD_ANSWERS);

it.each([
  ['first', ANSWERS.slice(0, MAX_WEBHOOKS)],
  ['rest', ANSWERS.slice(MAX_WEBHOOKS)],
])('Unusual responses end the attempt, and the next delivery arrives: the %s', async (_, answers) => {
  const webhookIds: string[] = [];
  for (const [, odd] of answers) {
    const server = await oddServer((_request, response) => response.writeHead(204).end());
    server.odd = odd;
    servers.push(server);
    const { body } = await rest('POST', '/v1/webhooks', { url: server.url, types: ['submitted'] });
    webhookIds.push(body.webhookId);
  }
  await issueMany(membership, 2, `odd-${answers.length}`);
  for (const [at, webhookId] of webhookIds.entries())
    await eventually(async () => {
      const tried = (await ledger(rest, webhookId)).filter(
        ({ attempts }: { attempts: object[] }) => attempts.length > 0,
      );
      expect([answers[at]?.[0], tried.length > 0]).toEqual([answers[at]?.[0], true]);
    });
  for (const server of servers) server.odd = undefined;
  await eventually(async () => {
    await hurry(membership.gateway);
    for (const [at, webhookId] of webhookIds.entries()) {
      const states = (await ledger(rest, webhookId)).map(({ state }: { state: string }) => state);
      expect([answers[at]?.[0], ...states]).toEqual([answers[at]?.[0], 'delivered', 'delivered']);
    }
  });
});

it('A partner has at most four test pings in progress, and does not delay those of others', async () => {
  const hanging = await new Receiver().start();
  const good = await new Receiver().start();
  const held: (() => void)[] = [];
  hanging.answer = (response) => held.push(() => response.writeHead(204).end());
  const { webhookId } = await register(rest, hanging);
  const ping = () => rest('POST', `/v1/webhooks/${webhookId}/test`);
  const pings = Array.from({ length: 4 }, ping);
  await eventually(() => expect(held).toHaveLength(4));
  const refused = await ping();
  expect([refused.status, refused.body.message]).toEqual([
    429,
    'A partner may have 4 test pings under way at the same time.',
  ]);
  const { rest: others } = await registerPartner(membership.gateway);
  const { webhookId: otherId } = await register(others, good);
  expect((await others('POST', `/v1/webhooks/${otherId}/test`)).body.state).toBe('delivered');
  for (const end of held) end();
  for (const { body } of await Promise.all(pings)) expect(body.state).toBe('delivered');
  hanging.answer = 204;
  expect((await ping()).body.state).toBe('delivered');
  await Promise.all([hanging.stop(), good.stop()]);
});
