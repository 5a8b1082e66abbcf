// Whatever the other side does with a connection, a guarded request ends within its time limit, leaves no connection open, and does not block later
// requests.
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { type GuardedRequest, guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import type { GuardedFetchError } from '../../../src/http/outbound/guarded-fetch-error.js';
import { eventually } from '../../support/eventually.js';
import { GOOD, ODD_ANSWERS, type OddAnswer, type OddServer, oddServer } from '../../support/odd-server.js';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const fetch = guardedFetch({ allowLoopback: true });
const TIME = { timeoutMs: 100 };
/** Of requests that do not end by their time limit, however busy the machine is. */
const PATIENT = { timeoutMs: 60_000 };
const outcomeOf = (url: string, request: GuardedRequest): Promise<string> =>
  fetch(url, { ...TIME, ...request }).then(
    ({ status, body }) => `${status} ${body}`,
    ({ reason }: GuardedFetchError) => reason,
  );

const KINDS: Readonly<Record<string, GuardedRequest>> = {
  'over a connection of its own': { method: 'POST', body: '{}' },
  'over a shared connection': { method: 'POST', body: '{}', repeatable: true },
  'of which the status counts': { method: 'POST', body: '{}', repeatable: true, cut: true },
};

const FAILED = /^(timeout|broken|connect)$/;

async function start(): Promise<OddServer> {
  const server = await oddServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  );
  open.push(server);
  return server;
}

/** Nothing remains of a failed request, and the next one gets its response. */
async function isFree(server: OddServer, request: GuardedRequest): Promise<void> {
  server.odd = undefined;
  server.oddAtOnce = undefined;
  await eventually(() => expect(server.connections).toBe(0));
  // The next request has its own, long time limit.
  expect(await outcomeOf(server.url, { ...request, ...PATIENT })).toBe('200 {}');
}

describe.each(Object.entries(KINDS))('A request %s fails', (_kind, request) => {
  it.each(Object.entries(ODD_ANSWERS))('a request fails when it gets %s', async (_name, odd) => {
    const server = await start();
    server.odd = odd;
    expect(await outcomeOf(server.url, request)).toMatch(FAILED);
    await isFree(server, request);
  });

  it.each(Object.entries(ODD_ANSWERS))(
    'a request fails when it gets %s over the connection of an earlier one',
    async (_name, odd) => {
      const server = await start();
      expect(await outcomeOf(server.url, { ...request, ...PATIENT })).toBe('200 {}');
      server.odd = odd;
      expect(await outcomeOf(server.url, request)).toMatch(FAILED);
      await isFree(server, request);
    },
  );

  it.each(Object.entries(ODD_ANSWERS))(
    'a request fails or works, but ends, when %s comes before the response',
    async (_name, odd) => {
      const server = await start();
      server.oddAtOnce = odd;
      expect(await outcomeOf(server.url, request)).toMatch(/./);
      server.odd = undefined;
      server.oddAtOnce = undefined;
      expect(await outcomeOf(server.url, { ...request, ...PATIENT })).toBe('200 {}');
    },
  );

  it('a request fails when the connection is reset, ends or falls silent after any byte of the response', async () => {
    const closings: OddAnswer[] = [(socket) => void socket.resetAndDestroy(), (socket) => void socket.end(), () => {}];
    const cutAfter = async (length: number, close: OddAnswer): Promise<void> => {
      const server = await start();
      server.odd = (socket) => {
        socket.write(GOOD.slice(0, length), () => close(socket));
      };
      expect(await outcomeOf(server.url, request)).toMatch(FAILED);
      await isFree(server, request);
    };
    for (const close of closings)
      await Promise.all(Array.from({ length: GOOD.length }, (_, length) => cutAfter(length, close)));
  });
});

describe('A shared connection', () => {
  const repeatable = { method: 'POST', body: '{}', repeatable: true } as const;

  it('a shared connection is closed when the response came before the whole request was sent', async () => {
    let received = 0;
    const sockets = new Set<Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
      socket.pause().write(GOOD);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(server);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const body = Buffer.alloc(50_000_000);
    expect(await outcomeOf(url, { ...repeatable, body, ...PATIENT })).toBe('200 {}');
    for (const socket of sockets) socket.on('data', ({ length }) => (received += length)).resume();
    await eventually(() => expect(sockets.size).toBe(0));
    expect(received).toBeLessThan(body.length);
  });

  it('a shared connection is closed after two responses to one request', async () => {
    const server = await start();
    server.odd = (socket) => void socket.write(GOOD + GOOD);
    expect(await outcomeOf(server.url, repeatable)).toMatch(/./);
    await isFree(server, repeatable);
  });
});

describe('TLS that', () => {
  /**
   * A TLS server that sends only the beginning of its first messages, `length` bytes; then `then` decides about the
   * connection.
   */
  async function cutTls(length: number, then: OddAnswer): Promise<string> {
    // The server has a certificate of its own, so the handshake goes as far as the client allows.
    const tls = new SMTPServer({ secure: true, logger: false });
    tls.on('error', () => {});
    const inner = tls.server;
    tls.listen(0, '127.0.0.1');
    await once(inner, 'listening');
    const outer = net.createServer((near) => {
      const far = net.connect((inner.address() as AddressInfo).port, '127.0.0.1');
      let sent = 0;
      for (const socket of [near, far]) socket.on('error', () => {});
      near.on('data', (bytes) => far.write(bytes)).on('close', () => far.destroy());
      far.on('data', (bytes) => {
        if (sent >= length) return;
        const part = bytes.subarray(0, length - sent);
        sent += part.length;
        near.write(part, () => void (sent === length && then(near)));
      });
    });
    outer.listen(0, '127.0.0.1');
    await once(outer, 'listening');
    open.push(inner, outer);
    return `https://127.0.0.1:${(outer.address() as AddressInfo).port}/`;
  }

  it.each<[string, OddAnswer, GuardedRequest, string]>([
    ['stops', () => {}, {}, 'timeout'],
    ['ends', (socket) => void socket.end(), PATIENT, 'connect'],
    ['is reset', (socket) => void socket.resetAndDestroy(), PATIENT, 'connect'],
  ])('TLS that %s in its handshake is a failed connection', async (_name, then, request, expected) => {
    for (const length of [1, 5, 6, 40, 130, 300]) {
      expect(await outcomeOf(await cutTls(length, then), request)).toBe(expected);
    }
  });
});

it('a name that resolves only after the time limit is not connected to', async () => {
  const server = await start();
  let resolved = (_addresses: string[]): void => {};
  const late = guardedFetch({
    allowLoopback: false,
    allowInternal: true,
    resolve: () => new Promise((resolve) => (resolved = resolve)),
  });
  const url = server.url.replace('127.0.0.1', 'late.internal');
  await expect(late(url, { timeoutMs: 20 })).rejects.toMatchObject({ reason: 'timeout' });
  resolved(['127.0.0.1']);
  expect(await outcomeOf(server.url, PATIENT)).toBe('200 {}');
  expect(server.requests).toBe(1);
});
