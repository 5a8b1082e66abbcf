// Responses that come compressed although plain bytes were asked for: read within the same bound, or refused by name.
import { once } from 'node:events';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

/** What the guard returns for a body that a server sends with a content coding. */
async function fetched(coding: string, body: string | Buffer) {
  const server = http.createServer((_, response) => response.setHeader('content-encoding', coding).end(body));
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return guardedFetch({ allowLoopback: true })(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

describe('A response that is compressed unasked', () => {
  it.each([
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('by %s is read', async (coding, compress) => {
    expect((await fetched(coding, compress('{"plain": true}'))).body.toString()).toBe('{"plain": true}');
  });

  it('is bounded by the bytes that come out', async () => {
    await expect(fetched('gzip', gzipSync(Buffer.alloc(5_000_000)))).rejects.toMatchObject({ reason: 'too-large' });
  });

  it.each([
    ['gzip', 'x'],
    ['gzip', gzipSync('whole').subarray(0, 12)],
    ['br', Buffer.alloc(40, 255)],
    ['deflate', 'x'],
    ['zstd', 'x'],
    ['constructor', 'x'],
    ['gzip, br', 'x'],
  ])('in a way that cannot be read (%s) is refused', async (coding, body) => {
    await expect(fetched(coding, body)).rejects.toMatchObject({ reason: 'compressed' });
  });
});
