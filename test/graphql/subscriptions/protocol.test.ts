// The protocol graphql-transport-ws as clients rely on it: every close code, over a socket on which the test sends each
// message itself.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerPartner } from '../../support/partner.js';
import { RawSocket } from './raw-socket.js';

let gateway: TestGateway;

/**
 * The first frame after a handshake for a protocol, read from the plain connection because libraries close before they
 * show it.
 */
async function firstFrame(protocol: string): Promise<{ opcode: number; code: number }> {
  const { port, hostname } = new URL(gateway.url);
  const connection = connect(Number(port), hostname);
  connection.write(
    `GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  let bytes = Buffer.alloc(0);
  for await (const chunk of connection) {
    bytes = Buffer.concat([bytes, chunk]);
    const begin = bytes.indexOf('\r\n\r\n') + 4;
    if (begin > 3 && bytes.length >= begin + 4) {
      return { opcode: (bytes[begin] ?? 0) & 0x0f, code: bytes.readUInt16BE(begin + 2) };
    }
  }
  throw new Error('the connection ended without a frame');
}

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const SUBSCRIPTION = 'subscription { catalogChanged { id } }';
const init = {};

describe('A socket is closed', () => {
  it('a socket is closed with 4400 when a message is not one of the protocol', async () => {
    for (const text of ['no JSON', '{"type":"start"}', '{"id":"1","type":"subscribe","payload":{}}', '[]', '{}']) {
      const socket = await RawSocket.open(gateway, { init });
      socket.send(text);
      expect(await socket.closed, text).toMatchObject({ code: 4400 });
    }
  });

  it('a socket is closed with 4400 when a client sends a message that only servers may send', async () => {
    const socket = await RawSocket.open(gateway, { init });
    socket.send({ id: '1', type: 'next', payload: {} });
    expect(await socket.closed).toMatchObject({ code: 4400 });
  });

  it('a socket is closed with 4401 when it subscribes before it was acknowledged', async () => {
    const socket = await RawSocket.open(gateway);
    socket.subscribe('1', SUBSCRIPTION);
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  it('a socket is closed with 4403 when its token is not valid', async () => {
    for (const shown of [
      { 'x-partner-auth': 'no.such.token' },
      { Authorization: 'Bearer a.b.c' },
      { 'x-admin-api-key': 7 },
    ]) {
      expect(await RawSocket.refusal(gateway, { init: shown })).toMatchObject({ code: 4403 });
    }
  });

  it('a socket is closed with 4406 when it uses another protocol', async () => {
    const silent = await RawSocket.open(gateway, { protocol: '' });
    expect(await silent.closed).toMatchObject({ code: 4406 });
    expect(await firstFrame('graphql-ws')).toMatchObject({ opcode: 8, code: 4406 });
  });

  it('a socket is closed with 4408 when it does not send connection_init', async () => {
    const socket = await RawSocket.open(gateway);
    expect(await socket.closed).toMatchObject({ code: 4408 });
  });

  it('a socket is closed with 4409 when an id is used twice', async () => {
    const socket = await RawSocket.open(gateway, { init });
    socket.subscribe('1', SUBSCRIPTION);
    socket.subscribe('1', SUBSCRIPTION);
    expect(await socket.closed).toMatchObject({ code: 4409, reason: 'Subscriber for 1 already exists' });
  });

  it('a socket is closed with 4429 when it sends connection_init twice', async () => {
    const socket = await RawSocket.open(gateway, { init });
    socket.send({ type: 'connection_init' });
    expect(await socket.closed).toMatchObject({ code: 4429 });
  });

  it('a socket is closed with 1009 when a message is larger than a body over HTTP may be', async () => {
    const socket = await RawSocket.open(gateway, { init });
    socket.subscribe('1', `{ __typename } # ${'x'.repeat(262_144)}`);
    expect(await socket.closed).toMatchObject({ code: 1009 });
  });
});

describe('Over a socket', () => {
  it('queries and mutations over a socket get the same responses as over HTTP', async () => {
    const partner = await registerPartner(gateway);
    const socket = await RawSocket.open(gateway, { init: { 'x-partner-auth': await partner.token() } });
    const query = '{ credentials(first: 1) { totalCount } whoAmI { kind partnerId } }';
    socket.subscribe('1', query);
    const headers = { 'x-partner-auth': await partner.token() };
    const { data, errors } = await gateway.gql(query, {}, headers);
    expect(await socket.results('1', 1)).toEqual([{ data, ...(errors ? { errors: expect.anything() } : {}) }]);
    await socket.message(({ type, id }) => type === 'complete' && id === '1');
    socket.close();
  });

  it('documents over a socket that are too deep or too large are refused as over HTTP', async () => {
    const deep = `{ credential(id: "a") ${'{ issuer { credentials { nodes '.repeat(5)} { name } ${'} } }'.repeat(5)} }`;
    const large = `{ ${'__typename '.repeat(1_001)} }`;
    const wide =
      '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { verifier { programs(first: 5) { nodes { name } } } } } } } }';
    const socket = await RawSocket.open(gateway, { init });
    for (const [id, query] of Object.entries({ deep, large, wide, wrong: '{ noSuchField }', broken: '{' })) {
      socket.subscribe(id, query);
      const { errors } = await gateway.gql(query);
      const refused = await socket.message((message) => message.type === 'error' && message.id === id);
      const same = (list: typeof errors = []) =>
        list.map(({ message, extensions }) => [message, extensions.code, extensions.httpStatus]);
      expect(same(refused.payload), id).toEqual(same(errors));
      expect(refused.payload[0].extensions.requestId).toBeTypeOf('string');
    }
    socket.close();
  });

  it('the depth and size of subscriptions are limited, too', async () => {
    const socket = await RawSocket.open(gateway, { init });
    const deep = `... on NetworkEvent { id } ${'x: __typename '.repeat(2)}`;
    socket.subscribe('1', `subscription { catalogChanged { ${deep} changes { ${'__typename '.repeat(1_000)} } } }`);
    const { payload } = await socket.message(({ type }) => type === 'error');
    expect(payload[0].extensions).toMatchObject({ code: 'QUERY_TOO_LARGE', category: 'limit' });
    socket.close();
  });

  it('an operation over a socket without the right to it gets the error of HTTP', async () => {
    const socket = await RawSocket.open(gateway, { init });
    socket.subscribe('1', 'subscription { issuanceEvents { id } }');
    const [{ errors }] = await socket.results('1', 1);
    expect(errors[0].extensions).toMatchObject({ code: 'UNAUTHENTICATED', httpStatus: 401 });
    await socket.message(({ type, id }) => type === 'complete' && id === '1');
    socket.close();
  });
});
