// Issuers that answer for wallets over hostile connections, redirects and bodies: each answer is bounded, nothing of a bad one reaches the wallet, and
// no other issuer waits.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ODD_ANSWERS, type OddAnswer, type OddServer } from '../support/odd-server.js';
import { errorOf } from './authorizing-world.js';
import { given, hostileWorld } from './hostile-world.js';

const here = await hostileWorld();
const { gateway, world, calm, behind, walletAt, own, issuancesOf } = here;
afterAll(() => here.close());
beforeEach(() => here.calm());

const HEADERS: OddAnswer = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  socket.write(`a: ${'b'.repeat(1_000)}\r\n`.repeat(10_000));
};
const ENDLESS: OddAnswer = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"credentials":["');
  const timer = setInterval(() => socket.write('x'.repeat(65_536)), 1);
  socket.on('close', () => clearInterval(timer));
};
const ODD = { ...ODD_ANSWERS, 'ten megabytes of headers': HEADERS, 'a body without an end, fast': ENDLESS };

describe('A connection that an issuer misuses', () => {
  it('ends, all at once, with 503; meanwhile others are served, and then the same wallet gets its credential', async () => {
    const all: { name: string; server: OddServer; at: Awaited<ReturnType<typeof walletAt>> }[] = [];
    for (const [name, odd] of Object.entries(ODD)) {
      let body = '';
      const server = await behind((_request, response) => response.end(body));
      const at = await walletAt(own(`${server.url}/credential`));
      body = JSON.stringify(await given(at.key, world.foreign));
      server.odd = odd;
      all.push({ name, server, at });
    }
    const asked = all.map(async ({ name, at }) => [name, errorOf(await at.ask())]);
    world.officeGives();
    await calm();
    const { body: token } = await world.token(world.at('office'), 'identity', 'patient@example.org');
    expect((await world.ask(world.at('office'), token.access_token, 'identity')).status).toBe(200);
    expect(await Promise.all(asked)).toEqual(all.map(({ name }) => [name, '503 temporarily_unavailable']));
    for (const { server } of all) server.odd = undefined;
    const again = await Promise.all(all.map(async ({ name, at }) => [name, (await at.ask()).status]));
    expect(again).toEqual(all.map(({ name }) => [name, 200]));
  });
});

describe('A redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i to a private address is not followed', async (status) => {
    const inside = await behind((_request, response) => response.end('{}'));
    for (const location of [`${inside.url}/`, 'http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd']) {
      const server = await behind((_request, response) => response.writeHead(status, { location }).end());
      const at = await walletAt(own(server.url));
      expect(errorOf(await at.ask())).toBe('503 temporarily_unavailable');
    }
    expect(inside.requests).toBe(0);
  });

  it.each(['http://10.0.0.1/', 'https://169.254.169.254/', 'https://[fd00::1]/', 'ftp://office.example/'])(
    'and so is %s as the address itself',
    async (credentialUrl) => {
      const trust = { anchors: [world.foreign.anchor] };
      const body = { name: 'x', issuerFrom: 'test', issuerDid: 'did:web:x.example', credentialUrl, ...trust };
      const { status } = await gateway.admin('PUT', '/v1/admin/issuers/x', { body });
      if (status === 200)
        expect(errorOf(await (await walletAt(own(credentialUrl))).ask())).toBe('503 temporarily_unavailable');
      else expect(status).toBe(400);
    },
  );
});

describe('A body', () => {
  const text = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) => ({
    body,
    headers,
    status,
  });
  const json = (body: unknown) => text(JSON.stringify(body));
  it.each<[string, ReturnType<typeof text>]>([
    ['of nothing', text('')],
    ['of null', json(null)],
    ['of a list', json([])],
    ['that is no JSON', text('{"credentials":[')],
    ['that is HTML', text('<html></html>')],
    ['that is nested without end', text(`{"credentials":${'['.repeat(100_000)}`)],
    ['nested deeply', text(`{"credentials":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)],
    ['with a text for a list', json({ credentials: 'a~' })],
    ['with numbers', json({ credentials: [1] })],
    ['with an empty text', json({ credentials: [''] })],
    ['with eleven', json({ credentials: Array.from({ length: 11 }, () => 'a~') })],
    ['with 100,000', json({ credentials: Array.from({ length: 100_000 }, () => 'a') })],
    ['with a credential of a megabyte', json({ credentials: [`a~${'b'.repeat(1_000_000)}~`] })],
    ['with a credential of 100,000 disclosures', json({ credentials: [`a${'~b'.repeat(100_000)}~`] })],
    ['over a megabyte', json({ credentials: ['a~'], more: 'x'.repeat(1_100_000) })],
    ['for another kind of issuer', json({ credentialSubject: {} })],
    ['that is compressed', text(gzipSync(Buffer.alloc(1_000_000)), { 'content-encoding': 'gzip' })],
    ['of 202 without an interval', text('{}', {}, 202)],
    ['of 202 for a second more than a week', text('{"interval":604801}', {}, 202)],
    ['of 202 for half a second', text('{"interval":0.5}', {}, 202)],
    ['of 202 for a time before now', text('{"interval":-5}', {}, 202)],
    ['of 202 for a text', text('{"interval":"5"}', {}, 202)],
    ['of 202 for a number without end', text('{"interval":1e999}', {}, 202)],
  ])('%s is 503, and tells the wallet nothing of it', async (_name, { body, headers, status }) => {
    const server = await behind((_request, response) => response.writeHead(status, headers).end(body));
    const at = await walletAt(own(server.url));
    const answer = await at.ask();
    expect(errorOf(answer)).toBe('503 temporarily_unavailable');
    expect(Object.keys(answer.body).sort()).toEqual(['error', 'error_description']);
    expect(JSON.stringify(answer.body).length).toBeLessThan(300);
    expect(await issuancesOf(at.id)).toBe(0);
  });
});
