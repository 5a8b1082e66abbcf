// Which pages may call, and what they may send: traces and GraphQL clients included, from browsers, web views and extensions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerPartner, type TestPartner } from '../support/partner.js';

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

/** What a browser does: it asks first, and sends only what it may. */
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
  ])('may send the headers of %s', async (_library, headers) => {
    expect(await browserSends(PAGE, path, headers)).toBe(true);
  });

  it.each(VIEWS)('may be at %s', async (origin) => {
    expect(await browserSends(origin, path, ['x-partner-auth', 'traceparent'])).toBe(true);
  });

  it('may not send anything, or be anywhere', async () => {
    expect(await browserSends(PAGE, path, ['x-forwarded-for'])).toBe(false);
    for (const origin of ['null', 'file://', 'capacitor://evil', 'ionic://localhost.evil', 'http://localhost'])
      expect(await browserSends(origin, path, [])).toBe(false);
  });
});

describe('A web view', () => {
  it('of a partner may call for it, and not for another', async () => {
    const call = async (origin: string, of: TestPartner) =>
      gateway.rest('GET', '/v1/webhooks', { headers: { origin, 'x-partner-auth': await of.token() } });
    const [, view = ''] = VIEWS;
    const { status, headers } = await call(view, partner);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, view]);
    expect((await call(view, await registerPartner(gateway))).status).toBe(403);
    expect((await gateway.gql('{ __typename }', {}, { origin: view })).data).toEqual({ __typename: 'Query' });
  });
});
