// Promises about partners from outside: the operator writes them, their tokens work on REST and GraphQL alike, their pages may call.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { jws, keyPair } from './support.js';

const ec = keyPair('p256', 'k1');
const rsa = keyPair('rsa', 'k2');
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const path = (id: string): string => `/v1/admin/partners/${id}`;
const body = (fields: object = {}) => ({ name: 'Acme', scopes: ['issue'], jwks: { keys: [ec.jwk] }, ...fields });
const put = (id: string, fields: object = {}, headers = {}) =>
  gateway.admin('PUT', path(id), { body: body(fields), headers });
const tokenOf = (partnerId: string, claims: object = {}, key = ec): string =>
  jws(
    { alg: key === rsa ? 'RS256' : 'ES256', typ: 'JWT', kid: key.kid },
    { partnerId, scope: 'issue', exp: Math.floor(Date.now() / 1_000) + 300, ...claims },
    key.privateKey,
    key === rsa ? 'RS256' : 'ES256',
  );
const RECORD = `{ partnerId name jwksUri jwks scopes issuerDids issueOnBehalf verifierIds allowedOrigins requireTyp requireScope
  gasPolicy { gasPerDay } keySetProblem createdAt updatedAt etag }`;
const WHO = '{ whoAmI { kind partnerId scopes kid expiresAt } }';

describe('the operator', () => {
  it('the operator creates, replaces, reads and retires a partner; the same body again changes nothing', async () => {
    const id = randomUUID();
    const created = await put(id, { allowedOrigins: ['https://app.example'], issuerDids: ['did:web:issuer.example'] });
    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      partnerId: id,
      name: 'Acme',
      jwksUri: null,
      jwks: { keys: [ec.jwk] },
      scopes: ['issue'],
      issuerDids: ['did:web:issuer.example'],
      issueOnBehalf: false,
      verifierIds: [],
      allowedOrigins: ['https://app.example'],
      requireTyp: true,
      requireScope: true,
      gasPolicy: null,
      keySetProblem: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      etag: expect.any(String),
    });
    const again = await put(id, { allowedOrigins: ['https://app.example'], issuerDids: ['did:web:issuer.example'] });
    expect(again.body).toEqual(created.body);
    const replaced = await put(id, { name: 'Acme Ltd' });
    expect(replaced.body).toMatchObject({ name: 'Acme Ltd', issuerDids: [], createdAt: created.body.createdAt });
    expect(replaced.body.etag).not.toBe(created.body.etag);
    expect((await gateway.admin('GET', path(id))).body).toEqual(replaced.body);
    expect((await gateway.admin('GET', path(id))).headers.get('etag')).toBe(`"${replaced.body.etag}"`);
    expect((await gateway.admin('DELETE', path(id))).status).toBe(204);
    expect((await gateway.admin('GET', path(id))).status).toBe(404);
    expect((await gateway.admin('DELETE', path(id))).status).toBe(404);
    expect((await put(id)).status).toBe(200);
  });

  it('the operator can write only over the version that it has read, with if-match', async () => {
    const id = randomUUID();
    const { body: first } = await put(id);
    expect((await put(id, { name: 'B' }, { 'if-match': '"other"' })).status).toBe(412);
    expect((await put(id, { name: 'B' }, { 'if-match': `"${first.etag}"` })).status).toBe(200);
    expect((await gateway.admin('DELETE', path(id), { headers: { 'if-match': first.etag } })).status).toBe(412);
    expect((await put(randomUUID(), {}, { 'if-match': '*' })).status).toBe(412);
    expect((await put(id, { name: 'C' }, { 'if-none-match': '*' })).status).toBe(412);
    expect((await put(randomUUID(), {}, { 'if-none-match': '*' })).status).toBe(200);
  });

  it('concurrent writes of many operators to one partner are all applied', async () => {
    const id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => put(id, { name: `N${at}` })));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await gateway.admin('GET', path(id))).status).toBe(200);
  });

  it('the operator reads pages of partners, newest first', async () => {
    const { body: page } = await gateway.admin('GET', '/v1/admin/partners?page=1&limit=2');
    expect(page.data).toHaveLength(2);
    expect(page.pagination).toEqual({ page: 1, limit: 2, total: expect.any(Number) });
    expect((await gateway.admin('GET', '/v1/admin/partners?limit=101')).status).toBe(400);
  });

  it('the operator reads one partner and all of them in GraphQL, as in REST', async () => {
    const operator = { 'x-admin-api-key': gateway.operatorKey };
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const [at, id] of ids.entries())
      await put(id, { name: `P${at}`, scopes: ['issue', 'verify'], allowedOrigins: ['https://app.example'] });
    await gateway.admin('DELETE', path(ids[1] ?? ''));
    const [first] = ids;
    const { body: record } = await gateway.admin('GET', path(first ?? ''));
    const one = await gateway.gql(`query($id: String!) { partner(partnerId: $id) ${RECORD} }`, { id: first }, operator);
    expect(one.data.partner).toEqual({ ...record, scopes: ['ISSUE', 'VERIFY'] });

    const PAGE = `query($after: String) { partners(first: 1, after: $after) {
      totalCount totalCountIsExact pageInfo { hasNextPage endCursor } nodes { partnerId } } }`;
    const names: string[] = [];
    for (let after: string | null = null; ; ) {
      const { data } = await gateway.gql(PAGE, { after }, operator);
      names.push(...data.partners.nodes.map(({ partnerId }: { partnerId: string }) => partnerId));
      const { body: list } = await gateway.admin('GET', '/v1/admin/partners?limit=100');
      expect(data.partners).toMatchObject({ totalCount: list.pagination.total, totalCountIsExact: true });
      if (!data.partners.pageInfo.hasNextPage) {
        expect(names).toEqual(list.data.map(({ partnerId }: { partnerId: string }) => partnerId));
        break;
      }
      after = data.partners.pageInfo.endCursor;
    }
    expect(names.slice(0, 2)).toEqual([ids[2], ids[0]]);
    for (const args of ['first: 0', 'first: 101', 'after: "x"']) {
      const { errors } = await gateway.gql(`{ partners(${args}) { nodes { name } } }`, {}, operator);
      expect([args, errors?.[0]?.extensions.code]).toEqual([args, 'BAD_USER_INPUT']);
    }
  });

  it('only operators may write and list partners', async () => {
    const id = randomUUID();
    await put(id);
    for (const [method, at] of [
      ['PUT', path(id)],
      ['GET', path(id)],
      ['GET', '/v1/admin/partners'],
      ['DELETE', path(id)],
    ] as const) {
      const sent = method === 'PUT' ? { body: body() } : {};
      expect((await gateway.rest(method, at, sent)).status).toBe(401);
      const asPartner = { ...sent, headers: { 'x-partner-auth': tokenOf(id) } };
      expect((await gateway.rest(method, at, asPartner)).status).toBe(403);
      const wrongKey = { ...sent, headers: { 'x-admin-api-key': 'wrong' } };
      expect((await gateway.rest(method, at, wrongKey)).status).toBe(403);
    }
  });
});

