// The response cache as clients see it: the same responses as without it, current after every write, and never a
// caller's response for another caller. `CACHED_REQUESTS=2000` compares more requests that partners send in the same
// words.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { registerPartner } from '../../support/partner.js';
import { CachedAnswers } from './cached-answers.js';

const PAGE = `query Page($first: Int) {
  credentials(first: $first, orderBy: { field: POPULARITY }) {
    totalCount
    nodes { credentialId name issuer { name } schema { title } programs(first: 2) { nodes { name } } }
  }
}`;
const DATA_POINT = { name: 'level', title: 'Level', type: 'integer', isRequired: true, description: '' };
const SCHEMA = { title: 'One', description: 'A schema', dataPoints: [DATA_POINT] };
const SCHEMA_RENAMED = { ...SCHEMA, title: 'Renamed elsewhere' };
const DETAIL = '/v1/catalog/credentials/a';
const REQUESTS = Number(process.env.CACHED_REQUESTS ?? 300);
const PARTNERS = 10;
const ORIGIN = 'https://app.example';

let gateway: TestGateway;
let other: TestGateway;
let answers: CachedAnswers;

beforeAll(async () => {
  // Without cached rows, every response that is made needs commands.
  const env = { ENTITY_CACHE_MB: '0', CORS_ORIGINS: ORIGIN };
  gateway = await startGateway({ monitorCommands: true, env });
  other = await startGateway({ env: { ...env, MONGODB_URI: databaseUri(gateway.app.connection.name) } });
  answers = new CachedAnswers(gateway);
  await put('issuers/one', { name: 'One', issuerDid: 'did:example:one', issuerFrom: 'here' });
  await put('verifiers/one', { name: 'One', verifierDid: 'did:example:verifier' });
  await put('schemas/one', SCHEMA);
  for (const id of ['a', 'b', 'c']) await putCredential(id, `Credential ${id}`);
  for (const { app } of [gateway, other]) await until(() => app.services.catalogChanges.trusted);
});
afterAll(async () => {
  await other.app.close();
  await gateway.close();
});

async function put(path: string, body: object, at = gateway): Promise<void> {
  const { status, body: answer } = await at.admin('PUT', `/v1/admin/${path}`, { body });
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
}
const putCredential = (id: string, name: string, at = gateway): Promise<void> =>
  put(`credentials/${id}`, { name, category: 'x', issuerId: 'one', schemaId: 'one' }, at);

