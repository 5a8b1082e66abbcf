// Documents by name: automatic persisted queries and the operator's manifest, over HTTP, event streams and sockets.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { type Message, RawSocket } from '../subscriptions/raw-socket.js';

const ORIGIN = 'https://app.example';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const persisted = (sha256Hash: string, version = 1) => ({ persistedQuery: { version, sha256Hash } });

interface Answer {
  status: number;
  headers: Headers;
  body: Message;
}

let gateway: TestGateway;

async function post(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  return read(await fetch(`${gateway.url}/graphql`, init));
}

async function get(params: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Answer> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return read(await fetch(`${gateway.url}/graphql?${search}`, { headers }));
}

async function read(answer: Response): Promise<Answer> {
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.includes('application/json');
  return { status: answer.status, headers: answer.headers, body: json ? JSON.parse(text) : text };
}

/** The first response to an operation over a socket. */
async function overSocket(payload: object): Promise<Message> {
  const socket = await RawSocket.open(gateway, { init: {} });
  socket.send({ id: '1', type: 'subscribe', payload });
  const message = await socket.message(({ id }) => id === '1');
  socket.socket.close();
  return message;
}

const codesOf = ({ errors }: Message): unknown[] => errors.map((error: Message) => error.extensions.code);

describe('A document that was sent with its hash', () => {
  beforeAll(async () => {
    gateway = await startGateway({ env: { CORS_ORIGINS: ORIGIN } });
  });
  afterAll(() => gateway.close());

  const query = 'query Typed($id: String!) { __typename credential(credentialId: $id) { name } }';
  const variables = { id: 'nope' };
  const extensions = persisted(hashOf(query));

  it('an unknown hash gets the error that clients of persisted queries expect', async () => {
    for (const answer of [await post({ extensions, variables }), await get({ extensions, variables })]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body.errors).toMatchObject([
        { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
      ]);
    }
  });

  it('a document that was sent with its hash runs by the hash alone, by POST, GET, event stream and socket', async () => {
    const told = await post({ query, extensions, variables });
    expect(told.body).toEqual({ data: { __typename: 'Query', credential: null } });
    expect((await post({ extensions, variables })).body).toEqual(told.body);
    expect((await get({ extensions, variables })).body).toEqual(told.body);
    const streamed = await get({ extensions, variables }, { accept: 'text/event-stream' });
    expect(streamed.body).toContain(`data: ${JSON.stringify(told.body)}`);
    const socketed = await overSocket({ query: '', extensions, variables });
    expect(socketed).toMatchObject({ type: 'next', payload: told.body });
  });

  it('a hash runs by GET for pages of other origins, with the extra members of their clients', async () => {
    await post({ query, extensions });
    for (const sent of [{}, { 'content-type': 'application/json' }]) {
      const answer = await get({ extensions, variables }, { origin: ORIGIN, ...sent } as Record<string, string>);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    }
    const names = 'content-type, apollographql-client-name, apollographql-client-version, apollo-require-preflight';
    const headers = { origin: ORIGIN, 'access-control-request-method': 'GET', 'access-control-request-headers': names };
    const preflight = await fetch(`${gateway.url}/graphql`, { method: 'OPTIONS', headers });
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(names.split(', ')));
  });

  it('a document must have the hash that is sent with it, in the existing version', async () => {
    const other = await post({ query, extensions: persisted(hashOf('{ __typename }')) });
    expect(other.status).toBe(400);
    expect(other.body.errors[0]).toMatchObject({
      message: '"extensions.persistedQuery.sha256Hash" is not the SHA-256 of "query".',
      extensions: { code: 'BAD_USER_INPUT', field: 'extensions.persistedQuery.sha256Hash' },
    });
    for (const wrong of [persisted(hashOf(query), 2), persisted(''), { persistedQuery: 'abc' }])
      expect((await post({ extensions: wrong })).status).toBe(400);
  });

  it('a hash of a mutation does not run by GET', async () => {
    const mutation = 'mutation { logout { __typename } }';
    const named = persisted(hashOf(mutation));
    await post({ query: mutation, extensions: named });
    const answer = await get({ extensions: named });
    expect(answer.status).toBe(405);
    expect(codesOf(answer.body)).toEqual(['METHOD_NOT_ALLOWED']);
  });

  it('a document that cannot run is refused in the same way however often it is sent', async () => {
    const wrong = '{ nothingOfTheKind }';
    const refusals = [
      await post({ query: wrong }),
      await post({ query: wrong, extensions: persisted(hashOf(wrong)) }),
      await post({ extensions: persisted(hashOf(wrong)) }),
    ];
    for (const { status, body } of refusals) {
      expect(status).toBe(200);
      expect(body.errors).toMatchObject([
        { message: expect.stringContaining('nothingOfTheKind'), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
      ]);
    }
  });

  it('a document is evicted when others need the memory', async () => {
    await post({ query, extensions });
    for (let other = 0; other < 4; other += 1) {
      const large = `{ __typename } # ${String(other).repeat(200_000)}`;
      expect((await post({ query: large })).status).toBe(200);
    }
    expect(codesOf((await post({ extensions })).body)).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    expect((await post({ query, extensions, variables })).body.data).toEqual({ __typename: 'Query', credential: null });
  });
});

