// What all REST routes have in common: request ids, HEAD, OPTIONS, CORS, health.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const OWN = 'https://app.example';
const PUBLIC = 'https://gateway.example';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { CORS_ORIGINS: OWN, PUBLIC_URL: `${PUBLIC}/network`, PAGES: 'false' } });
});
afterAll(() => gateway.close());

const LIST = '/v1/catalog/credentials';

describe('Every route', () => {
  it("every response has the request's id in x-request-id", async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await gateway.rest('GET', LIST)).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('every route responds to HEAD as to GET, without the body', async () => {
    const [get, head] = [await gateway.rest('GET', LIST), await gateway.rest('HEAD', LIST)];
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  });

  it('every route responds to OPTIONS with its methods', async () => {
    const { status, headers } = await gateway.rest('OPTIONS', '/v1/admin/issuers/a');
    expect(status).toBe(204);
    expect(headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS');
  });

  it.each([
    ['/v1/core-ids/claim', 'POST'],
    ['/v1/revocations/previews', 'POST'],
    ['/v1/verifications/check', 'POST'],
  ])(
    'other methods of %s are refused with its own methods, not with those of the parameter beside it',
    async (path, method) => {
      for (const other of ['GET', 'HEAD', 'DELETE', 'PATCH']) {
        const { status, headers, body } = await gateway.rest(other, `${path}?a=1`);
        expect([status, headers.get('allow')]).toEqual([405, `${method}, OPTIONS`]);
        if (other !== 'HEAD')
          expect(body.message).toBe(`${other} is not a method of this path; it has ${method}, OPTIONS.`);
      }
      expect((await gateway.rest('OPTIONS', path)).headers.get('allow')).toBe(`${method}, OPTIONS`);
      expect((await gateway.rest(method, path, { body: {} })).status).not.toBe(405);
    },
  );

  it('no route has a fixed path beside a parameter that accepts any text, such as an id that an operator chose', async () => {
    const { paths } = (await gateway.rest('GET', '/v1/openapi.json')).body as { paths: Record<string, object> };
    const isBeside = (fixed: string, open: string): boolean =>
      fixed !== open && new RegExp(`^${open.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(fixed);
    const pairs = Object.keys(paths).flatMap((fixed) =>
      Object.keys(paths)
        .filter((open) => isBeside(fixed, open))
        .map((open) => `${fixed} ${open}`),
    );
    // The ids in these paths are UUIDs, token numbers or ids of passkeys (at least 16 bytes). Add a pair only if the word cannot be such an id.
    expect(pairs).toEqual([
      '/v1/holders/me/passkeys/options /v1/holders/me/passkeys/{id}',
      '/v1/core-ids/claim /v1/core-ids/{id}',
      '/v1/holders/me/cak /v1/holders/{userId}/cak',
      '/v1/revocations/previews /v1/revocations/{jobId}',
      '/v1/verifications/check /v1/verifications/{id}',
    ]);
  });

  it('OPTIONS works on paths that have no route for it, and is 404 on unknown paths', async () => {
    for (const path of ['/nope', '/v1/nope?a=1']) expect((await gateway.rest('OPTIONS', path)).status).toBe(404);
    const headers = { origin: OWN, 'access-control-request-method': 'GET' };
    expect((await gateway.rest('OPTIONS', '/nope', { headers })).status).toBe(204);
  });

  it('an unknown method is reported as unknown', async () => {
    for (const method of ['FOO', 'get']) {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      socket.end(`${method} /health/live HTTP/1.1\r\nhost: x\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain(
        'The method of the request is not one of HTTP that is known here; methods are written in capitals.',
      );
    }
  });

  it.each<[string, number]>([
    ['a', 200],
    ['', 200],
    ['gateway.example:443', 200],
    ['under_score.example.:', 200],
    ['127.0.0.1:4000', 200],
    ['[::1]:4000', 200],
    ['a, b', 400],
    ['user@a', 400],
    ['a b', 400],
    ['a/b', 400],
    ['a#b', 400],
    ['a:b', 400],
    ['a:1:2', 400],
    ['http://a', 400],
    ['[::1', 400],
    ['ä', 400],
  ])('the host "%s" gets %i', async (host, status) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.end(`GET /health/live HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  describe('refuses a second host', () => {
    const REFUSAL = 'A request has one \\"host\\" header.';
    const filler = Array.from({ length: 1_100 }, (_, at) => `_${at}: 1`);
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    const handshake = [...upgrade, `sec-websocket-key: ${'a'.repeat(22)}==`];
    /** The beginning of the response with its body; the response that opens a socket has none. */
    const answerOf = async (lines: readonly string[]): Promise<string> => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      let answer = '';
      for await (const chunk of socket) {
        answer += chunk;
        if (answer.includes('}') || answer.startsWith('HTTP/1.1 101')) break;
      }
      return answer;
    };

    it.each<[string, string, string, readonly string[]]>([
      ['that differs', `GET ${LIST}`, 'host: b', []],
      ['that is the same', `GET ${LIST}`, 'host: a', []],
      ['in other letters', `GET ${LIST}`, 'HOST: b', []],
      ['that is empty', `GET ${LIST}`, 'host:', []],
      ['after 1,100 other headers', `GET ${LIST}`, 'host: b', filler],
      ['where there is no route', 'GET /nothing', 'host: b', []],
      ['before the body is read', 'POST /v1/auth/login', 'host: b', ['content-length: 2', 'expect: 100-continue']],
      ['of GraphQL', 'GET /graphql?query=%7B__typename%7D', 'host: b', ['accept: application/json']],
      ['of a socket', 'GET /graphql', 'host: b', handshake],
      ['of an upgrade that is ignored', `GET ${LIST}`, 'host: b', ['connection: upgrade', 'upgrade: h2c']],
    ])('a second host is refused: %s', async (_what, target, host, headers) => {
      const lines = [`${target} HTTP/1.1`, 'host: a', ...headers];
      const refused = await answerOf([...lines, host]);
      expect(refused).toMatch(/^HTTP\/1.1 (100 Continue\r\n\r\nHTTP\/1.1 )?400 /);
      expect(refused).toContain(REFUSAL);
      if (!headers.includes('content-length: 2')) expect(await answerOf(lines)).not.toContain(REFUSAL);
    });
  });

  it('every Accept header that allows JSON is accepted', async () => {
    for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.5', 'APPLICATION/JSON']) {
      expect((await gateway.rest('GET', LIST, { headers: { accept } })).status).toBe(200);
    }
  });

  it('catalog responses are in the envelope, and no others', async () => {
    const catalog = await gateway.rest('GET', LIST);
    expect(catalog.body).toEqual({
      code: 80_000_000,
      msg: 'success',
      data: expect.any(Object),
      timestamp: expect.any(Number),
    });
    expect((await gateway.rest('GET', '/health/live')).body).toMatchObject({ status: 'live' });
  });
});

describe('A page in a browser', () => {
  const preflight = (origin: string, path = LIST) =>
    gateway.rest('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'PUT' } });

  it('a page in a browser may call from an allowed origin', async () => {
    const { status, headers } = await gateway.rest('GET', LIST, { headers: { origin: OWN } });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe(OWN);
    expect(headers.get('vary')).toContain('origin');
  });

  it('a page in a browser learns from the preflight what it may send', async () => {
    const { status, headers } = await preflight(OWN);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(OWN);
    expect(headers.get('access-control-allow-headers')).toContain('x-partner-auth');
    expect((await preflight(OWN, '/graphql')).status).toBe(204);
  });

  it('a page in a browser may not call from another origin, in either API', async () => {
    for (const origin of ['https://evil.example', 'null', `${OWN}.evil.example`, 'http://app.example']) {
      expect((await preflight(origin)).status).toBe(403);
      expect((await gateway.rest('GET', LIST, { headers: { origin } })).status).toBe(403);
      const graphql = await gateway.gql('{ __typename }', {}, { origin });
      expect(graphql.status).toBe(403);
      expect(graphql.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    }
  });

  it('a page in a browser can read why its key was refused', async () => {
    const headers = { origin: OWN, 'x-admin-api-key': 'wrong' };
    const rest = await gateway.rest('GET', '/v1/admin/issuers', { headers });
    expect(rest.status).toBe(403);
    expect(rest.headers.get('access-control-allow-origin')).toBe(OWN);
  });

  it('a page in a browser may call the gateway from its PUBLIC_URL, and not from the host in its own request', async () => {
    expect((await gateway.rest('GET', LIST, { headers: { origin: PUBLIC } })).status).toBe(200);
    const rebound = { host: 'evil.example:4000', origin: 'http://evil.example:4000' };
    expect((await gateway.rest('GET', LIST, { headers: rebound })).status).toBe(403);
    expect((await gateway.gql('{ __typename }', {}, rebound)).status).toBe(403);
  });
});

describe('What is private', () => {
  it('private responses and refusals are stored by no cache', async () => {
    const { headers } = await gateway.admin('GET', '/v1/admin/issuers');
    expect(headers.get('cache-control')).toBe('no-store');
    const refused = await gateway.rest('GET', '/v1/holders/me');
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store']);
    const query = `${gateway.url}/graphql?query=${encodeURIComponent('{ issuances { totalCount } }')}`;
    const own = await fetch(query, { headers: { 'x-admin-api-key': gateway.operatorKey } });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });
});

describe('Health', () => {
  it('health is live and ready while the store responds; otherwise live, not ready, and every other route is 503', async () => {
    const own = await startGateway();
    // The store has 1.5 s to answer: a busy machine may need a second try.
    await expect.poll(async () => (await own.rest('GET', '/health/ready')).body).toEqual({ status: 'ready' });
    await own.app.connection.close();
    expect((await own.rest('GET', '/health/live')).status).toBe(200);
    for (const path of ['/health/ready', LIST]) {
      const { status, body } = await own.rest('GET', path);
      expect(status).toBe(503);
      expect(body).toEqual({ error: 503, message: expect.stringContaining('does not respond') });
    }
    expect((await own.gql('{ __typename }')).errors?.[0]?.extensions.code).toBe('STORE_UNAVAILABLE');
    await own.app.close();
  });
});

describe('Where the catalog is closed', () => {
  const production = {
    NETWORK_ENV: 'production',
    HOLDER_DID_TYPE: '03d1',
    PUBLIC_URL: 'https://gateway.example',
    KEYSTORE_KEY: Buffer.alloc(32, 1).toString('base64'),
    ADMIN_API_KEY: '',
  };
  let closed: TestGateway;
  beforeAll(async () => {
    closed = await startGateway({ env: production });
  });
  afterAll(() => closed.close());

  it('routes of a closed catalog say that it is a sandbox pilot', async () => {
    for (const path of [LIST, `${LIST}/x`, '/v1/catalog/search?q=x', '/v1/catalog/schemas']) {
      const { status, body } = await closed.rest('GET', path);
      expect(status).toBe(404);
      expect(body).toEqual({ error: 404, message: expect.stringContaining('sandbox pilot') });
    }
  });

  it('root fields of a closed catalog say so in GraphQL', async () => {
    const fields = ['node(id: "x") { id }', 'credential(credentialId: "x") { name }', 'issuers { totalCount }'];
    for (const field of [...fields, 'search(query: "x") { credentials { total } }']) {
      const { errors } = await closed.gql(`{ ${field} }`);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'CATALOG_DISABLED', httpStatus: 404 });
    }
  });

  it("in production the operator's API is closed until a key is configured", async () => {
    expect((await closed.admin('GET', '/v1/admin/issuers')).status).toBe(403);
  });

  it('a switch opens the catalog in production', async () => {
    const open = await startGateway({ env: { ...production, CATALOG_ENABLED: 'true' } });
    expect((await open.rest('GET', LIST)).status).toBe(200);
    expect((await open.gql('{ issuers { totalCount } }')).data).toEqual({ issuers: { totalCount: 0 } });
    await open.close();
  });
});
