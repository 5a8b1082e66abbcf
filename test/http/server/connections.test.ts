// Idle connections: those that nobody works for end, and those whose client waits for work do not.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownConnections } from '../../../src/http/server/connections.js';

const IDLE_MS = 100;
/** Long enough for several time limits to pass. */
const WORK_MS = 500;
const BODY = 'line\n';

describe('an idle connection', () => {
  let app: FastifyInstance;
  let port: number;
  beforeAll(async () => {
    app = Fastify();
    ownConnections(app);
    app.addContentTypeParser('*', (_request, body, done) => done(null, body));
    // As an import does: it reads some of the body, and is silent while it works.
    app.post('/works', async (request) => {
      await once(request.raw, 'readable');
      // From here on: on a busy machine, a request may need longer to arrive.
      request.raw.socket.setTimeout(IDLE_MS);
      await delay(WORK_MS);
      return { done: true };
    });
    app.post('/reads', async (request) => {
      for await (const _ of request.raw);
      return { done: true };
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = app.server.address() as AddressInfo);
  });
  afterAll(() => app.close());

  /** What a connection receives until it ends, after it has sent a request with a body of `length`. */
  const received = async (path: string, body: string, length: number): Promise<string> => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${body}`);
    await once(socket, 'close');
    return text;
  };

  beforeEach(() => {
    app.server.timeout = 0;
  });

  it('a connection whose request is complete is not ended while it is served', async () => {
    expect(await received('/works', BODY, BODY.length)).toContain('{"done":true}');
  });

  it('a connection whose request is still arriving is not ended while what has arrived waits to be read', async () => {
    expect(await received('/works', BODY, BODY.length + 1)).toContain('{"done":true}');
  });

  it('a connection that waits for the rest of a request is ended', async () => {
    app.server.timeout = IDLE_MS;
    expect(await received('/reads', BODY, BODY.length + 1)).toBe('');
  });

  it('a connection without a request is ended', async () => {
    app.server.timeout = IDLE_MS;
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(0);
  });
});