/** Sends a POST, and returns the response with its text. */
async function post(body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe('A REST read of the catalog', () => {
  const paths = [DETAIL, '/v1/catalog/credentials?limit=2', '/v1/catalog/issuers/one', '/v1/catalog/schemas/one'];

  it.each(paths)('a REST read of %s is sent again without the store, with the present time', async (path) => {
    const ask = async () => (await gateway.rest('GET', path)).body;
    let first = await ask();
    const keep = async () => {
      await answers.settled();
      first = await ask();
    };
    const again = async () => {
      const body = await ask();
      expect(body.data).toEqual(first.data);
      expect(Object.keys(body)).toEqual(['code', 'msg', 'data', 'timestamp']);
      expect(body.timestamp).toBeGreaterThanOrEqual(first.timestamp);
    };
    expect(await answers.commands(again, keep)).toBe(0);
  });

  it('a cached REST response is replaced at once after a write of this process', async () => {
    for (let round = 0; round < 5; round += 1) {
      await gateway.rest('GET', DETAIL);
      await putCredential('a', `Round ${round}`);
      expect((await gateway.rest('GET', DETAIL)).body.data.name).toBe(`Round ${round}`);
      const { body } = await gateway.rest('GET', '/v1/catalog/issuers/one');
      expect(body.data.credentials).toContainEqual(expect.objectContaining({ name: `Round ${round}` }));
    }
  });

  it('a cached REST response is replaced after a write of another process, as soon as the change stream reports it', async () => {
    await gateway.rest('GET', DETAIL);
    await putCredential('a', 'Elsewhere', other);
    await until(async () => (await gateway.rest('GET', DETAIL)).body.data.name === 'Elsewhere');
  });

  it('a REST read is "not modified" for a client that has the response, until it changes', async () => {
    const first = await answers.withTag(() => gateway.rest('GET', DETAIL));
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    expect(first.headers.get('vary')).toContain('x-partner-auth');
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await answers.withTag(() => gateway.rest('GET', DETAIL, { headers: { 'if-none-match': known } }));
      expect([again.status, again.body]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(etag);
    }
    await putCredential('a', 'Modified');
    const modified = await gateway.rest('GET', DETAIL, { headers: { 'if-none-match': etag } });
    expect([modified.status, modified.body.data.name]).toEqual([200, 'Modified']);
  });

  it('a REST read that fails is not cached', async () => {
    expect((await gateway.rest('GET', '/v1/catalog/credentials/late')).status).toBe(404);
    await putCredential('late', 'Late', other);
    expect((await gateway.rest('GET', '/v1/catalog/credentials/late')).status).toBe(200);
    expect((await gateway.rest('GET', '/v1/catalog/credentials?limit=0')).status).toBe(400);
    expect((await gateway.rest('GET', '/v1/catalog/credentials?limit=0')).status).toBe(400);
  });

  it('a REST read is checked for its own origin, cached or not', async () => {
    await gateway.rest('GET', DETAIL);
    const allowed = await gateway.rest('GET', DETAIL, { headers: { origin: ORIGIN } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    const plain = await gateway.rest('GET', DETAIL);
    expect(plain.headers.get('access-control-allow-origin')).toBeNull();
    expect((await gateway.rest('GET', DETAIL, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });

  it('a REST read is computed once for a hundred concurrent requests', async () => {
    const ask = () => gateway.rest('GET', '/v1/catalog/credentials/b');
    const change = () => putCredential('b', `Asked at once ${randomUUID()}`).then(() => answers.settled());
    const hundred = await answers.commands(() => Promise.all(Array.from({ length: 100 }, ask)), change);
    // Without sharing, each request alone would cost some hundreds.
    expect(hundred).toBeGreaterThan(0);
    expect(hundred).toBeLessThan(50);
  });
});

describe('A GraphQL read of the catalog', () => {
  const body = { query: PAGE, variables: { first: 2 } };
  const get = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`, { headers });

  it('a GraphQL read of the catalog is sent again without the store, byte for byte', async () => {
    let first = await post(body);
    expect(first.status).toBe(200);
    expect(JSON.parse(first.text).data.credentials.nodes).toHaveLength(2);
    const keep = async () => {
      await answers.settled();
      first = await post(body);
    };
    const again = async () => {
      const second = await post(body);
      expect(second.text).toBe(first.text);
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    };
    expect(await answers.commands(again, keep)).toBe(0);
    expect(await answers.allCommands(() => post({ ...body, variables: { first: 3 } }))).toBeGreaterThan(0);
  });

  it('a GraphQL read shows writes to all its rows, and to everything that its lists depend on', async () => {
    const names = async () => JSON.parse((await post({ query: PAGE })).text).data.credentials;
    await names();
    await putCredential('a', 'Renamed');
    expect((await names()).nodes.map(({ name }: { name: string }) => name)).toContain('Renamed');
    await put('issuers/one', { name: 'Renamed', issuerDid: 'did:example:one', issuerFrom: 'here' });
    expect((await names()).nodes[0].issuer.name).toBe('Renamed');
    const before = await names();
    await putCredential('d', 'Another');
    expect((await names()).totalCount).toBe(before.totalCount + 1);
    const accepted = [{ credentialId: 'd', verificationConditions: ['level >= 1'] }];
    const program = {
      name: 'New',
      description: '',
      verifierId: 'one',
      pricingModel: 'free',
      acceptedCredentials: accepted,
    };
    await put('programs/new', program);
    const shown = (await names()).nodes.find(({ credentialId }: { credentialId: string }) => credentialId === 'd');
    expect(shown.programs.nodes).toEqual([{ name: 'New' }]);
    expect((await gateway.admin('DELETE', '/v1/admin/programs/new')).status).toBe(204);
    expect((await gateway.admin('DELETE', '/v1/admin/credentials/d')).status).toBe(204);
    expect((await names()).nodes.map(({ credentialId }: { credentialId: string }) => credentialId)).not.toContain('d');
    expect((await names()).totalCount).toBe(before.totalCount);
  });

  it('a GraphQL read shows a write of another process as soon as the change stream reports it', async () => {
    await post(body);
    await put('schemas/one', SCHEMA_RENAMED, other);
    const title = async () => JSON.parse((await post(body)).text).data.credentials.nodes[0].schema.title;
    await until(async () => (await title()) === SCHEMA_RENAMED.title);
  });

  it('a GraphQL read by GET has an entity tag, and is "not modified" for a client that has the response', async () => {
    const query = '{ credential(credentialId: "a") { name } }';
    const asked = (etag = '') => answers.withTag(() => get(query, { 'if-none-match': etag }));
    const etag = (await asked()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    expect((await asked(etag)).status).toBe(304);
    await putCredential('a', 'By GET');
    const modified = await asked(etag);
    expect([modified.status, await modified.json()]).toEqual([200, { data: { credential: { name: 'By GET' } } }]);
    for (const name of ['Between', 'By GET']) await putCredential('a', name);
    expect((await asked(modified.headers.get('etag') ?? '')).status).toBe(304);
  });

  it('a GraphQL read is computed once for a hundred concurrent requests', async () => {
    const [{ credentialId }] = JSON.parse((await post(body)).text).data.credentials.nodes;
    let name = '';
    const ask = async () => {
      const texts = await Promise.all(Array.from({ length: 100 }, async () => (await post(body)).text));
      expect(new Set(texts).size).toBe(1);
      expect(texts[0]).toContain(name);
    };
    const change = async () => {
      name = `Once ${randomUUID()}`;
      await putCredential(credentialId, name);
      await answers.settled();
    };
    const hundred = await answers.commands(ask, change);
    expect(hundred).toBeGreaterThan(0);
    expect(hundred).toBeLessThan(50);
  });

  it('a GraphQL read with an error is computed each time, each with its own request id', async () => {
    const query = '{ credentials(first: 1000) { nodes { name } } }';
    const [first, second] = [await post({ query }), await post({ query })];
    expect(first.headers.get('etag')).toBeNull();
    const idOf = ({ text }: { text: string }) => JSON.parse(text).errors[0].extensions.requestId;
    expect(idOf(first)).not.toBe(idOf(second));
  });

  it('a GraphQL read of more than the catalog, or of its freshness, is computed each time', async () => {
    await post(body);
    const search = {
      query: '{ credential(credentialId: "a") { name } search(query: "Credential") { totalResults } }',
    };
    await post(search);
    expect(await answers.allCommands(() => post(search))).toBeGreaterThan(0);
    const fragment = {
      query: '{ ...R } fragment R on Query { credential(credentialId: "a") { name } whoAmI { kind } }',
    };
    await post(fragment);
    expect(await answers.allCommands(() => post(fragment))).toBeGreaterThan(0);
    const fresh = await post(body, { 'x-include': 'freshness' });
    expect(JSON.parse(fresh.text).extensions.freshness.lagMs).toBeGreaterThanOrEqual(0);
    expect(JSON.parse((await post(body)).text).extensions).toBeUndefined();
  });

  it('a GraphQL read is checked for its own origin and media type, cached or not', async () => {
    await post(body);
    expect((await post(body, { origin: ORIGIN })).headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect((await post(body)).headers.get('access-control-allow-origin')).toBeNull();
    expect((await post(body, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(body, { accept: 'text/html' })).status).toBe(406);
    const preferred = 'application/graphql-response+json';
    const own = await post(body, { accept: `${preferred}, application/json;q=0.9` });
    expect(own.headers.get('content-type')).toContain(preferred);
    expect((await post(body)).headers.get('content-type')).toContain('application/json');
  });

  it('a GraphQL read with an invalid key or token is refused, even if its response is cached', async () => {
    await post(body);
    for (const header of ['x-partner-auth', 'x-admin-api-key']) {
      expect((await post(body, { [header]: 'wrong' })).status).toBe(403);
    }
    expect((await post(body, { authorization: 'Bearer wrong' })).status).toBe(403);
  });
});

describe('Partners and everybody else, asking with the same words', () => {
  it('partners and all others get their own responses to the same text, every time', async () => {
    const partners = await Promise.all(
      Array.from({ length: PARTNERS }, async () => {
        const partner = await registerPartner(gateway);
        return { partnerId: partner.partnerId as string | null, headers: { 'x-partner-auth': await partner.token() } };
      }),
    );
    const anonymous = { partnerId: null, headers: {} };
    const asked = { query: '{ __typename whoAmI { kind partnerId } credential(credentialId: "a") { credentialId } }' };
    const catalog = { query: '{ credential(credentialId: "a") { credentialId } }' };
    const wrong: string[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let at = next++; at < REQUESTS; at = next++) {
        const who = at % 3 === 0 ? anonymous : (partners[(at * 7) % partners.length] ?? anonymous);
        const { status, text, headers } = await post(at % 4 === 0 ? catalog : asked, who.headers);
        const { data } = JSON.parse(text);
        const shown = data?.whoAmI === undefined ? who.partnerId : data.whoAmI.partnerId;
        if (status !== 200 || shown !== who.partnerId || headers.get('etag') !== null) wrong.push(`${at}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, lane));
    expect(wrong).toEqual([]);
  });
});
