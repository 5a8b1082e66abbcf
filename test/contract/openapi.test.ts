// The OpenAPI document describes the routes that are served, and its examples match its schemas.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describedRoutes, openApiText } from '../../src/compose/openapi.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { faultOf } from '../support/documented.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

const TEXT = readFileSync('openapi.json', 'utf8');
const DOCUMENT = JSON.parse(TEXT);
const EXAMPLES = JSON.parse(readFileSync('test/contract/openapi-examples.json', 'utf8'));

interface Operation {
  security: object[];
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}
const operations = Object.entries(DOCUMENT.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('openapi.json', () => {
  it('openapi.json is what the route rows say: npm run schema writes it', () => {
    expect(TEXT).toBe(openApiText(EXAMPLES));
  });

  it('openapi.json has every route, and nothing else', () => {
    const rows = describedRoutes().map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(rows.sort());
  });

  it('openapi.json has no route without its responses, and no parameter without a description', () => {
    const [row] = describedRoutes();
    const bare = { ...row, path: '/v1/catalog/:shelf', answers: undefined } as unknown as NonNullable<typeof row>;
    expect(() => openApiDocument([{ ...bare, answers: { 200: null } }])).toThrow('shelf needs a description');
    expect(() => openApiDocument([{ ...bare, path: '/v1/catalog' }])).toThrow();
  });

  it('openapi.json has no JSON beside text among the types of a response: generated clients would parse the text', () => {
    const types = operations.flatMap(({ path, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([, { content = {} }]) => [path, ...Object.keys(content)] as const),
    );
    const jwts = types.filter(([, first = '']) => /\bjwt$/.test(first));
    expect(jwts).toEqual([
      ['/v1/credentials/status-lists/{id}', 'application/vc+jwt', 'text/plain', 'application/vc'],
      ['/v1/credentials/token-status-lists/{id}', 'application/statuslist+jwt'],
    ]);
    const texts = types.filter(([, first = 'json']) => !/json$/.test(first));
    expect(texts.filter(([, ...all]) => all.some((type) => /json$/.test(type)))).toEqual([]);
  });

  it('openapi.json has the same routes and callers as the contract lists', () => {
    const names = { partnerToken: 'partner', holderSession: 'holder', pageToken: 'page', operatorKey: 'operator' };
    const callersOf = (security: object[]): string =>
      security.every((scheme) => Object.keys(scheme).length > 0) && security.length > 0
        ? security.map((scheme) => names[Object.keys(scheme)[0] as keyof typeof names]).join(', ')
        : 'anyone';
    const [, table = ''] = readFileSync('docs/contract.md', 'utf8').split('## All routes\n');
    const listed = [...table.matchAll(/^\| `([A-Z, ]+)` \| `(\/[^`]*)` \| ([a-z, ]+) \| \S.* \|$/gm)].flatMap(
      ([, methods = '', path, callers]) => methods.split(', ').map((method) => `${method} ${path}: ${callers}`),
    );
    const routes = operations.map(
      ({ path, method, operation }) => `${method.toUpperCase()} ${path}: ${callersOf(operation.security)}`,
    );
    expect(listed.sort()).toEqual(routes.sort());
  });

  it('openapi.json marks the catalog as a pilot', () => {
    const pilots = operations.filter(({ operation }) => 'x-stability' in operation).map(({ path }) => path);
    expect(pilots).toEqual(operations.map(({ path }) => path).filter((path) => path.startsWith('/v1/catalog/')));
  });
});

describe('Examples', () => {
  const examples = operations.flatMap(({ path, method, operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([contentType, { example }]) =>
        example === undefined ? [] : [{ path, method, status: Number(status), contentType, example }],
      ),
    ),
  );

  it('openapi.json has examples for every operation with a body', () => {
    const exemplified = new Set(examples.map(({ method, path }) => `${method} ${path}`));
    const withBody = operations
      .filter(({ operation }) => operation.responses[204] === undefined)
      .map(({ method, path }) => `${method} ${path}`);
    // Only the document's own route has no example.
    expect(withBody.filter((name) => !exemplified.has(name))).toEqual(['get /v1/openapi.json']);
  });

  it.each(examples)(
    'the example of $method $path $status has the shape that is described',
    ({ example, path, ...answer }) => {
      const text = typeof example === 'string' ? example : JSON.stringify(example);
      expect(faultOf({ ...answer, pathname: path, text })).toBeUndefined();
    },
  );
});

describe('A gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('a gateway serves openapi.json, and answers 304 when a client has it already', async () => {
    const { status, headers, body } = await gateway.rest('GET', '/v1/openapi.json');
    expect(status).toBe(200);
    expect(body).toEqual(DOCUMENT);
    const etag = headers.get('etag') ?? '';
    const again = await gateway.rest('GET', '/v1/openapi.json', { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, body: '' });
  });

  it('a response that openapi.json does not describe fails its test', () => {
    const answer = { method: 'GET', pathname: '/health/live', status: 200, contentType: 'application/json' };
    expect(faultOf({ ...answer, text: '{"status":"live"}' })).toBeUndefined();
    expect(faultOf({ ...answer, text: '{"status":"live","more":1}' })).toContain('additional properties');
    expect(faultOf({ ...answer, text: '{}' })).toContain('status');
    expect(faultOf({ ...answer, status: 418, text: '{}' })).toContain('status is not described');
    expect(faultOf({ ...answer, contentType: 'text/html', text: '' })).toContain('text/html is not described');
    expect(faultOf({ ...answer, pathname: '/v1/none', text: '{}' })).toContain('no such operation');
  });
});
