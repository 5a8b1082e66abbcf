// The pages for people: who gets them, and under which policy.

import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const PRODUCTION = { NETWORK_ENV: 'production', PUBLIC_URL: 'https://gateway.example', HOLDER_DID_TYPE: '03d1' };
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('Pages', () => {
  it.each(['/', '/graphiql', '/docs'])('the page %s is HTML for browsers and for curl', async (path) => {
    for (const accept of [HTML.accept, '*/*', 'text/*', 'application/json;q=0.5, */*']) {
      const page = await gateway.rest('GET', path, { headers: { accept } });
      expect([accept, page.status, page.headers.get('content-type')]).toEqual([
        accept,
        200,
        'text/html; charset=utf-8',
      ]);
    }
  });

  it.each(['/', '/graphiql', '/docs'])('the page %s is refused to clients that want JSON', async (path) => {
    for (const accept of ['application/json', 'application/json, */*', 'text/html;q=0']) {
      const { status, body } = await gateway.rest('GET', path, { headers: { accept } });
      expect({ status, body }).toEqual({
        status: 406,
        body: { error: 406, message: 'At this path is a page for browsers: send accept: text/html.' },
      });
    }
  });

  it.each(['/', '/docs', '/docs/start.js'])('the page %s has no other methods', async (path) => {
    expect((await gateway.rest('OPTIONS', path)).headers.get('allow')).toBe('GET, HEAD');
    for (const method of ['POST', 'DELETE']) {
      const { status, headers } = await gateway.rest(method, path);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('pages may load their own files only, and evaluate nothing', async () => {
    const { headers, body } = await gateway.rest('GET', '/graphiql', { headers: HTML });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/unsafe/);
    const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1];
    expect(body).toContain(`content="${nonce}"`);
    const again = await gateway.rest('GET', '/graphiql', { headers: HTML });
    expect(again.body).not.toContain(nonce);
  });

  it('pages have files with an etag, which clients need not load twice', async () => {
    const { status, headers } = await gateway.rest('GET', '/docs/start.js');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    const etag = headers.get('etag') ?? '';
    const again = await gateway.rest('GET', '/docs/start.js', { headers: { 'if-none-match': etag } });
    expect([again.status, again.body]).toEqual([304, '']);
    expect((await gateway.rest('GET', '/docs/start.html')).status).toBe(404);
  });

  it('pages are closed in production unless they are switched on', async () => {
    for (const [PAGES, status] of [
      ['', 404],
      ['true', 200],
    ] as const) {
      const production = await startGateway({ env: { ...PRODUCTION, PAGES } });
      expect((await production.rest('GET', '/docs', { headers: HTML })).status).toBe(status);
      await production.close();
    }
  });
});

describe('The examples of GraphiQL', () => {
  it('the examples of GraphiQL are all valid', async () => {
    const { OPERATIONS } = (await import('../../../web/operations.js' as string)) as {
      OPERATIONS: { query: string }[];
    };
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
    const faults = OPERATIONS.flatMap(({ query }) => validate(schema, parse(query)).map(({ message }) => message));
    expect(OPERATIONS.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });
});
