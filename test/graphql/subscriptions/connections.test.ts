// Who may connect and for how long: origins, expiring tokens, clients that do not read, and the gateway's own stop.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';
import { append, issuanceEvents } from './log.js';
import { RawSocket } from './raw-socket.js';

let gateway: TestGateway;
let partner: TestPartner;
let ahead = 0;

beforeAll(async () => {
  gateway = await startGateway({
    env: { CORS_ORIGINS: 'https://app.example', SOCKET_OPERATIONS: '500', PAGES: 'false' },
    clock: () => Date.now() + ahead,
  });
  partner = await registerPartner(gateway);
});
afterAll(() => gateway.close());

const EVENTS = 'subscription ($after: ID) { issuanceEvents(after: $after) { id coreClaimHash } }';

describe('A page', () => {
  const answerTo = async (origin: string): Promise<number | undefined> => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { origin });
    return new Promise((resolve, reject) => {
      socket.on('upgrade', ({ statusCode }) => resolve(statusCode));
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      socket.on('error', reject);
    }).finally(() => socket.terminate()) as Promise<number | undefined>;
  };

  it('a page of an allowed origin may open a socket, and other pages may not', async () => {
    expect(await answerTo('https://app.example')).toBe(101);
    expect(await answerTo('https://elsewhere.example')).toBe(403);
  });

  it('a page may not act for a partner that does not allow its origin', async () => {
    const allowing = await registerPartner(gateway);
    const { body } = await gateway.admin('GET', `/v1/admin/partners/${allowing.partnerId}`);
    const { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp } = body;
    const record = { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp };
    const allowedOrigins = ['https://partner.example'];
    await gateway.admin('PUT', `/v1/admin/partners/${allowing.partnerId}`, { body: { ...record, allowedOrigins } });
    const headers = { origin: 'https://partner.example' };
    const own = await RawSocket.open(gateway, { headers, init: { 'x-partner-auth': await allowing.token() } });
    own.close();
    const foreign = { headers, init: { 'x-partner-auth': await partner.token() } };
    expect(await RawSocket.refusal(gateway, foreign)).toMatchObject({ code: 4403 });
  });
});

describe('An upgrade', () => {
  it('an upgrade on a path without sockets gets the same response as any request', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/nowhere`);
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      socket.on('error', () => {});
    });
    expect(status).toBe(404);
  });

  it('an upgrade to HTTP/2, which some clients offer with every request, is ignored and the body read', async () => {
    const { port, hostname } = new URL(gateway.url);
    const connection = connect(Number(port), hostname);
    const body = JSON.stringify({ query: '{ __typename }' });
    const fields = ['Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
    const rest = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    connection.write(`POST /graphql HTTP/1.1\r\n${[...fields, ...rest].join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
    connection.write(body.slice(5));
    let text = '';
    for await (const chunk of connection) {
      text += chunk;
      if (text.includes('}}')) break;
    }
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
    expect(text).toContain('{"data":{"__typename":"Query"}}');
  });
});

