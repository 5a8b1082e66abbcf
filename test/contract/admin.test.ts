// The operator's side of the catalog over REST (contract §7): who may use it, what it returns, and what a PUT and a
// DELETE do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, SMALL_CATALOG } from '../catalog/admin/admin-fixture.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { BODIES, KINDS, pathOf, WRITTEN } from './admin-bodies.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await importInto(gateway, SMALL_CATALOG);
});
afterAll(() => gateway?.close());

describe('an entry of each kind', () => {
  it.each(KINDS)(
    'an entry of %s is created by PUT, read by GET, listed, unchanged by the same PUT, and retired by DELETE',
    async (kind) => {
      const { body, record } = BODIES[kind] ?? { body: {}, record: {} };
      const path = pathOf(kind);
      expect((await gateway.admin('GET', path)).status).toBe(404);

      const made = await gateway.admin('PUT', path, { body });
      expect(made.body).toEqual({ ...body, ...record, ...WRITTEN });
      expect(made.status).toBe(200);
      expect(made.headers.get('etag')).toBe(`"${made.body.etag}"`);

      const again = await gateway.admin('PUT', path, { body });
      expect(again.body).toEqual(made.body);
      expect((await gateway.admin('GET', path)).body).toEqual(made.body);
      const list = (await gateway.admin('GET', `/v1/admin/${kind}?limit=100`)).body;
      expect(list.data).toContainEqual(made.body);
      expect(list.pagination).toEqual({ page: 1, limit: 100, total: list.data.length });

      const retired = await gateway.admin('DELETE', path);
      expect([retired.status, retired.body]).toEqual([204, '']);
      expect((await gateway.admin('GET', path)).status).toBe(404);
      expect((await gateway.admin('DELETE', path)).status).toBe(404);
      expect((await gateway.admin('GET', `/v1/admin/${kind}`)).body.pagination.total).toBe(list.pagination.total - 1);
    },
  );

  it.each(KINDS)('entries of %s can be written only by the operator', async (kind) => {
    const { body } = BODIES[kind] ?? { body: {} };
    for (const [method, path] of [
      ['PUT', pathOf(kind)],
      ['GET', pathOf(kind)],
      ['DELETE', pathOf(kind)],
      ['GET', `/v1/admin/${kind}`],
    ] as const) {
      const options = method === 'PUT' ? { body } : {};
      const nobody = await gateway.rest(method, path, options);
      expect([nobody.status, nobody.body.error]).toEqual([401, 401]);
      const somebody = await gateway.rest(method, path, { ...options, headers: { 'x-admin-api-key': 'wrong' } });
      expect([somebody.status, somebody.body.error]).toEqual([403, 403]);
    }
    expect((await gateway.admin('GET', pathOf(kind))).status).toBe(404);
  });

  it.each(KINDS)('an entry of %s with an unknown field is refused with 400, naming it', async (kind) => {
    const { body } = BODIES[kind] ?? { body: {} };
    const { status, body: answer } = await gateway.admin('PUT', pathOf(kind), { body: { ...body, colour: 'red' } });
    expect(status).toBe(400);
    expect(answer).toEqual({ error: 400, message: expect.stringContaining('"colour"') });
  });
});

describe('an issuer that we sign for', () => {
  it('an issuer for which the gateway signs gets a DID of keys made here, which are never returned, and keeps it', async () => {
    const path = '/v1/admin/issuers/ours';
    const body = { name: 'Ours', issuerFrom: 'EU', managed: true };
    const made = await gateway.admin('PUT', path, { body });
    expect(made.body).toMatchObject({
      managed: true,
      issuerDid: expect.stringMatching(/^did:key:z[1-9A-HJ-NP-Za-km-z]+$/),
    });
    expect(Object.keys(made.body).filter((field) => /key|jwk|seal/i.test(field))).toEqual([]);
    expect((await gateway.admin('PUT', path, { body })).body).toEqual(made.body);
    const renamed = await gateway.admin('PUT', path, { body: { ...body, name: 'Still ours' } });
    expect(renamed.body.issuerDid).toBe(made.body.issuerDid);
    expect((await gateway.admin('DELETE', path)).status).toBe(204);
  });

  it('the API key of an issuer is stored until it is removed, and never returned', async () => {
    const operator = { 'x-admin-api-key': gateway.operatorKey };
    const put = 'mutation ($input: PutIssuerInput!) { putIssuer(input: $input) { result } }';
    const input = { issuerId: 'called', name: 'Called', issuerDid: 'did:web:called.example', issuerFrom: 'EU' };
    const results: string[] = [];
    for (const change of [{ apiKey: 'secret-of-called' }, {}, { apiKey: null }, {}]) {
      const { data } = await gateway.gql(put, { input: { ...input, ...change } }, operator);
      results.push(data.putIssuer.result);
      const { body } = await gateway.admin('GET', '/v1/admin/issuers/called');
      expect(JSON.stringify(body)).not.toContain('secret-of-called');
    }
    expect(results).toEqual(['CREATED', 'UNCHANGED', 'UPDATED', 'UNCHANGED']);
    await gateway.admin('DELETE', '/v1/admin/issuers/called');
  });
});