describe('a body that does not fit is refused, naming the field', () => {
  const privateJwk = { ...ec.privateKey.export({ format: 'jwk' }), kid: 'k' };
  const small = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' });
  const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  it.each([
    ['name', { name: '' }],
    ['name', { name: 7 }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['issue', 'admin'] }],
    ['jwksUri', { jwks: undefined }],
    ['jwksUri', { jwksUri: 'https://keys.example/jwks' }],
    ['jwksUri', { jwks: null, jwksUri: 'http://keys.example/jwks' }],
    ['jwksUri', { jwks: null, jwksUri: 'https://169.254.169.254/' }],
    ['jwksUri', { jwks: null, jwksUri: 'https://user:pw@keys.example/' }],
    ['jwks', { jwks: { keys: [] } }],
    ['jwks', { jwks: { keys: [privateJwk] } }],
    ['jwks', { jwks: { keys: [{ ...ec.jwk, kid: undefined }] } }],
    ['jwks', { jwks: { keys: [ec.jwk, ec.jwk] } }],
    ['jwks', { jwks: { keys: [{ ...small, kid: 'k' }] } }],
    ['jwks', { jwks: { keys: [{ ...ed, kid: 'k' }] } }],
    ['jwks', { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'k' }] } }],
    ['jwks', { jwks: { keys: [{ ...ec.jwk, use: 'enc' }] } }],
    ['jwks', { jwks: { keys: [{ ...rsa.jwk, alg: 'PS256' }] } }],
    ['issuerDids', { issuerDids: ['acme'] }],
    ['allowedOrigins', { allowedOrigins: ['*'] }],
    ['allowedOrigins', { allowedOrigins: ['https://app.example/'] }],
    ['requireTyp', { requireTyp: 'no' }],
    ['apiKey', { apiKey: 'x' }],
  ])("a partner's body is refused, naming the field: %s: %j", async (field, fields) => {
    const answer = await put(randomUUID(), fields);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(['error', 'message']);
    expect(answer.body.message).toContain(field);
  });

  it("a partner's id that is no UUID is refused", async () => {
    const { status, body } = await put('acme');
    expect([status, body.message]).toEqual([400, '"id" must be a UUID.']);
  });
});

