// How much one caller may subscribe to: sockets and event streams of a caller, operations of a socket, and distinct operations of anonymous callers.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';
import { RawSocket } from './raw-socket.js';

const SUBSCRIPTION = 'subscription { catalogChanged { id } }';
const from = (address: string) => ({ 'x-forwarded-for': address });

let gateway: TestGateway;
let partner: TestPartner;
const opened: RawSocket[] = [];

beforeAll(async () => {
  const env = { TRUST_PROXY: '1', SOCKETS: '3', SOCKET_OPERATIONS: '5', ANONYMOUS_SUBSCRIPTIONS: '6' };
  gateway = await startGateway({ env: { ...env, PARTNER_SOCKETS: '6', PARTNER_SOCKET_OPERATIONS: '8' } });
  partner = await registerPartner(gateway);
});
afterAll(() => gateway.close());

async function open(headers: Record<string, string> = {}, init: object = {}): Promise<RawSocket> {
  const socket = await RawSocket.open(gateway, { headers, init });
  opened.push(socket);
  return socket;
}

/** The close code of a socket that is refused. */
const refused = (headers: Record<string, string>, init: object = {}) => RawSocket.refusal(gateway, { headers, init });

async function stream(headers: Record<string, string>, path = `/graphql?query=${encodeURIComponent(SUBSCRIPTION)}`) {
  const stop = new AbortController();
  const accept = 'text/event-stream';
  const answer = await fetch(gateway.url + path, { headers: { accept, ...headers }, signal: stop.signal });
  return { answer, close: () => stop.abort() };
}

/** Closes everything that the test has opened, and waits until the gateway has noticed. */
function closeAll(): void {
  for (const socket of opened.splice(0)) socket.close();
}

describe('Without credentials', () => {
  it('one address without credentials has a limit of sockets and event streams, and another address its own', async () => {
    const address = from('192.0.2.1');
    await open(address);
    await open(address);
    const events = await stream(address);
    expect(events.answer.status).toBe(200);
    expect(await refused(address)).toMatchObject({ code: 4430, reason: 'Too many sockets' });
    const { answer } = await stream(address);
    expect(answer.status).toBe(429);
    expect(await answer.json()).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', category: 'limit' } }],
    });
    await open(from('192.0.2.2'));
    events.close();
    await eventually(() => open(address));
    closeAll();
  });

  it('the addresses of one IPv6 network share one limit of sockets', async () => {
    for (const host of ['1', '2:3', 'ffff:1:2:3'])
      await open(from(`2001:db8:0:7:${'0:'.repeat(4 - host.split(':').length)}${host}`));
    expect(await refused(from('2001:db8:0:7::9'))).toMatchObject({ code: 4430 });
    await open(from('2001:db8:0:8::9'));
    closeAll();
  });

  it('a socket that is refused for another reason takes no seat', async () => {
    const address = from('192.0.2.3');
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await refused(address, { 'x-partner-auth': 'no' })).toMatchObject({ code: 4403 });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const gone = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: address,
      });
      gone.on('error', () => {});
      gone.on('open', () => {
        gone.send('{"type":"connection_init"}');
        gone.terminate();
      });
      await new Promise((resolve) => gone.once('close', resolve));
    }
    await eventually(async () => {
      closeAll();
      for (let index = 0; index < 3; index += 1) await open(address);
    });
    closeAll();
  });

  it('a socket without credentials has a limit of operations', async () => {
    const socket = await open(from('192.0.2.4'));
    for (let id = 0; id <= 5; id += 1) socket.subscribe(String(id), SUBSCRIPTION);
    const { id, payload } = await socket.message(({ type }) => type === 'error');
    expect(id).toBe('5');
    expect(payload[0].extensions).toMatchObject({ code: 'RATE_LIMITED' });
    socket.send({ id: '1', type: 'complete' });
    socket.subscribe('another', '{ __typename }');
    expect(await socket.results('another', 1)).toEqual([{ data: { __typename: 'Query' } }]);
    closeAll();
  });

  it('all anonymous clients together have a limit of distinct operations, each with any number of subscribers', async () => {
    const distinct = (name: string): string => `subscription { ${name}: catalogChanged { id } }`;
    const listening = () => gateway.app.subscriptions.counters.groups;
    await eventually(() => expect(listening()).toBe(0));
    const first = await open(from('192.0.2.5'));
    const second = await open(from('192.0.2.6'));
    for (let index = 0; index < 3; index += 1) {
      first.subscribe(String(index), distinct(`a${index}`));
      second.subscribe(String(index), distinct(`b${index}`));
    }
    await eventually(() => expect(listening()).toBe(6));
    second.subscribe('one more', distinct('c'));
    const [{ errors }] = await second.results('one more', 1);
    expect(errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', httpStatus: 429 });
    second.subscribe('the same', distinct('a0'));
    const known = await open({}, { 'x-partner-auth': await partner.token() });
    known.subscribe('own', distinct('d'));
    await eventually(() => expect(listening()).toBe(7));
    first.send({ id: '1', type: 'complete' });
    await eventually(() => expect(listening()).toBe(6));
    second.subscribe('after all', distinct('c'));
    await eventually(() => expect(listening()).toBe(7));
    expect(second.messages.filter(({ id, type }) => id === 'the same' && type !== 'next')).toEqual([]);
    closeAll();
  });
});

describe('With credentials', () => {
  it('a partner has higher limits of sockets and operations, from any address', async () => {
    const own = await registerPartner(gateway);
    const init = { 'x-partner-auth': await own.token() };
    for (let index = 0; index < 5; index += 1) await open(from(`198.51.100.${index}`), init);
    const events = await stream(init, '/v1/events');
    expect(events.answer.status).toBe(200);
    expect(await refused({}, init)).toMatchObject({ code: 4430 });
    expect((await stream(init, '/v1/events')).answer.status).toBe(429);
    const [socket] = opened;
    for (let id = 0; id <= 8; id += 1) socket?.subscribe(String(id), 'subscription { issuanceEvents { id } }');
    expect(await socket?.message(({ type }) => type === 'error')).toMatchObject({ id: '8' });
    events.close();
    closeAll();
  });

  it('a holder has a limit of its own, independent of its address', async () => {
    const address = from('192.0.2.7');
    for (let index = 0; index < 3; index += 1) await open(address);
    const authorization = `Bearer ${await logIn(gateway, partner, 'many@example.org')}`;
    for (let index = 0; index < 3; index += 1) await open(address, { authorization });
    expect(await refused(from('192.0.2.8'), { authorization })).toMatchObject({ code: 4430 });
    closeAll();
  });
});

describe('A login', () => {
  const BEGIN =
    'mutation ($email: String!, $partnerId: String!) { login(input: { email: $email, partnerId: $partnerId }) { loginId } }';

  it('a login over a socket or an event stream counts for the address of the client', async () => {
    const { logins } = gateway.app.services;
    const begin = vi.spyOn(logins, 'begin');
    const variables = { email: 'address@example.org', partnerId: partner.partnerId };
    const socket = await open(from('203.0.113.1'));
    socket.subscribe('1', BEGIN, variables);
    await socket.results('1', 1);
    const answer = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...from('203.0.113.2') },
      body: JSON.stringify({ query: BEGIN, variables }),
    });
    await answer.text();
    await gateway.gql(BEGIN, variables, from('203.0.113.3'));
    expect(begin.mock.calls.map(([, address]) => address)).toEqual(['203.0.113.1', '203.0.113.2', '203.0.113.3']);
    begin.mockRestore();
    closeAll();
  });
});
