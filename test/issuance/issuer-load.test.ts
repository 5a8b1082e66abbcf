// What issuers can do to a gateway, and holders by way of issuers: each call is paid for, bounded and ended, and nobody waits for another's.
import type { RequestListener, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { Points } from '../../src/base/callers/points.js';
import { IssuerLoad } from '../../src/issuance/issuer-load.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { ODD_ANSWERS, type OddServer, oddServer } from '../support/odd-server.js';
import { logIn, registerPartner, type TestPartner } from '../support/partner.js';
import { requestCommandsOf } from '../support/request-commands.js';

/** The clock stands still, so that no points come back. */
const NOW = Date.now();
const REQUEST_POINTS = 5;
const CALL_POINTS = 50;

let gateway: TestGateway;
let partner: TestPartner;
const open: OddServer[] = [];
const live = new Set<string>();
let number = 0;
beforeAll(async () => {
  gateway = await startGateway({ clock: () => NOW, monitorCommands: true });
  partner = await registerPartner(gateway);
  const dataPoints = [{ name: 'note', type: 'string' }];
  await gateway.admin('PUT', '/v1/admin/schemas/s1', { body: { title: 's1', description: '', dataPoints } });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all(open.map((server) => server.close()));
});
// Issuers of earlier tests are asked no more.
beforeEach(async () => {
  for (const id of live) await gateway.admin('DELETE', `/v1/admin/issuers/${id}`);
  live.clear();
});

const nothing: RequestListener = (_, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');

interface Issuer {
  id: string;
  server: OddServer;
}

async function issuer(listener: RequestListener = nothing): Promise<Issuer> {
  const server = await oddServer(listener);
  open.push(server);
  number += 1;
  const id = `loaded-${number}`;
  const body = {
    name: id,
    issuerFrom: 'test',
    issuerDid: `did:web:${id}.example`,
    availableVcUrl: `${server.url}/available`,
    issueVcUrl: `${server.url}/issue`,
  };
  const { status } = await gateway.admin('PUT', `/v1/admin/issuers/${id}`, { body });
  expect(status).toBe(200);
  live.add(id);
  return { id, server };
}

/** A holder that is logged in. */
async function holder() {
  number += 1;
  const headers = { authorization: `Bearer ${await logIn(gateway, partner, `${number}@example.org`)}` };
  const available = (query = '') => gateway.rest('GET', `/v1/credentials/available${query}`, { headers });
  const issue = (issuerId: string) =>
    gateway.rest('POST', '/v1/credentials/issue', { body: { issuerId, schemaId: 's1' }, headers });
  /** Points that are left after this question, which costs 5 itself. */
  const left = async (): Promise<number> => {
    const answer = await gateway.rest('GET', '/v1/credentials/available?issuerId=nobody', { headers });
    return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
  };
  return { headers, available, issue, left };
}

/** An issuer that answers when it is told to. */
async function heldIssuer() {
  const held: ServerResponse[] = [];
  const { id, server } = await issuer((_, response) => void held.push(response));
  const end = (): void => {
    for (const response of held.splice(0))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  };
  return { id, server, held, end };
}

/** What has become of each issuer by a list's response. */
const outcomeOf = ({ body }: { body: { unavailable: string[] } }): string[] => body.unavailable.toSorted();

it('the facts about a holder are read once, however many issuers are asked', async () => {
  const { available } = await holder();
  await available();
  const counts: number[] = [];
  for (let issuers = 1; issuers <= 5; issuers += 1) {
    await issuer();
    // Whether the partner of a session is still there is asked once a second, whatever the requests.
    const { commands } = await requestCommandsOf(gateway, (collection) => collection !== 'partners').of(available);
    counts.push(commands.length);
  }
  expect(counts).toEqual(counts.map(() => counts[0]));
});

it('a holder pays for each call, also for those of one GraphQL query and for retries', async () => {
  const [first, second] = [await issuer(), await issuer()];
  const { available, issue, left, headers } = await holder();
  let before = await left();
  const paid = async (): Promise<number> => {
    const now = await left();
    const points = before - now - REQUEST_POINTS;
    before = now;
    return points;
  };
  await available();
  expect(await paid()).toBe(REQUEST_POINTS + 2 * CALL_POINTS);
  await available(`?issuerId=${first.id}`);
  expect(await paid()).toBe(REQUEST_POINTS + CALL_POINTS);
  const query = '{ a: availableCredentials { unavailable } b: availableCredentials { unavailable } }';
  expect((await gateway.gql(query, {}, headers)).errors).toBeUndefined();
  const byQuery = await paid();
  expect(byQuery).toBeGreaterThan(4 * CALL_POINTS);
  expect(byQuery).toBeLessThan(5 * CALL_POINTS);
  second.server.odd = (socket) => void socket.write('HTTP/1.1 503 Away\r\ncontent-length: 0\r\n\r\n');
  expect((await issue(second.id)).status).toBe(503);
  expect(second.server.requests).toBe(1 + 2 + 3);
  const byRetries = await paid();
  expect(byRetries).toBeGreaterThanOrEqual(3 * CALL_POINTS + 20);
  expect(byRetries).toBeLessThan(4 * CALL_POINTS);
  // Without a call, nothing is paid for one.
  expect((await available('?issuerId=unknown')).status).toBe(404);
  expect(await paid()).toBe(REQUEST_POINTS);
});

it.each([
  ['zeros', (count: number) => `{"data":[${'0,'.repeat(count)}0]}`],
  ['objects', (count: number) => `{"data":[${'{},'.repeat(count)}{}]}`],
  ['offers', () => JSON.stringify({ data: [], more: 'x'.repeat(300 * 1_024) })],
])('a holder also pays for the size of a response: %s', async (_name, text) => {
  const body = text(100_000);
  const { id } = await issuer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  );
  const { available, left } = await holder();
  const before = await left();
  expect((await available(`?issuerId=${id}`)).status).toBe(200);
  const paid = before - (await left()) - 2 * REQUEST_POINTS - CALL_POINTS;
  expect(paid).toBe(Math.floor(body.length / 1_024));
});

it('a response that is nested too deeply is refused before it is parsed', async () => {
  const body = `{"data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const { id } = await issuer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  );
  const { available } = await holder();
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  expect(outcomeOf(await available(`?issuerId=${id}`))).toEqual([id]);
  expect(parse.mock.calls.filter(([text]) => text.length === body.length)).toEqual([]);
});

it('a holder without points makes no calls, and other holders keep theirs', () => {
  const load = new IssuerLoad(new Points({ requestPoints: 2 * CALL_POINTS, partnerRequestPoints: 1 }, () => NOW));
  const caller = (holderId: string) => ({ kind: 'holder', holderId, sessionId: 's', expiresAt: NOW }) as const;
  for (let calls = 0; calls < 10; calls += 1) load.admit(caller('a'), 1);
  expect(() => load.admit(caller('a'), 1)).toThrow('asked for too much');
  expect(() => load.admit(caller('b'), 10)).not.toThrow();
});

it('a holder has at most 40 calls to issuers in progress, and other holders are served', async () => {
  const held = await Promise.all(Array.from({ length: 10 }, heldIssuer));
  const busy = await holder();
  const waiting = Array.from({ length: 4 }, () => busy.available());
  await eventually(() => expect(new Set(held.map((each) => each.held.length))).toEqual(new Set([4])));
  const good = await issuer();
  const refused = [await busy.issue(good.id), await busy.available(`?issuerId=${good.id}`), await busy.available()];
  expect(refused.map(({ status }) => status)).toEqual([429, 429, 429]);
  expect(refused[0]?.body.message).toBe('A holder may have 40 calls to issuers under way at the same time.');
  expect(good.server.requests).toBe(0);
  const other = await holder();
  expect((await other.issue(good.id)).status).toBe(202);
  for (const { end } of held) end();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
  expect((await busy.issue(good.id)).status).toBe(202);
});

it('an issuer has at most 32 calls in progress: further ones fail at once and cost nothing, and other issuers are asked', async () => {
  const { id, held, end } = await heldIssuer();
  const busy = await Promise.all(Array.from({ length: 8 }, holder));
  const waiting = busy.flatMap(({ issue }) => Array.from({ length: 4 }, () => issue(id)));
  await eventually(() => expect(held).toHaveLength(32));
  const other = await holder();
  const before = await other.left();
  const refused = await other.issue(id);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(refused.body.message).toBe(`The issuer ${id} is asked by too many at the same time.`);
  expect(before - (await other.left())).toBeLessThan(CALL_POINTS);
  const good = await issuer();
  expect(outcomeOf(await other.available())).toEqual([id]);
  expect(good.server.requests).toBe(1);
  expect(held).toHaveLength(32);
  end();
  await Promise.all(waiting);
  expect(outcomeOf(await other.available(`?issuerId=${good.id}`))).toEqual([]);
});

it('a holder has at most 4 calls to one issuer in progress, in REST and GraphQL; others, and other issuers, are served', async () => {
  const { id, held, end } = await heldIssuer();
  const busy = await holder();
  const query = '{ a: availableCredentials { unavailable } b: availableCredentials { unavailable } }';
  const waiting = [busy.issue(id), busy.available(`?issuerId=${id}`), gateway.gql(query, {}, busy.headers)];
  await eventually(() => expect(held).toHaveLength(4));
  const before = await busy.left();
  const refused = await busy.issue(id);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  const sentence = `The issuer ${id} has 4 calls of this holder under way, the most at the same time.`;
  expect(refused.body.message).toBe(sentence);
  expect(outcomeOf(await busy.available(`?issuerId=${id}`))).toEqual([id]);
  expect(before - (await busy.left())).toBeLessThan(CALL_POINTS);
  const good = await issuer();
  expect(outcomeOf(await busy.available())).toEqual([id]);
  expect([good.server.requests, held.length]).toEqual([1, 4]);
  const other = await holder();
  const served = other.issue(id);
  await eventually(() => expect(held).toHaveLength(5));
  end();
  expect((await served).status).toBe(202);
  await Promise.all(waiting);
  const again = busy.available(`?issuerId=${id}`);
  await eventually(() => expect(held).toHaveLength(1));
  end();
  expect(outcomeOf(await again)).toEqual([]);
});

it('a slow issuer is reported beside the offers of the others, and not waited for', async () => {
  const { id, held, end } = await heldIssuer();
  const good = await issuer();
  const { available } = await holder();
  expect(outcomeOf(await available())).toEqual([id]);
  expect([held.length, held[0]?.destroyed, good.server.requests]).toEqual([1, false, 1]);
  end();
  // Who asks it alone waits.
  const alone = available(`?issuerId=${id}`);
  await eventually(() => expect(held).toHaveLength(1));
  end();
  expect(outcomeOf(await alone)).toEqual([]);
});

it('the circuit opens for an issuer that does not respond', async () => {
  const { id, server } = await heldIssuer();
  const holders = await Promise.all(Array.from({ length: 5 }, holder));
  const answers = await Promise.all(holders.map(({ issue }) => issue(id)));
  for (const { status, body } of answers)
    expect([status, body.message]).toEqual([503, `The issuer ${id} did not answer in 10 s.`]);
  const refused = await holders[0]?.issue(id);
  expect(refused?.body.message).toBe(`The issuer ${id} has failed several times; it is asked again in a moment.`);
  expect(server.requests).toBe(5);
});

it('the circuit of one address opens although another address of the issuer responds', async () => {
  const { id, server } = await issuer((request, response) => {
    if (request.url === '/available') nothing(request, response as never);
    else request.socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n');
  });
  const { issue, available } = await holder();
  for (let call = 0; call < 5; call += 1) {
    expect((await issue(id)).status).toBe(503);
    expect(outcomeOf(await available())).toEqual([]);
  }
  const { requests } = server;
  expect((await issue(id)).body.message).toContain('has failed several times');
  expect(server.requests).toBe(requests);
  expect(outcomeOf(await available())).toEqual([]);
});

it('unusual responses end their calls, and the next calls work', async () => {
  const odd = await Promise.all(
    Object.entries(ODD_ANSWERS).map(async ([name, answer]) => {
      const { id, server } = await issuer((_, response) => response.writeHead(201).end());
      server.odd = answer;
      return { name, id, server };
    }),
  );
  const { issue } = await holder();
  const all = () => Promise.all(odd.map(async ({ name, id }) => [name, (await issue(id)).status]));
  expect(await all()).toEqual(odd.map(({ name }) => [name, 503]));
  for (const { server } of odd) server.odd = undefined;
  expect(await all()).toEqual(odd.map(({ name }) => [name, 202]));
});