describe('a partner', () => {
  it('a partner asks GraphQL who it is', async () => {
    const id = randomUUID();
    await put(id, { scopes: ['issue', 'verify'], jwks: { keys: [ec.jwk, rsa.jwk] } });
    const exp = Math.floor(Date.now() / 1_000) + 120;
    const { data } = await gateway.gql(WHO, {}, { 'x-partner-auth': tokenOf(id, { scope: 'verify issue', exp }, rsa) });
    expect(data.whoAmI).toEqual({
      kind: 'PARTNER',
      partnerId: id,
      scopes: ['ISSUE', 'VERIFY'],
      kid: 'k2',
      expiresAt: new Date(exp * 1_000).toISOString(),
    });
    expect((await gateway.gql(WHO)).data.whoAmI.kind).toBe('ANONYMOUS');
    expect((await gateway.gql(WHO, {}, { 'x-admin-api-key': gateway.operatorKey })).data.whoAmI.kind).toBe('OPERATOR');
  });

  it('a partner reads its own record in GraphQL, and no other', async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    await put(own, { name: 'Own' });
    await put(other);
    const ask = (id: string, headers: Record<string, string>) =>
      gateway.gql('query($id: String!) { partner(partnerId: $id) { name etag } }', { id }, headers);
    const asOwn = { 'x-partner-auth': tokenOf(own) };
    const { body } = await gateway.admin('GET', path(own));
    for (const id of [own, own.toUpperCase()])
      expect((await ask(id, asOwn)).data.partner).toEqual({ name: 'Own', etag: body.etag });
    for (const [id, headers, code] of [
      [other, asOwn, 'FORBIDDEN'],
      [randomUUID(), asOwn, 'FORBIDDEN'],
      [own, {}, 'UNAUTHENTICATED'],
      [randomUUID(), { 'x-admin-api-key': gateway.operatorKey }, 'NOT_FOUND'],
    ] as const)
      expect((await ask(id, headers)).errors?.[0]?.extensions.code).toBe(code);
  });

  it("a partner's bad token is refused in the same way by REST and GraphQL; without a token REST responds 401", async () => {
    const id = randomUUID();
    await put(id);
    const bad = { 'x-partner-auth': tokenOf(randomUUID()) };
    const call = (headers?: Record<string, string>) =>
      gateway.rest('POST', '/v1/auth/initialize-user', { body: { email: 'a@b.example' }, headers });
    const refused = await call(bad);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({ error: 403, message: expect.any(String) });
    const twice = await call({ 'x-partner-auth': `${tokenOf(id)}, ${tokenOf(id)}` });
    expect(twice.body).toEqual(refused.body);
    expect((await call()).status).toBe(401);
    const graphql = await gateway.gql(WHO, {}, bad);
    expect(graphql.errors?.[0]?.message ?? JSON.stringify(graphql)).toContain(refused.body.message);
  });

  it("a partner's own pages may call for it, and no others", async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await put(id, { allowedOrigins: ['https://mine.example'] });
    await put(other, { allowedOrigins: ['https://other.example'] });
    const from = (origin: string) =>
      gateway.rest('POST', '/v1/auth/initialize-user', {
        body: { email: 'cors@b.example' },
        headers: { origin, 'x-partner-auth': tokenOf(id) },
      });
    expect((await from('https://mine.example')).headers.get('access-control-allow-origin')).toBe(
      'https://mine.example',
    );
    expect((await from('https://other.example')).status).toBe(403);
    const preflight = (origin: string) =>
      gateway.rest('OPTIONS', '/v1/auth/initialize-user', {
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    expect((await preflight('https://other.example')).status).toBe(204);
    expect((await preflight('https://nobody.example')).status).toBe(403);
    await gateway.admin('DELETE', path(other));
    expect((await preflight('https://other.example')).status).toBe(403);
  });
});

describe('the mutations', () => {
  const PUT = `mutation ($input: PutPartnerInput!) { putPartner(input: $input) { partner { partnerId name jwks scopes requireTyp } result etag } }`;
  const RETIRE = `mutation ($input: RetirePartnerInput!) { retirePartner(input: $input) { retiredId } }`;

  it('the mutations write and retire the partners that REST reads', async () => {
    const partnerId = randomUUID();
    const operator = { 'x-admin-api-key': gateway.operatorKey };
    const input = { partnerId, name: 'G', scopes: ['VERIFY'], jwks: { keys: [ec.jwk] } };
    const { data } = await gateway.gql(PUT, { input }, operator);
    expect(data.putPartner.partner).toEqual({
      partnerId,
      name: 'G',
      jwks: { keys: [ec.jwk] },
      scopes: ['VERIFY'],
      requireTyp: true,
    });
    expect(data.putPartner.result).toBe('CREATED');
    expect((await gateway.admin('GET', path(partnerId))).body).toMatchObject({ name: 'G', etag: data.putPartner.etag });
    expect((await gateway.gql(RETIRE, { input: { partnerId } }, operator)).data.retirePartner.retiredId).toBe(
      partnerId,
    );
    expect((await gateway.admin('GET', path(partnerId))).status).toBe(404);
    expect((await gateway.gql(PUT, { input })).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});
