// How the gateway serves the console: its page, its files, its GraphQL documents, and their size.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';

const BUILT = 'dist/console';
const KIB = 1_024;
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const { script, style } = JSON.parse(readFileSync(`${BUILT}/files.json`, 'utf8')) as { script: string; style: string };
const texts = JSON.parse(readFileSync(`${BUILT}/documents.json`, 'utf8')) as Record<string, string>;
const [popular = ''] = Object.entries(texts).find(([, text]) => text.includes('query Popular')) ?? [];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('The page of the console', () => {
  it.each(['/console', '/console/', '/console/credentials/an%2Fid?days=30', '/console/no/such/page'])(
    '%s is one page for browsers, which no page may frame and which runs only its own files',
    async (path) => {
      const { status, headers, body } = await gateway.rest('GET', path, { headers: HTML });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types console',
      ]);
      expect(body).toContain(`src="/console/files/${script}"`);
    },
  );

  it('the console is a page for curl, too, is refused to clients that want JSON, and has no other methods', async () => {
    for (const [accept, expected] of [
      ['*/*', 200],
      ['text/*', 200],
      ['application/json', 406],
      ['application/json, */*', 406],
    ] as const)
      for (const path of ['/console', '/console/credentials/a'])
        expect([accept, (await gateway.rest('GET', path, { headers: { accept } })).status]).toEqual([accept, expected]);
    expect((await gateway.rest('POST', '/console')).status).toBe(405);
  });

  it('a file of another build is not found, and is not the page', async () => {
    for (const name of ['console-old.js', 'a/b'])
      expect((await gateway.rest('GET', `/console/files/${name}`, { headers: HTML })).status).toBe(404);
  });

  it('where pages are closed, there is no console, and its documents are unknown', async () => {
    const env = { NETWORK_ENV: 'production', PUBLIC_URL: 'https://gateway.example', HOLDER_DID_TYPE: '03d1' };
    const closed = await startGateway({ env });
    onTestFinished(() => closed.close());
    for (const path of ['/console', `/console/files/${script}`])
      expect([path, (await closed.rest('GET', path, { headers: HTML })).status]).toEqual([path, 404]);
    const { body } = await closed.rest('POST', '/graphql', { body: { documentId: popular } });
    expect(body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND');
  });
});

describe('The files of the console', () => {
  it("the console's files never change: their names contain a hash, and their compressed forms are made at build", async () => {
    for (const [name, type] of [
      [script, 'text/javascript; charset=utf-8'],
      [style, 'text/css; charset=utf-8'],
    ] as const) {
      const { headers } = await fetch(`${gateway.url}/console/files/${name}`, {
        headers: { 'accept-encoding': 'gzip, br' },
      });
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('content-encoding')).toBe('br');
    }
    expect((await gateway.rest('GET', '/console/files/files.json')).status).toBe(404);
  });

  it('the files of the catalog are at most 55 KB after gzip', () => {
    const gzipped = [script, style].map((name) => statSync(join(BUILT, `${name}.gz`)).size);
    expect(gzipped.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(55 * KIB);
  });

  it.each(['operator', 'partner'])(
    'the files of the %s’s part are at most 45 KB, with all that it loads when it is opened',
    (part) => {
      const imports = (name: string): string[] =>
        [...readFileSync(join(BUILT, name), 'utf8').matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)].map(
          ([, file = '']) => file,
        );
      const reach = (name: string, seen: Set<string>): Set<string> => {
        if (seen.has(name)) return seen;
        seen.add(name);
        for (const each of imports(name)) reach(each, seen);
        return seen;
      };
      const first = reach(script, new Set());
      const [entry = ''] = readdirSync(BUILT).filter(
        (name) => name.startsWith(`console-${part}-`) && name.endsWith('.js'),
      );
      const loaded = [...reach(entry, new Set())].filter((name) => !first.has(name));
      expect(loaded.length).toBeGreaterThan(1);
      const sizes = loaded.map((name) => statSync(join(BUILT, `${name}.gz`)).size);
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(45 * KIB);
    },
  );

  it('files that are loaded later are at most 45 KB each', () => {
    for (const name of readdirSync(BUILT).filter((each) => each.endsWith('.js.gz') && !each.startsWith(script)))
      expect([name, statSync(join(BUILT, name)).size <= 45 * KIB]).toEqual([name, true]);
  });
});

describe('The documents of the console', () => {
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

  it.each(Object.values(texts).map((text) => [/(query|subscription|mutation) (\w+)/.exec(text)?.[2], text]))(
    'the document %s is valid for this schema',
    (_name, text = '') => {
      expect(validate(schema, parse(text))).toEqual([]);
    },
  );

  it("the console's documents run by their hashes, even if only the operator's listed documents may run", async () => {
    const file = 'examples/typed-clients/src/generated/graphql/persisted-documents.json';
    const only = await startGateway({ env: { TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_FILE: file } });
    onTestFinished(() => only.close());
    for (const each of [gateway, only]) {
      const { body } = await each.rest('POST', '/graphql', { body: { documentId: popular } });
      expect(body.data.credentials.totalCount).toBe(0);
      const byText = await each.rest('POST', '/graphql', { body: { query: texts[popular] } });
      expect(byText.body.data.credentials.totalCount).toBe(0);
    }
    const other = await only.rest('POST', '/graphql', { body: { query: '{ issuers { totalCount } }' } });
    expect(other.body.errors[0].extensions.code).toBe('DOCUMENT_NOT_TRUSTED');
  });
});