describe('A socket', () => {
  it('a socket may get a token in its headers, too', async () => {
    const headers = { 'x-partner-auth': await partner.token() };
    const socket = await RawSocket.open(gateway, { headers, init: {} });
    socket.subscribe('1', '{ whoAmI { partnerId } }');
    expect(await socket.results('1', 1)).toEqual([{ data: { whoAmI: { partnerId: partner.partnerId } } }]);
    socket.close();
  });

  it('a socket is closed with 4403 when its token expires', async () => {
    const socket = await RawSocket.open(gateway, { init: { 'x-partner-auth': await partner.token() } });
    const anonymous = await RawSocket.open(gateway, { init: {} });
    try {
      ahead = 6 * 60_000;
      expect(await socket.closed).toMatchObject({ code: 4403 });
      await anonymous.settled();
    } finally {
      ahead = 0;
      anonymous.close();
    }
  });

  it('a socket is closed with 4403 when its holder logs out, by REST or GraphQL', async () => {
    const token = await logIn(gateway, partner, 'leaving@example.org');
    const socket = await RawSocket.open(gateway, { init: { authorization: `Bearer ${token}` } });
    await gateway.rest('POST', '/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } });
    expect(await socket.closed).toMatchObject({ code: 4403 });
  });
});

describe('A client that does not read', () => {
  const KILOBYTES = 'x'.repeat(400_000);
  /** The paused client reads no ping, so it would be closed after some of them without this pong. */
  const alive = ({ socket }: RawSocket) => socket.pong();

  it('a client that does not read is closed with 4413, and gets everything when it reconnects with after', async () => {
    const init = { 'x-partner-auth': await partner.token() };
    const slow = await RawSocket.open(gateway, { init });
    const quick = await RawSocket.open(gateway, { init });
    for (const socket of [slow, quick]) {
      socket.subscribe('1', EVENTS);
      await socket.settled();
    }
    await append(gateway, issuanceEvents(partner.partnerId, 'first', 1));
    const [first] = await slow.results('1', 1);
    slow.socket.pause();
    const { counters } = gateway.app.subscriptions;
    let count = 0;
    // The loop runs until messages wait in the gateway: the operating system buffers the first ones.
    while (gateway.app.subscriptions.counters.endedSlow === counters.endedSlow) {
      count += 1;
      alive(slow);
      await append(gateway, issuanceEvents(partner.partnerId, `${count}-${KILOBYTES}`, 1));
      await quick.results('1', count + 1);
    }
    slow.socket.resume();
    expect(await slow.closed).toMatchObject({ code: 4413 });
    const back = await RawSocket.open(gateway, { init });
    back.subscribe('1', EVENTS, { after: first.data.issuanceEvents.id });
    const all = await quick.results('1', count + 1);
    expect(await back.results('1', count)).toEqual(all.slice(1));
    back.close();
    quick.close();
  });

  it('a client of counts that does not read gets the newest only, and stays connected', async () => {
    const credentialId = `c-${'y'.repeat(490)}`;
    await gateway.app.connection.collection('credentials').insertOne({ _id: credentialId, live: true } as never);
    const fields = Array.from({ length: 60 }, (_, index) => `f${index}: credentialId`).join(' ');
    const query = `subscription ($c: String!) { tractionChanged(credentialId: $c) { id ${fields} } }`;
    const changed = () =>
      append(gateway, [
        { type: 'traction_changed', viewers: { public: true }, payload: { credentialIds: [credentialId] } },
      ]);
    const quick = await RawSocket.open(gateway, { init: {} });
    const slow = await RawSocket.open(gateway, { init: {} });
    quick.subscribe('0', query, { c: credentialId });
    for (let id = 0; id < 400; id += 1) slow.subscribe(String(id), query, { c: credentialId });
    await Promise.all([slow.settled(), quick.settled()]);
    slow.socket.pause();
    const { dropped } = gateway.app.subscriptions.counters;
    // One time window after the other.
    for (let window = 1; window <= 6; window += 1) {
      alive(slow);
      await changed();
      await quick.results('0', window);
    }
    expect(gateway.app.subscriptions.counters.dropped).toBeGreaterThan(dropped + 100);
    slow.socket.resume();
    const newest = (await quick.results('0', 6)).at(-1);
    for (const id of ['0', '200', '399']) {
      await slow.message(
        (message) => message.id === id && message.payload.data.tractionChanged.id === newest.data.tractionChanged.id,
      );
    }
    slow.close();
    quick.close();
  });
});

describe('When the gateway ends', () => {
  it('sockets are closed with 1001 and streams end when the gateway stops', async () => {
    const ending = await startGateway();
    const socket = await RawSocket.open(ending, { init: {} });
    socket.subscribe('1', 'subscription { catalogChanged { id } }');
    const deaf = await RawSocket.open(ending, { init: {} });
    deaf.socket.pause();
    const stream = await fetch(`${ending.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { catalogChanged { id } }' }),
    });
    await socket.settled();
    const ended = ending.close();
    expect(await socket.closed).toEqual({ code: 1001, reason: 'Going away' });
    expect(await stream.text()).not.toContain('complete');
    await ended;
  });
});
