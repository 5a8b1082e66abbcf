// Every failure has the same form on every route: `{error, message}` with one sentence, never a stack trace, and never a 500 for bad input (contract
// §1).
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestOptions, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const json = { 'content-type': 'application/json' };
const issuer = { name: 'A', issuerDid: 'did:example:a', issuerFrom: 'x' };

type Case = [what: string, method: string, path: string, options: RestOptions, status: number, says: RegExp];

const PUBLIC: Case[] = [
  ['an unknown path', 'GET', '/nope', {}, 404, /path/],
  ['an unknown path below /v1', 'POST', '/v1/nope', { body: {} }, 404, /path/],
  ['an unknown credential', 'GET', '/v1/catalog/credentials/nope', {}, 404, /credential nope was not found/],
  ['an unknown program', 'GET', '/v1/catalog/programs/nope', {}, 404, /program nope was not found/],
  ['a method that the path has not', 'DELETE', '/v1/catalog/credentials', {}, 405, /GET, HEAD, OPTIONS/],
  ['PATCH', 'PATCH', '/v1/catalog/credentials/x', { body: {} }, 405, /PATCH/],
  ['a search for one letter', 'GET', '/v1/catalog/search?q=a', {}, 400, /"q".*at least two letters/],
  ['a search for letters', 'GET', '/v1/catalog/search?q=a%20b%20%21', {}, 400, /"q".*at least two letters/],
  ['an accept header without JSON', 'GET', '/v1/catalog/credentials', { headers: { accept: 'text/csv' } }, 406, /json/],
  ['JSON refused', 'GET', '/v1/catalog/issuers', { headers: { accept: 'application/json;q=0' } }, 406, /json/],
  ['a page below 1', 'GET', '/v1/catalog/credentials?page=0', {}, 400, /"page".*from 1/],
  ['a limit above 100', 'GET', '/v1/catalog/credentials?limit=101', {}, 400, /"limit".*to 100/],
  ['a limit that is no number', 'GET', '/v1/catalog/programs?limit=ten', {}, 400, /"limit"/],
  ['a parameter given twice', 'GET', '/v1/catalog/schemas?page=1&page=2', {}, 400, /"page"/],
  ['an unknown order', 'GET', '/v1/catalog/credentials?sortBy=colour', {}, 400, /"sortBy"/],
  ['an unknown direction', 'GET', '/v1/catalog/credentials?sortOrder=up', {}, 400, /"sortOrder" must be ASC or DESC/],
  ['pages beyond 10,000 entries', 'GET', '/v1/catalog/credentials?page=101&limit=100', {}, 400, /cursors/],
  ['a search for nothing', 'GET', '/v1/catalog/search', {}, 400, /"q"/],
  ['a search that is too long', 'GET', `/v1/catalog/search?q=${'a'.repeat(201)}`, {}, 400, /"q".*200/],
  ['a path that does not decode', 'GET', '/v1/catalog/credentials/%zz', {}, 400, /path/],
  ['an endless id', 'GET', `/v1/catalog/credentials/${'a'.repeat(3000)}`, {}, 400, /path/],
  ['an id beyond its bound', 'GET', `/v1/catalog/credentials/${'a'.repeat(600)}`, {}, 400, /"id"/],
  ['an operator without a key', 'GET', '/v1/admin/issuers', {}, 401, /x-admin-api-key/],
  ['a wrong operator key', 'GET', '/v1/admin/issuers', { headers: { 'x-admin-api-key': 'wrong' } }, 403, /not valid/],
  [
    'no key and a huge body',
    'PUT',
    '/v1/admin/issuers/a',
    { body: 'x'.repeat(2e6), headers: json },
    401,
    /x-admin-api-key/,
  ],
  [
    'a foreign origin',
    'GET',
    '/v1/catalog/credentials',
    { headers: { origin: 'https://evil.example' } },
    403,
    /origin/,
  ],
];

const OPERATOR: Case[] = [
  [
    'a body that is not JSON',
    'PUT',
    '/v1/admin/issuers/a',
    { body: '{"name":', headers: json },
    400,
    /^The body is not valid JSON\.$/,
  ],
  ['no body', 'PUT', '/v1/admin/issuers/a', { headers: json }, 400, /body is missing/],
  ['a list for a body', 'PUT', '/v1/admin/issuers/a', { body: [] }, 400, /object/],
  ['__proto__ in a body', 'PUT', '/v1/admin/issuers/a', { body: '{"__proto__":{"a":1}}' }, 400, /__proto__/],
  [
    'a field that is missing',
    'PUT',
    '/v1/admin/issuers/a',
    { body: { ...issuer, name: undefined } },
    400,
    /"name" is missing/,
  ],
  ['an unknown field', 'PUT', '/v1/admin/issuers/a', { body: { ...issuer, colour: 'red' } }, 400, /"colour"/],
  [
    'a type that does not fit',
    'PUT',
    '/v1/admin/issuers/a',
    { body: { ...issuer, name: 5 } },
    400,
    /"name" must be a string/,
  ],
  [
    'text for a body',
    'PUT',
    '/v1/admin/issuers/a',
    { body: 'x', headers: { 'content-type': 'text/plain' } },
    415,
    /json/,
  ],
  [
    'NDJSON for a body',
    'PUT',
    '/v1/admin/issuers/a',
    { body: '{}', headers: { 'content-type': 'application/x-ndjson' } },
    415,
    /json/,
  ],
  ['JSON for an import', 'POST', '/v1/admin/import', { body: {} }, 415, /ndjson/],
  ['a body over the limit', 'PUT', '/v1/admin/issuers/a', { body: { name: 'x'.repeat(2e6) } }, 413, /larger/],
  ['a parameter that nobody knows', 'GET', '/v1/admin/issuers?pgae=2', {}, 400, /"pgae" is not a query parameter/],
  ['a parameter where none is known', 'GET', '/v1/admin/issuers/x?page=2', {}, 400, /"page" is not a query/],
  ['an entry that is not there', 'GET', '/v1/admin/issuers/nope', {}, 404, /no issuer nope/],
  ['an entry that is not there any more', 'DELETE', '/v1/admin/issuers/nope', { headers: json }, 404, /no issuer nope/],
];