const LISTED = 'query Listed { __typename }';
const NAMED = 'query Named { issuers(first: 1) { totalCount } }';
const OTHER = '{ __typename }';
const WATCH = 'subscription Watch { catalogChanged { id } }';

let folder: string;

function startTrusted(mode: 'prefer' | 'only'): Promise<TestGateway> {
  folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  const file = join(folder, 'manifest.json');
  const operations = [
    { id: hashOf(LISTED), name: 'Listed', type: 'query', body: LISTED },
    { id: 'named-1', name: 'Named', type: 'query', body: NAMED },
    { id: hashOf(WATCH), name: 'Watch', type: 'subscription', body: WATCH },
  ];
  writeFileSync(file, JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }));
  return startGateway({ env: { TRUSTED_DOCUMENTS: mode, TRUSTED_DOCUMENTS_FILE: file } });
}

async function endTrusted(): Promise<void> {
  await gateway.close();
  rmSync(folder, { recursive: true });
}

describe('With TRUSTED_DOCUMENTS=only', () => {
  beforeAll(async () => {
    gateway = await startTrusted('only');
  });
  afterAll(endTrusted);

  it('with TRUSTED_DOCUMENTS=only, a listed document runs by its id or its text, in every form that clients use', async () => {
    const listed = { data: { __typename: 'Query' } };
    for (const asked of [
      { query: LISTED },
      { extensions: persisted(hashOf(LISTED)) },
      { query: LISTED, extensions: persisted(hashOf(LISTED)) },
      { documentId: `sha256:${hashOf(LISTED)}` },
      { doc_id: hashOf(LISTED) },
    ]) {
      expect((await post(asked)).body, JSON.stringify(asked)).toEqual(listed);
      expect((await get(asked)).body, JSON.stringify(asked)).toEqual(listed);
    }
    const named = { data: { issuers: { totalCount: 0 } } };
    expect((await post({ extensions: persisted('named-1') })).body).toEqual(named);
    expect((await post({ query: NAMED, extensions: persisted('named-1') })).body).toEqual(named);
    expect((await get({ extensions: persisted(hashOf(NAMED)) })).body).toEqual(named);
    expect(await overSocket({ query: '', extensions: persisted('named-1') })).toMatchObject({ payload: named });
  });

  it('with TRUSTED_DOCUMENTS=only, nothing else runs: no text, hash or introspection, over HTTP, event streams and sockets', async () => {
    const others = [
      { query: OTHER },
      { query: OTHER, extensions: persisted(hashOf(OTHER)) },
      { query: `${LISTED} ` },
      { query: '', extensions: persisted(hashOf(OTHER)) },
      { query: '', documentId: 'no-such-id' },
      { query: '{ __schema { queryType { name } } }' },
      { query: 'no GraphQL at all' },
    ];
    for (const asked of others) {
      const text = JSON.stringify(asked);
      for (const { status, body } of [await post(asked), await get(asked)]) {
        expect(status, text).toBe(400);
        expect(codesOf(body), text).toEqual(['DOCUMENT_NOT_TRUSTED']);
        expect(body.errors[0].message, text).toMatch(/^[^.]+\.$/);
      }
      const streamed = await post(asked, { accept: 'text/event-stream' });
      expect(streamed.body, text).toContain('"code":"DOCUMENT_NOT_TRUSTED"');
      const { type, payload } = await overSocket(asked);
      expect(type, text).toBe('error');
      expect(codesOf({ errors: payload }), text).toEqual(['DOCUMENT_NOT_TRUSTED']);
    }
  });
});

describe('With TRUSTED_DOCUMENTS=prefer', () => {
  beforeAll(async () => {
    gateway = await startTrusted('prefer');
  });
  afterAll(endTrusted);

  it('with TRUSTED_DOCUMENTS=prefer, listed documents run by their ids without being sent before', async () => {
    expect((await get({ extensions: persisted('named-1') })).body).toEqual({ data: { issuers: { totalCount: 0 } } });
  });

  it('with TRUSTED_DOCUMENTS=prefer, other documents run, too, and are cached by their hashes', async () => {
    expect((await post({ query: OTHER, extensions: persisted(hashOf(OTHER)) })).status).toBe(200);
    expect((await get({ extensions: persisted(hashOf(OTHER)) })).body).toEqual({ data: { __typename: 'Query' } });
  });
});
