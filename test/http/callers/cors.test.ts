// Which pages may call and what they may send, including traces and GraphQL clients, from browsers, web views and extensions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerPartner, type TestPartner } from '../../support/partner.js';

const PAGE = 'https://app.example';
const VIEWS = [
  'capacitor://localhost',
  'ionic://localhost',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'safari-web-extension://0B1C2D3E-1111-4222-8333-000000000000',
];
const PATHS = ['/graphql', '/v1/catalog/issuers', '/v1/credentials/issue-on-behalf'];

let gateway: TestGateway;
let partner: TestPartner;
beforeAll(async () => {
  gateway = await startGateway({ env: { CORS_ORIGINS: `${PAGE},${VIEWS[0]}` } });
  partner = await registerPartner(gateway);
  const path = `/v1/admin/partners/${partner.partnerId}`;
  const { body: record } = await gateway.admin('GET', path);
  const { name, jwks, scopes } = record;
  const put = (allowedOrigins: string[]) =>
    gateway.admin('PUT', path, { body: { name, jwks, scopes, allowedOrigins } });
  expect((await put(['capacitor://localhost/'])).status).toBe(400);
  const { status, body } = await put(VIEWS.slice(1));
  expect([status, body.allowedOrigins]).toEqual([200, VIEWS.slice(1)]);
});
afterAll(() => gateway.close());

/** Behaves like a browser: it sends a preflight request first, and then only the headers that are allowed. */
async function browserSends(origin: string, path: string, headers: readonly string[]): Promise<boolean> {
  const asked = headers.join(',');
  const { status, headers: answer } = await gateway.rest('OPTIONS', path, {
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
  });
  const allowed = (answer.get('access-control-allow-headers') ?? '').split(/\s*,\s*/);
  return (
    status === 204 &&
    answer.get('access-control-allow-origin') === origin &&
    headers.every((name) => allowed.includes(name))
  );
}

describe.each(PATHS)('A page that calls %s', (path) => {
  it.each([
    ['OpenTelemetry', ['traceparent', 'tracestate', 'baggage']],
    ['Sentry', ['sentry-trace', 'baggage']],
    [
      'Apollo Client',
      ['content-type', 'apollo-require-preflight', 'x-apollo-operation-name', 'apollographql-client-name'],
    ],
    ['libraries of XMLHttpRequest', ['x-requested-with', 'cache-control']],
    ['ourselves', ['authorization', 'x-partner-auth', 'idempotency-key', 'if-match', 'x-include']],
  ])('a page that calls may send the headers of %s', async (_library, headers) => {
    expect(await browserSends(PAGE, path, headers)).toBe(true);
  });

  it.each(VIEWS)('a page that calls may be at %s', async (origin) => {
    expect(await browserSends(origin, path, ['x-partner-auth', 'traceparent'])).toBe(true);
  });

  it('a page that calls may not send other headers, or be at other origins', async () => {
    expect(await browserSends(PAGE, path, ['x-forwarded-for'])).toBe(false);
    for (const origin of ['null', 'file://', 'capacitor://evil', 'ionic://localhost.evil', 'http://localhost.evil'])
      expect(await browserSends(origin, path, [])).toBe(false);
  });
});

describe('A web view', () => {
  it('a web view of a partner may call for it, and not for another', async () => {
    const call = async (origin: string, of: TestPartner) =>
      gateway.rest('GET', '/v1/webhooks', { headers: { origin, 'x-partner-auth': await of.token() } });
    const [, view = ''] = VIEWS;
    const { status, headers } = await call(view, partner);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, view]);
    expect((await call(view, await registerPartner(gateway))).status).toBe(403);
    expect((await gateway.gql('{ __typename }', {}, { origin: view })).data).toEqual({ __typename: 'Query' });
  });
});

/** The result of a page's call in each API: REST, GraphQL, an event stream, and a socket. */
async function callsOf({ gql, rest, url }: TestGateway, origin: string): Promise<(number | undefined)[]> {
  const stream = await rest('GET', `/graphql?query=${encodeURIComponent('{ __typename }')}`, {
    headers: { origin, accept: 'text/event-stream' },
  });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { origin });
  const handshake = new Promise<number | undefined>((resolve) => {
    socket.on('upgrade', ({ statusCode }) => resolve(statusCode));
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    socket.on('error', () => {});
  }).finally(() => socket.terminate());
  return [
    (await rest('GET', '/v1/catalog/issuers', { headers: { origin } })).status,
    (await gql('{ __typename }', {}, { origin })).status,
    stream.status,
    await handshake,
  ];
}

const ON_THIS_MACHINE = ['http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]:8080', 'https://localhost'];

describe('A page on this machine', () => {
  let production: TestGateway;
  beforeAll(async () => {
    const env = { NETWORK_ENV: 'production', CATALOG_ENABLED: 'true', HOLDER_DID_TYPE: '03d1' };
    production = await startGateway({ env: { ...env, PUBLIC_URL: 'https://gateway.example' } });
  });
  afterAll(() => production.close());

  it.each(ON_THIS_MACHINE)('a page on this machine may call a sandbox from %s', async (origin) => {
    expect(await callsOf(gateway, origin)).toEqual([200, 200, 200, 101]);
    for (const path of PATHS) expect(await browserSends(origin, path, ['content-type', 'x-partner-auth'])).toBe(true);
  });

  it('a page on this machine may call for a partner of a sandbox', async () => {
    const headers = { origin: 'http://localhost:5173', 'x-partner-auth': await partner.token() };
    expect((await gateway.rest('GET', '/v1/webhooks', { headers })).status).toBe(200);
  });

  it.each(ON_THIS_MACHINE)('a page on this machine may not call in production from %s', async (origin) => {
    expect(await callsOf(production, origin)).toEqual([403, 403, 403, 403]);
  });

  it.each([
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://10.0.0.1:5173',
    'http://0.0.0.0:5173',
    'capacitor://127.0.0.1',
    'http://localhost:5173/',
  ])('an origin that only looks like this machine is refused: %s', async (origin) => {
    expect(await callsOf(gateway, origin)).toEqual([403, 403, 403, 403]);
  });
});

describe('The page of a foreign origin', () => {
  const origin = 'https://elsewhere.example';

  it.each([
    ['a list', 'GET', '/v1/catalog/issuers'],
    ['health', 'GET', '/health/live'],
    ['a query', 'GET', '/graphql?query={__typename}'],
    ['a path that is none', 'GET', '/v1/nothing'],
    ['a method that the path has not', 'DELETE', '/v1/catalog/issuers'],
  ])('a page of a foreign origin can read why %s is refused', async (_what, method, path) => {
    const { status, headers, body } = await gateway.rest(method, path, { headers: { origin } });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.message ?? body.errors[0].message).toMatch(/CORS_ORIGINS|nothing at this path|not a method/);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toContain('retry-after');
    expect(headers.get('vary')).toContain('origin');
  });

  it('a page of a foreign origin can read nothing else', async () => {
    for (const path of PATHS) expect(await browserSends(origin, path, [])).toBe(false);
    const { headers } = await gateway.rest('GET', '/v1/catalog/issuers');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('a page of a foreign origin can read that it has no points, and when to try again', async () => {
    const poor = await startGateway({ env: { REQUEST_POINTS: '1' } });
    try {
      const ask = () => poor.rest('GET', '/v1/nothing', { headers: { origin } });
      let answer = await ask();
      for (let calls = 0; calls < 500 && answer.status !== 429; calls += 1) answer = await ask();
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([429, origin]);
      expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after');
    } finally {
      await poor.close();
    }
  });
});