/** Sends a request with any method; fetch refuses some. */
async function bare(method: string, path: string) {
  const call = request(`${gateway.url}${path}`, { method });
  call.end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString());
  return { status: answer.statusCode, headers: answer.headers, message: body.message ?? body.errors?.[0]?.message };
}

async function refused(call: TestGateway['rest'], [, method, path, options, status, says]: Case): Promise<Headers> {
  const answer = await call(method, path, options);
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({ error: status, message: expect.stringMatching(says) });
  expect(answer.body.message).toMatch(/^[^\n]{1,600}\.$/);
  expect(answer.body.message).not.toMatch(/Mongo|node_modules|\bat .*:\d+|ZodError|FST_/);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return answer.headers;
}

describe('A refusal says what is wrong in one sentence', () => {
  it.each(PUBLIC)('the refusal has one sentence that says what is wrong: %s', async (...row) => {
    await refused(gateway.rest, row);
  });

  it.each(OPERATOR)("the operator's refusal has one sentence that says what is wrong: %s", async (...row) => {
    await refused(gateway.admin, row);
  });

  it('a refusal of a method names the methods of the path', async () => {
    const { headers } = await gateway.rest('DELETE', '/v1/catalog/credentials');
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const both = await gateway.rest('POST', '/v1/admin/issuers/a');
    expect(both.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS');
  });

  it.each(['LINK', 'UNLINK', 'PROPFIND', 'PURGE', 'SEARCH', 'MKCOL', 'TRACE', 'PATCH', 'REPORT', 'M-SEARCH'])(
    'a refusal of a method names the methods of %s',
    async (method) => {
      for (const [path, allow] of [
        ['/v1/catalog/credentials', 'GET, HEAD, OPTIONS'],
        ['/v1/admin/issuers/a', 'GET, HEAD, PUT, DELETE, OPTIONS'],
        ['/v1/auth/verify', 'POST, OPTIONS'],
        ['/graphql', 'GET, HEAD, POST, OPTIONS'],
      ] as const) {
        const { status, headers, message } = await bare(method, path);
        expect([path, status, headers.allow]).toEqual([path, 405, allow]);
        expect(message).toContain(`${method} is not a method of this path`);
      }
      expect((await bare(method, '/nope')).status).toBe(404);
    },
  );

  it.each([
    ['application/problem+json', true],
    ['application/problem+json, application/json', true],
    ['application/json, application/problem+json', false],
    ['application/json;q=0.5, application/problem+json', true],
    ['application/json, application/problem+json;q=0.5', false],
    ['application/problem+json, */*', true],
    ['*/*', false],
    ['application/*', false],
    ['application/problem+json;q=0, */*', false],
  ])('a refusal is problem+json only where that is preferred: %s', async (accept, isProblem) => {
    const { headers } = await gateway.rest('GET', '/v1/catalog/programs/nope', { headers: { accept } });
    expect(headers.get('content-type')).toContain(isProblem ? 'application/problem+json' : 'application/json');
  });

  it('a refusal is problem+json only for callers that ask for it', async () => {
    const accept = 'application/problem+json, application/json';
    const { headers, body, status } = await gateway.rest('GET', '/v1/catalog/programs/nope', { headers: { accept } });
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'The program nope was not found.',
    });
  });

  it('a refusal is JSON even for a request that is not HTTP', async () => {
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write('NOT HTTP\r\n\r\n'));
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    const [head, body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain('400 Bad Request');
    expect(JSON.parse(body)).toEqual({ error: 400, message: expect.stringContaining('HTTP') });
  });
});

describe('A token sent to a public route', () => {
  it('a token for a public route is ignored, whatever it is', async () => {
    const headers = { 'x-admin-api-key': 'wrong', 'x-partner-auth': 'x', authorization: 'Bearer x' };
    expect((await gateway.rest('GET', '/v1/catalog/credentials', { headers })).status).toBe(200);
  });
});
