// Requests at the limits of what HTTP allows: each is served as the standards say, or refused with the actual reason.
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';

const SCHEMA_ID = 'https://schemas.example/club/membership.json';
let gateway: TestGateway;
let partner: TestPartner;
beforeAll(async () => {
  gateway = await startGateway();
  await registerIssuer(gateway, 'zürich');
  partner = await registerPartner(gateway);
  const dataPoints = [{ name: 'level', type: 'integer' }];
  const body = { title: 'Membership', description: '', dataPoints };
  const put = await gateway.admin('PUT', `/v1/admin/schemas/${encodeURIComponent(SCHEMA_ID)}`, { body });
  expect(put.status).toBe(200);
});
afterAll(() => gateway.close());

/** Sends a request line of these bytes, which fetch would change. */
async function raw(line: Buffer | string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    Buffer.concat([
      Buffer.from('GET '),
      Buffer.from(line as string),
      Buffer.from(' HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    ]),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return { status: Number(text.split(' ')[1]), text };
}

describe('A body with a content-encoding', () => {
  const BODY = JSON.stringify({ query: '{ __typename }', from: 'text', to: 'iden3', value: ['level >= 1'] });
  const send = (path: string, body: Buffer | string, encoding: string, type = 'application/json') =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, 'content-encoding': encoding, 'x-admin-api-key': gateway.operatorKey },
      body,
    });

  it.each([
    ['gzip', gzipSync(BODY)],
    ['deflate', deflateSync(BODY)],
    ['br', brotliCompressSync(BODY)],
    ['gzip, identity', gzipSync(BODY)],
    ['made-up', Buffer.from(BODY)],
  ])('a body with the content-encoding %s is 415', async (encoding, body) => {
    for (const path of ['/v1/conditions/convert', '/graphql', '/v1/admin/import']) {
      const type = path.endsWith('import') ? 'application/x-ndjson' : 'application/json';
      const answer = await send(path, body, encoding, type);
      expect([path, answer.status]).toEqual([path, 415]);
      expect(await answer.text()).toContain('without content-encoding');
    }
  });

  it.each(['identity', 'Identity', ''])('a body with the content-encoding "%s" is read', async (encoding) => {
    expect((await send('/graphql', '{"query":"{ __typename }"}', encoding)).status).toBe(200);
  });
});

describe('A query string', () => {
  it.each(['%FF', 'a%C3', '%C3%28', '%ED%A0%80', 'a%20%E2%82', '%F8%88%80%80%80'])(
    'a query string with bytes that are not UTF-8 is refused: %s',
    async (text) => {
      for (const path of [
        `/v1/catalog/search?q=ab${text}`,
        `/v1/catalog/credentials?${text}=1`,
        `/graphql?query=${text}`,
      ])
        expect((await raw(path)).status, path).toBe(400);
      expect((await raw(`/v1/catalog/search?q=ab${text}`)).text).toContain('not percent-encoded UTF-8');
    },
  );

  it.each([
    ['%C3%BC', 1],
    ['%c3%bc', 1],
    ['%', 0],
    ['%zz', 0],
  ])('a query string in UTF-8 is read, and a lone percent sign is allowed: z%srich', async (text, found) => {
    const line = Buffer.concat([
      Buffer.from('/v1/catalog/search?q=z'),
      Buffer.from(text as string),
      Buffer.from('rich'),
    ]);
    expect((await raw(line)).status).toBe(200);
    // The search index follows the catalog.
    if (found) await eventually(async () => expect((await raw(line)).text).toContain('"issuerId":"z\u00fcrich"'));
  });

  it('a query string with bytes that are not escaped is refused', async () => {
    const line = Buffer.concat([Buffer.from('/v1/catalog/search?q=z'), Buffer.from([0xfc]), Buffer.from('rich')]);
    expect((await raw(line)).status).toBe(400);
  });
});

describe('An id that is a URL', () => {
  it('an id that is a URL is found if it is percent-encoded', async () => {
    expect((await raw(`/v1/catalog/schemas/${encodeURIComponent(SCHEMA_ID)}`)).status).toBe(200);
  });

  it.each([
    `/v1/catalog/schemas/${SCHEMA_ID}`,
    `/v1/catalog/schemas/${SCHEMA_ID}?page=1`,
    '/v1/catalog/schemas/https:/schemas.example/club/membership.json',
    `/v1/schemas/${SCHEMA_ID}/versions/1`,
    '/v1/catalog/issuers/ipfs://bafy/a',
  ])('an id that is a URL and not percent-encoded is refused with the reason: %s', async (path) => {
    const { status, text } = await raw(path);
    expect(status).toBe(404);
    expect(text).toContain('an id that is a URL must be percent-encoded');
    const written = await gateway.admin('PUT', path, { body: {} });
    expect(written.body.message).toContain('percent-encoded');
  });

  it.each(['/v1/nothing', '/v1/nothing?next=https://example.org/', '/v1/catalog/schemas/a/b'])(
    'other refusals do not have the reason of an unencoded URL: %s',
    async (path) => expect((await raw(path)).text).toContain('There is nothing at this path.'),
  );
});

describe('HEAD', () => {
  it.each(['/v1/events', '/v1/events?limit=5', '/v1/dstorage/vcs', '/v1/catalog/credentials', '/health/live'])(
    'HEAD has the status and the type of GET: %s',
    async (path) => {
      const headers = { 'x-partner-auth': await partner.token() };
      const [got, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => fetch(`${gateway.url}${path}`, { method, headers })),
      );
      expect(head?.status).toBe(200);
      expect(head?.headers.get('content-type')).toBe(got?.headers.get('content-type'));
      expect(await head?.text()).toBe('');
    },
  );

  it.each([
    ['a query', 'query={issuers{totalCount}}', 200],
    ['the same query again', 'query={issuers{totalCount}}', 200],
    ['an invalid query', 'query={nothing}', 200],
    ['no query', '', 400],
    ['a mutation', 'query=mutation{logout{__typename}}', 405],
  ])('HEAD of GraphQL has the status, the type and the length of GET, for %s', async (_name, query, expected) => {
    const [got, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(`${gateway.url}/graphql?${query}`, { method })),
    );
    expect([got?.status, head?.status]).toEqual([expected, expected]);
    for (const name of ['content-type', 'content-length', 'etag'])
      expect([name, head?.headers.get(name)]).toEqual([name, got?.headers.get(name)]);
    expect(await head?.text()).toBe('');
  });

  it('HEAD of a stream ends at once, and is refused as GET is', async () => {
    const head = (path: string, headers: Record<string, string>) =>
      fetch(`${gateway.url}${path}`, { method: 'HEAD', headers });
    const own = { 'x-partner-auth': await partner.token(), accept: 'text/event-stream' };
    const stream = await head('/v1/events', own);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect((await head('/v1/events?limit=0', own)).status).toBe(400);
    expect((await head('/v1/events', {})).status).toBe(401);
  });
});
