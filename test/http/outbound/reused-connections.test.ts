// Connections that requests share: only checked ones are reused, and a connection that was closed meanwhile causes no failure.
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import type { GuardedFetchError } from '../../../src/http/outbound/guarded-fetch-error.js';
import { eventually } from '../../support/eventually.js';

const servers: http.Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

/** A server that counts connections. */
async function counted(listener: RequestListener, host = '127.0.0.1') {
  let connections = 0;
  const server = http.createServer(listener).on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  servers.push(server);
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const ok: RequestListener = (_, response) => response.end('{}');
const sandbox = guardedFetch({ allowLoopback: true });
const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: GuardedFetchError) => error.reason,
  );

describe('requests that may be repeated', () => {
  const post = { method: 'POST', body: '{}', repeatable: true } as const;

  it('repeatable requests use the connection of an earlier one, and other requests have their own', async () => {
    const server = await counted(ok);
    const url = `http://127.0.0.1:${server.port}/`;
    for (let round = 0; round < 3; round += 1) expect((await sandbox(url, post)).status).toBe(200);
    expect(server.connections()).toBe(1);
    for (let round = 0; round < 2; round += 1) await sandbox(url, { method: 'POST', body: '{}' });
    expect(server.connections()).toBe(3);
  });

  it('repeatable requests are sent again, over a new connection, if the other side has just closed the old one', async () => {
    const requests: number[] = [];
    const seen = new WeakSet();
    const server = await counted((request, response) => {
      requests.push(server.connections());
      if (seen.has(request.socket)) request.socket.destroy();
      else ok(request, response);
      seen.add(request.socket);
    });
    const url = `http://127.0.0.1:${server.port}/`;
    for (let round = 0; round < 2; round += 1) expect((await sandbox(url, post)).status).toBe(200);
    expect(requests).toEqual([1, 1, 2]);
  });

  it('repeatable requests are not sent again if a new connection breaks', async () => {
    const server = await counted((request) => request.socket.destroy());
    expect(await reasonOf(sandbox(`http://127.0.0.1:${server.port}/`, post))).toBe('broken');
    expect(server.connections()).toBe(1);
  });

  it('repeatable requests go to the address that was checked for them, also if the name resolved to another one before', async () => {
    const server = await counted((request, response) => response.end(request.socket.localAddress), '0.0.0.0');
    let address = '127.0.0.1';
    const fetch = guardedFetch({ allowLoopback: false, allowInternal: true, resolve: async () => [address] });
    const url = `http://network.internal:${server.port}/`;
    expect((await fetch(url, post)).body.toString()).toBe('127.0.0.1');
    address = '127.0.0.2';
    expect((await fetch(url, post)).body.toString()).toBe('127.0.0.2');
    address = '169.254.169.254';
    expect(await reasonOf(fetch(url, post))).toBe('refused');
  });

  it('repeatable requests do not read the rest of a body that is too long: the connection is closed', async () => {
    const server = await counted((_, response) => response.end('x'.repeat(1_000_000)));
    const url = `http://127.0.0.1:${server.port}/`;
    for (let round = 0; round < 2; round += 1) {
      const answer = await sandbox(url, { ...post, cut: true, maxBytes: 10 });
      expect(answer.body.toString()).toBe('x'.repeat(10));
    }
    expect(server.connections()).toBe(2);
  });

  it('repeatable requests end at their own time limit over a connection that served others before', async () => {
    let requests = 0;
    const server = await counted((request, response) => {
      requests += 1;
      if (requests === 1) ok(request, response);
    });
    const url = `http://127.0.0.1:${server.port}/`;
    await sandbox(url, { ...post, timeoutMs: 60_000 });
    expect(await reasonOf(sandbox(url, { ...post, timeoutMs: 100 }))).toBe('timeout');
    await eventually(() => expect(requests).toBe(2));
  });
});