describe('lists', () => {
  it("the operator's lists have pages, of 25 entries by default", async () => {
    const first = (await gateway.admin('GET', '/v1/admin/credentials?limit=2')).body;
    const second = (await gateway.admin('GET', '/v1/admin/credentials?limit=2&page=2')).body;
    const ids = [...first.data, ...second.data].map(({ credentialId }: { credentialId: string }) => credentialId);
    expect(ids.sort()).toEqual(['adult', 'bachelor', 'citizen']);
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 3 });
    expect((await gateway.admin('GET', '/v1/admin/issuers')).body.pagination).toEqual({ page: 1, limit: 25, total: 2 });
  });

  it.each(['limit=0', 'limit=101', 'page=0', 'page=500&limit=100'])(
    "the operator's lists with %s are refused with 400",
    async (query) => {
      expect((await gateway.admin('GET', `/v1/admin/issuers?${query}`)).status).toBe(400);
    },
  );
});

describe('if-match', () => {
  it('if-match allows a PUT while the entry is unchanged, and answers 412 afterwards', async () => {
    const body = { name: 'Once', verifierDid: 'did:web:once.example' };
    const path = '/v1/admin/verifiers/once';
    const absent = await gateway.admin('PUT', path, { body, headers: { 'if-match': '*' } });
    expect([absent.status, absent.body.error]).toEqual([412, 412]);

    const { headers } = await gateway.admin('PUT', path, { body });
    const first = headers.get('etag') ?? '';
    const changed = await gateway.admin('PUT', path, {
      body: { ...body, name: 'Twice' },
      headers: { 'if-match': first },
    });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(first);

    const late = await gateway.admin('PUT', path, {
      body: { ...body, name: 'Thrice' },
      headers: { 'if-match': first },
    });
    expect(late.status).toBe(412);
    const bare = changed.body.etag;
    expect((await gateway.admin('DELETE', path, { headers: { 'if-match': first } })).status).toBe(412);
    expect((await gateway.admin('DELETE', path, { headers: { 'if-match': bare } })).status).toBe(204);
  });
});

describe('if-none-match: *', () => {
  const STAR = { 'if-none-match': '*' };

  it.each([
    ['issuers', { name: 'First', issuerFrom: 'test', issuerDid: 'did:web:first.example' }],
    ['verifiers', { name: 'First', verifierDid: 'did:web:first.example' }],
    ['schemas', { title: 'First', description: '', dataPoints: [{ name: 'a', type: 'string' }] }],
    [
      'programs',
      { name: 'First', description: '', pricingModel: 'free', acceptedCredentials: [], verifierId: 'first' },
    ],
  ])('if-none-match: * creates one of %s, also after it was retired, and replaces none', async (kind, body) => {
    const path = `/v1/admin/${kind}/first`;
    const created = await gateway.admin('PUT', path, { body, headers: STAR });
    expect([kind, created.status]).toEqual([kind, 200]);
    const second = await gateway.admin('PUT', path, { body: { ...body, ...rename(kind) }, headers: STAR });
    expect(second.status).toBe(412);
    expect(second.body.message).toContain('exists already');
    expect((await gateway.admin('GET', path)).body.etag).toBe(created.body.etag);
    if (kind !== 'verifiers') expect((await gateway.admin('DELETE', path)).status).toBe(204);
    if (kind !== 'verifiers') expect((await gateway.admin('PUT', path, { body, headers: STAR })).status).toBe(200);
  });
  const rename = (kind: string) => (kind === 'schemas' ? { title: 'Second' } : { name: 'Second' });

  it('if-none-match: * lets only one of two operators create an entry', async () => {
    const body = { name: 'Race', verifierDid: 'did:web:race.example' };
    const put = (name: string) =>
      gateway.admin('PUT', '/v1/admin/verifiers/race', { body: { ...body, name }, headers: STAR });
    const statuses = (await Promise.all(['A', 'B', 'C'].map(put))).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 412, 412]);
  });

  it('if-none-match takes no other value', async () => {
    const body = { name: 'Other', verifierDid: 'did:web:other.example' };
    const { status, body: answer } = await gateway.admin('PUT', '/v1/admin/verifiers/other', {
      body,
      headers: { 'if-none-match': '"etag"' },
    });
    expect([status, answer.message]).toEqual([400, expect.stringContaining('takes only *')]);
  });
});
