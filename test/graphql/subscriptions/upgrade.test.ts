// Upgrades on a connection that also carries other requests: responses keep their order, and none is lost.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const SOCKET =
  'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n';
const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
const get = (path: string, fields = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
/** This request waits for another thread, however long that takes. */
const WAITS = get('/v1/catalog/search?q=door');

function open(): Socket {
  const { port, hostname } = new URL(gateway.url);
  return connect(Number(port), hostname);
}

/** Writes text in one piece; resolves with the received text when it matches, or when the connection has ended. */
async function exchange(text: string, until: RegExp): Promise<string> {
  const connection = open();
  connection.write(text);
  let received = '';
  for await (const chunk of connection) {
    received += chunk.toString('latin1');
    if (until.test(received)) break;
  }
  return received;
}

const statuses = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');

describe('An upgrade to a WebSocket', () => {
  it('an upgrade to a WebSocket waits for the responses to earlier requests', async () => {
    const text = await exchange(`${WAITS}${get('/nowhere')}${SOCKET}`, /HTTP\/1\.1 101 [\s\S]*\r\n\r\n/);
    expect(statuses(text)).toEqual(['200', '404', '101']);
  });

  it('an upgrade to a WebSocket keeps the bytes that the client has sent after it', async () => {
    const init = '{"type":"connection_init"}';
    const frame = String.fromCharCode(0x81, 0x80 | init.length, 0, 0, 0, 0);
    const connection = open();
    connection.write(Buffer.from(`${WAITS}${SOCKET}${frame}${init}`, 'latin1'));
    let received = '';
    for await (const chunk of connection) {
      received += chunk.toString('latin1');
      if (received.includes('connection_ack')) break;
    }
    expect(received).toContain('{"type":"connection_ack"}');
  });

  it('a refused upgrade to a WebSocket gets its response after those to earlier requests', async () => {
    const refused = SOCKET.replace(/Sec-WebSocket-Key.*\r\n/, '');
    expect(statuses(await exchange(`${WAITS}${refused}`, /never/))).toEqual(['200', '400']);
    const nowhere = SOCKET.replace('/graphql', '/nowhere');
    expect(statuses(await exchange(`${WAITS}${nowhere}`, /never/))).toEqual(['200', '404']);
  });
});

describe('An upgrade to HTTP/2', () => {
  it('an upgrade to HTTP/2 is ignored, and every request around it gets its response in order', async () => {
    const text = await exchange(
      `${WAITS}${get('/health/live', H2C)}${get('/nowhere', H2C)}${WAITS}${SOCKET}`,
      /HTTP\/1\.1 101 [\s\S]*\r\n\r\n/,
    );
    expect(statuses(text)).toEqual(['200', '200', '404', '200', '101']);
  });

  it("an ignored upgrade to HTTP/2 leaves the client's other connection options unchanged", async () => {
    const text = await exchange(get('/health/live', H2C.replace('Upgrade,', 'close, Upgrade,')), /never/);
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
  });

  it('an upgrade to HTTP/2 may be offered in every request of a long connection', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    const text = await exchange(`${get('/health/live', H2C).repeat(100)}${get('/nowhere')}`, /404[\s\S]*path/);
    expect(statuses(text)).toEqual([...Array<string>(100).fill('200'), '404']);
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});

describe('What cannot be read', () => {
  it('unreadable bytes get a response after those to earlier requests', async () => {
    expect(statuses(await exchange(`${WAITS}nonsense\r\n\r\n`, /never/))).toEqual(['200', '400']);
  });

  it('unreadable bytes inside a body get the response to that request', async () => {
    const fields = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    const post = `POST /graphql HTTP/1.1\r\nHost: x\r\n${fields}\r\n5\r\n{"que\r\nnonsense\r\n`;
    expect(statuses(await exchange(`${WAITS}${post}`, /never/))).toEqual(['200', '400']);
  });
});

describe('A tunnel', () => {
  it('a tunnel is refused with a response, because the gateway is no proxy', async () => {
    const text = await exchange(`${WAITS}CONNECT elsewhere:443 HTTP/1.1\r\nHost: x\r\n\r\n`, /never/);
    expect(statuses(text)).toEqual(['200', '404']);
  });
});

describe('A client that still sends after its refusal', () => {
  it.each([
    ['of a tunnel', 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['of a WebSocket', SOCKET.replace('/graphql', '/nowhere')],
  ])(
    'a client that still sends after its refusal %s is not reset, so it can read the response',
    async (_name, request) => {
      const { port, hostname } = new URL(gateway.url);
      const connection = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      const errors: Error[] = [];
      connection.on('error', (error) => errors.push(error));
      const closed = new Promise((resolve) => connection.once('close', resolve));
      const ended = new Promise((resolve) => connection.once('end', resolve));
      connection.write(request);
      let received = '';
      connection.on('data', (chunk) => {
        received += chunk.toString('latin1');
      });
      await ended;
      for (let more = 0; more < 5; more += 1) await new Promise((resolve) => connection.write('more bytes', resolve));
      await new Promise((resolve) => setTimeout(resolve, 100));
      connection.end('the last');
      await closed;
      expect(errors).toEqual([]);
      expect(statuses(received)).toEqual(['404']);
    },
  );

  it('a client that sends for ever after its refusal is disconnected', async () => {
    const { port, hostname } = new URL(gateway.url);
    const connection = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    connection.on('error', () => {}).resume();
    connection.write('CONNECT elsewhere:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    const timer = setInterval(() => connection.write('more'), 50);
    await new Promise((resolve) => connection.once('close', resolve));
    clearInterval(timer);
  });
});

describe('A stream of events behind an answer that is still made', () => {
  it('an event stream behind a response in progress ends with its connection', async () => {
    const stream = get('/graphql?query=subscription{catalogChanged{id}}', 'Accept: text/event-stream\r\n');
    const listening = () => gateway.app.subscriptions.counters.groups;
    const connection = open();
    connection.on('error', () => {});
    // The first response never ends, so the other requests wait for ever.
    connection.write(stream.repeat(3));
    await eventually(() => expect(gateway.app.requestsUnderWay()).toHaveLength(3));
    await eventually(() => expect(listening()).toBe(1));
    connection.resetAndDestroy();
    await eventually(() => expect(gateway.app.requestsUnderWay()).toEqual([]));
    await eventually(() => expect(listening()).toBe(0));
  });
});

describe('A body that is cut off', () => {
  // The first request waits for another thread, so the second has no response yet when the client disconnects.
  it.each([
    ['without a type', ''],
    ['of NDJSON', 'Content-Type: application/x-ndjson\r\n'],
    ['of JSON', 'Content-Type: application/json\r\n'],
  ])('a body that is cut off %s causes no error of the gateway', async (_name, type) => {
    const post = `POST /graphql HTTP/1.1\r\nHost: x\r\n${type}Transfer-Encoding: chunked\r\n\r\n5\r\n{"que\r\n`;
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const connection = open();
      const closed = new Promise((resolve) => connection.once('close', resolve));
      connection.on('error', () => {});
      connection.write(WAITS.repeat(attempt) + post, () => connection.resetAndDestroy());
      await closed;
    }
    // Requests that waited behind others have also ended.
    await eventually(() => expect(gateway.app.requestsUnderWay()).toEqual([]));
    // In these tests, an error that nobody handles ends the process.
    expect((await gateway.rest('GET', '/health/live')).status).toBe(200);
  });
});
