// Guarded fetch: registered addresses never lead the gateway to forbidden hosts, and cannot make it wait for long.
import { once } from 'node:events';
import http, { type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedFetch, isJson } from '../../../src/http/outbound/guarded-fetch.js';
import type { GuardedFetchError } from '../../../src/http/outbound/guarded-fetch-error.js';
import { checkOutboundUrl, isPublicAddress } from '../../../src/http/outbound/outbound-address.js';
import { standStill } from '../../support/stand-still.js';

const servers: net.Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

/** A server on loopback that counts connections. */
async function counted(listener: RequestListener): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server: Server = http.createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const ok: RequestListener = (_, response) => response.setHeader('content-type', 'application/json').end('{"keys":[]}');
const sandbox = guardedFetch({ allowLoopback: true });
const production = guardedFetch({ allowLoopback: false });
const reasonOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: GuardedFetchError) => error.reason,
  );

describe('addresses that are refused before any connection, in production', () => {
  it.each([
    ['plain http', 'http://example.com/'],
    ['http to loopback', 'http://127.0.0.1:PORT/'],
    ['https to loopback', 'https://127.0.0.1:PORT/'],
    ['localhost', 'https://localhost:PORT/'],
    ['decimal', 'https://2130706433:PORT/'],
    ['octal', 'https://0177.0.0.1:PORT/'],
    ['octal without dots', 'https://017700000001:PORT/'],
    ['hex', 'https://0x7f000001:PORT/'],
    ['hex with dots', 'https://0x7f.0.0.1:PORT/'],
    ['short form', 'https://127.1:PORT/'],
    ['zero', 'https://0.0.0.0:PORT/'],
    ['zero, short', 'https://0:PORT/'],
    ['IPv6 loopback', 'https://[::1]:PORT/'],
    ['IPv6 unspecified', 'https://[::]:PORT/'],
    ['IPv4-mapped', 'https://[::ffff:127.0.0.1]:PORT/'],
    ['IPv4-mapped, hex', 'https://[::ffff:7f00:1]:PORT/'],
    ['IPv4-compatible', 'https://[::127.0.0.1]:PORT/'],
    ['NAT64', 'https://[64:ff9b::7f00:1]:PORT/'],
    ['NAT64, local prefix', 'https://[64:ff9b:1::7f00:1]:PORT/'],
    ['6to4', 'https://[2002:7f00:1::]:PORT/'],
    ['unique local', 'https://[fd00:ec2::254]/'],
    ['link-local IPv6', 'https://[fe80::1]/'],
    ['site-local IPv6', 'https://[fec0::1]/'],
    ['multicast IPv6', 'https://[ff02::1]/'],
    ['metadata', 'https://169.254.169.254/latest/meta-data/'],
    ['metadata over http', 'http://169.254.169.254/latest/meta-data/'],
    ['metadata, decimal', 'https://2852039166/'],
    ['metadata, mapped', 'https://[::ffff:a9fe:a9fe]/'],
    ['metadata in CGNAT space', 'https://100.100.100.200/'],
    ['a cloud agent on a public address', 'https://168.63.129.16/'],
    ['private 10/8', 'https://10.0.0.1/'],
    ['private 172.16/12', 'https://172.31.255.255/'],
    ['private 192.168/16', 'https://192.168.1.1/'],
    ['CGNAT', 'https://100.64.0.1/'],
    ['benchmark', 'https://198.18.0.1/'],
    ['multicast', 'https://224.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['user and password', 'https://user:secret@example.com/'],
    ['user only', 'https://user@example.com/'],
    ['empty user', 'https://@example.com/'],
    ['user that looks like a host', 'https://example.com@127.0.0.1:PORT/'],
    ['backslash', 'https:\\\\example.com\\'],
    ['full-width digits', 'https://１２７.０.０.１/'],
    ['enclosed digits', 'https://①②⑦.0.0.1/'],
    ['escaped host', 'https://%31%32%37.0.0.1/'],
    ['fragment', 'https://example.com/#x'],
    ['another scheme', 'file:///etc/passwd'],
    ['gopher', 'gopher://127.0.0.1:PORT/'],
    ['no scheme', 'example.com/jwks'],
    ['nothing', ''],
  ])('an address is refused before any connection in production: %s: %s', async (_, text) => {
    const server = await counted(ok);
    const url = text.replace('PORT', String(server.port));
    expect(await reasonOf(production(url))).toBe('refused');
    expect(server.connections()).toBe(0);
  });
});

describe('names are judged by what they resolve to', () => {
  it.each([
    ['loopback', ['127.0.0.1']],
    ['a private address', ['10.1.2.3']],
    ['metadata', ['169.254.169.254']],
    ['IPv6 loopback', ['::1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['NAT64 of a private address', ['64:ff9b::a00:1']],
    ['a public and a private address', ['93.184.215.14', '192.168.0.1']],
  ])('a name that resolves to %s is not connected to, nor in the sandbox', async (_, addresses) => {
    const server = await counted(ok);
    for (const allowLoopback of [true, false]) {
      const fetch = guardedFetch({ allowLoopback, resolve: async () => addresses });
      expect(await reasonOf(fetch(`https://keys.example.com:${server.port}/`))).toBe('refused');
    }
    expect(server.connections()).toBe(0);
  });

  it('a name that does not resolve, or to nothing, is a failed connection', async () => {
    const none = guardedFetch({ allowLoopback: false, resolve: async () => [] });
    const fails = guardedFetch({ allowLoopback: false, resolve: async () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await reasonOf(none('https://a.example/'))).toBe('connect');
    expect(await reasonOf(fails('https://a.example/'))).toBe('connect');
  });

  it('resolving a name counts towards the time limit', async () => {
    const never = guardedFetch({ allowLoopback: false, resolve: () => new Promise(() => undefined) });
    expect(await reasonOf(never('https://a.example/', { timeoutMs: 20 }))).toBe('timeout');
  });
});

describe('in the sandbox', () => {
  it('in the sandbox, requests over http to loopback work, by address and by localhost', async () => {
    const server = await counted(ok);
    for (const host of ['127.0.0.1', 'localhost']) {
      const answer = await guardedFetch({ allowLoopback: true, resolve: async () => ['127.0.0.1'] })(
        `http://${host}:${server.port}/jwks.json?x=1`,
      );
      expect(answer).toMatchObject({ status: 200, contentType: 'application/json' });
      expect(answer.body.toString()).toBe('{"keys":[]}');
    }
  });

  it.each([
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://0.0.0.0:PORT/',
  ])('in the sandbox, hidden spellings of loopback are refused: %s', async (text) => {
    const server = await counted(ok);
    expect(await reasonOf(sandbox(text.replace('PORT', String(server.port))))).toBe('refused');
    expect(server.connections()).toBe(0);
  });

  it('a redirect is returned as a response and not followed', async () => {
    const target = await counted(ok);
    const server = await counted((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${target.port}/` }).end(),
    );
    expect((await sandbox(`http://127.0.0.1:${server.port}/`)).status).toBe(302);
    expect(target.connections()).toBe(0);
  });

  it('a response over the limit is cut off, with content-length or without', async () => {
    const announced = await counted((_, response) => response.end(Buffer.alloc(70_000)));
    const streamed = await counted((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on('drain', more);
      more();
    });
    for (const { port } of [announced, streamed]) {
      expect(await reasonOf(sandbox(`http://127.0.0.1:${port}/`))).toBe('too-large');
    }
  });

  it('a response that never arrives, or arrives very slowly, ends at the time limit', async () => {
    const silent = await counted(() => undefined);
    const dripping = await counted((_, response) => {
      const timer = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(timer));
    });
    for (const { port } of [silent, dripping]) {
      expect(await reasonOf(sandbox(`http://127.0.0.1:${port}/`, { timeoutMs: 60 }))).toBe('timeout');
    }
  });

  it('a time in which the gateway stands still is not the other side’s', async () => {
    const { port } = await counted(ok);
    const response = sandbox(`http://127.0.0.1:${port}/`, { timeoutMs: 2_000 });
    standStill(2_500);
    expect(await reasonOf(response)).toBe('answered');
  });

  it('a server that does not exist is a failed connection, and nothing was sent', async () => {
    const { port } = await counted(ok);
    await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
    await expect(sandbox(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ reason: 'connect', sent: false });
  });

  it('a body is sent by POST with its length and the passed headers', async () => {
    const seen: string[] = [];
    const server = await counted((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => seen.push(text));
      request.on('end', () => response.end(`${request.method} ${request.headers['x-api-key']}`));
    });
    const answer = await sandbox(`http://127.0.0.1:${server.port}/`, {
      method: 'POST',
      headers: { 'x-api-key': 'k' },
      body: 'grüße',
    });
    expect(answer.body.toString()).toBe('POST k');
    expect(seen.join('')).toBe('grüße');
  });
});

describe('https', () => {
  it('over https, a server is not used if its certificate is not trusted for the name', async () => {
    // A plain TCP server: the handshake cannot succeed, and no request may be sent to it unencrypted.
    const received: Buffer[] = [];
    const server = net.createServer((socket) => {
      socket.on('data', (bytes) => {
        received.push(bytes);
        socket.destroy();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
    expect(await reasonOf(sandbox(url))).toBe('connect');
    expect(Buffer.concat(received).toString('latin1')).not.toContain('secret-path');
  });
});

describe('what counts as', () => {
  it.each(['93.184.215.14', '8.8.8.8', '2606:4700:4700::1111'])('an address counts as public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    'https://example.com/jwks',
    'https://EXAMPLE.com:443/a@b',
    'https://xn--bcher-kva.example/',
    'https://8.8.8.8/',
  ])('a URL is accepted: %s', (url) => {
    expect(checkOutboundUrl(url, { allowLoopback: false }).protocol).toBe('https:');
  });

  it.each([
    ['http://10.0.0.1/', true],
    ['http://127.0.0.1/', true],
    ['https://[fd00::1]/', true],
    ['http://network.internal/', true],
    ['http://169.254.169.254/', false],
    ['https://[fe80::1]/', false],
    ['https://0.0.0.0/', false],
    ['https://100.100.100.200/', false],
    ['ftp://10.0.0.1/', false],
  ])('an address counts as internal: %s is %s', (url, is) => {
    const policy = { allowLoopback: false, allowInternal: true };
    if (is) expect(checkOutboundUrl(url, policy).href).toBe(url);
    else expect(() => checkOutboundUrl(url, policy)).toThrow();
    expect(() => checkOutboundUrl(url, { allowLoopback: false })).toThrow();
  });

  it('if internal addresses are allowed, a name that resolves to a private one is connected to, and never one of metadata', async () => {
    const resolvesTo = (address: string) =>
      guardedFetch({ allowLoopback: false, allowInternal: true, resolve: async () => [address] });
    const server = await counted((_, response) => response.end('inside'));
    const url = `http://network.internal:${server.port}/`;
    expect((await resolvesTo('127.0.0.1')(url)).body.toString()).toBe('inside');
    expect(await reasonOf(resolvesTo('169.254.169.254')(url))).toBe('refused');
  });

  it.each([
    ['application/json', true],
    ['application/jwk-set+json', true],
    ['text/html', false],
    ['', false],
    ['application/jsonx', false],
  ])('a media type counts as JSON: %s is %s', (contentType, is) => {
    expect(isJson({ status: 200, contentType, body: Buffer.alloc(0) })).toBe(is);
  });
});
