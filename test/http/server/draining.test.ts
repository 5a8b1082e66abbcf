// What a stopping gateway does for balancers: requests on existing connections are answered, and new connections are refused at once.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

interface Connection {
  socket: Socket;
  text: string;
  ended: Promise<unknown>;
}

async function open(): Promise<Connection> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const connection: Connection = { socket, text: '', ended: once(socket, 'close') };
  socket.on('data', (chunk) => {
    connection.text += chunk;
  });
  return connection;
}

const GET = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n';
const BODY = '{"query":"{ __typename }"}';
const POST = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;
const responsesOf = ({ text }: Connection) => text.match(/HTTP\/1\.1 \d+/g) ?? [];

/** Opens a connection as a balancer would keep it: it has had one response. */
async function openIdle(): Promise<Connection> {
  const connection = await open();
  connection.socket.write(GET);
  await eventually(() => expect(responsesOf(connection)).toEqual(['HTTP/1.1 200']));
  expect(connection.text).toContain('keep-alive');
  return connection;
}

const isRefused = () =>
  open().then(
    () => false,
    ({ code }) => code === 'ECONNREFUSED',
  );

describe('A gateway that drains', () => {
  it.each([
    ['GET', GET],
    ['POST', POST],
  ])('a gateway that drains responds to a %s on an idle connection, which then ends', async (_method, request) => {
    const idle = await openIdle();
    const drained = gateway.app.drain();
    expect(await isRefused()).toBe(true);
    idle.socket.write(request);
    await idle.ended;
    expect(responsesOf(idle)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(idle.text.split('HTTP/1.1 200')[2]).toMatch(/^connection: close\r$/im);
    await drained;
  });

  it('a gateway that drains responds to a request whose body is still arriving, and to one on an unused connection', async () => {
    const [slow, unused] = [await open(), await open()];
    slow.socket.write(POST.slice(0, -5));
    await eventually(() => expect(gateway.app.requestsUnderWay()).toHaveLength(1));
    const drained = gateway.app.drain();
    expect(await isRefused()).toBe(true);
    slow.socket.write(POST.slice(-5));
    unused.socket.write(GET);
    await Promise.all([slow.ended, unused.ended, drained]);
    expect([responsesOf(slow), responsesOf(unused)]).toEqual([['HTTP/1.1 200'], ['HTTP/1.1 200']]);
  });

  it('a gateway that drains waits a moment for unused connections, and then closes them', async () => {
    const idle = await openIdle();
    await gateway.app.drain();
    expect(idle.socket.closed).toBe(false);
    const ended = gateway;
    gateway = await startGateway();
    await ended.close();
    await idle.ended;
    expect(responsesOf(idle)).toEqual(['HTTP/1.1 200']);
  });
});
