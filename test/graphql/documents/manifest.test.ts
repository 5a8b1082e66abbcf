// Manifests of trusted documents: both forms, and every possible mistake, each reported in one sentence with the file and the entry.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { Documents } from '../../../src/graphql/documents/documents.js';
import { runProcess, scratchFolder } from '../../support/process.js';

const TEXT = 'query First { __typename }';
const OTHER = 'query Second { issuers { totalCount } }';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const apollo = (...operations: unknown[]) => ({ format: 'apollo-persisted-query-manifest', version: 1, operations });

const schema = buildGatewaySchema();
let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  file = join(folder, 'manifest.json');
});
afterAll(() => rmSync(folder, { recursive: true }));

function open(content: unknown): Documents {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return new Documents(schema, { mode: 'only', file });
}

const named = (id: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: id } } });

describe('A manifest', () => {
  it("a manifest may be a table of hashes and documents, as Relay's compiler and GraphQL Code Generator write it", () => {
    const documents = open({ [hashOf(TEXT)]: TEXT, c0ffee: OTHER });
    expect(documents.find(named(hashOf(TEXT))).text).toBe(TEXT);
    expect(documents.find(named('c0ffee')).text).toBe(OTHER);
  });

  it('a manifest may begin with a byte order mark', () => {
    expect(open(`\ufeff${JSON.stringify({ c0ffee: OTHER })}`).find(named('c0ffee')).text).toBe(OTHER);
  });

  it("a manifest may be Apollo's list of operations", () => {
    const documents = open(
      apollo(
        { id: hashOf(TEXT), name: 'First', type: 'query', body: TEXT },
        { id: 'second', name: 'Second', type: 'query', body: OTHER },
      ),
    );
    expect(documents.find(named(hashOf(TEXT))).text).toBe(TEXT);
    expect(documents.find(named('second')).text).toBe(OTHER);
  });

  it('the documents of a manifest are parsed once and never evicted', () => {
    const documents = open({ [hashOf(TEXT)]: TEXT });
    const { document } = documents.find(named(hashOf(TEXT)));
    expect(document).toBeDefined();
    expect(documents.find({ query: TEXT }).document).toBe(document);
  });
});

describe('A manifest that cannot be used', () => {
  const wrongHash = 'a'.repeat(64);
  it.each([
    ['no JSON', 'it is not JSON.'],
    [[], 'it is neither {"<sha256>": "<document>"} nor an apollo-persisted-query-manifest.'],
    ['null', 'it is neither {"<sha256>": "<document>"} nor an apollo-persisted-query-manifest.'],
    [{}, 'there is no document in it.'],
    [apollo(), 'there is no document in it.'],
    [{ first: TEXT, second: { body: OTHER } }, 'entry "second" must be the text of a document.'],
    [{ [wrongHash]: TEXT }, `entry "${wrongHash}" is not the SHA-256 of its document.`],
    [
      { first: '{ nothing }' },
      'entry "first" is not a document of this gateway: Cannot query field "nothing" on type "Query".',
    ],
    [
      { first: 'query {' },
      'entry "first" is not a document of this gateway: Syntax Error: Expected Name, found <EOF>.',
    ],
    [{ ...apollo(), version: 2 }, '"version" is not as in an apollo-persisted-query-manifest of version 1.'],
    [{ ...apollo(), format: 'other' }, '"format" is not as in an apollo-persisted-query-manifest of version 1.'],
    [apollo({ id: 'first', body: TEXT }, { id: 'second' }), 'entry 1 of "operations" needs a "body" that is a text.'],
    [
      { first: '{ nothing { totalCount } }' },
      'entry "first" is not a document of this gateway: Cannot query field "nothing" on type "Query".',
    ],
    [apollo({ body: TEXT }), 'entry 0 of "operations" needs an "id" that is a text.'],
    [apollo({ id: 'one', body: TEXT }, { id: 'one', body: OTHER }), 'two documents have the id "one".'],
  ])('a manifest that cannot be used is refused in one sentence: %j', (content, reason) => {
    expect(() => open(content)).toThrow(`The trusted documents in ${file} cannot be used: ${reason}`);
  });

  it('a manifest that cannot be used ends the start with that sentence, also of several workers', async () => {
    const missing = join(folder, 'not-there.json');
    const env = { TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_FILE: missing, DATA_DIR: scratchFolder() };
    const err = `The trusted documents in ${missing} cannot be used: there is no such file.\n`;
    expect(await runProcess(env)).toMatchObject({ code: 1, err });
    expect(await runProcess(env, { args: ['--workers', '2'] })).toMatchObject({ code: 1, err });
  });
});
