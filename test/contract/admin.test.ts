// The operator's side of the catalog over REST and GraphQL (contract §7): who may, what comes back, what is refused and how.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, POINTS, SMALL_CATALOG } from '../catalog/admin-fixture.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await importInto(gateway, SMALL_CATALOG);
});
afterAll(() => gateway?.close());

const KINDS = ['issuers', 'verifiers', 'schemas', 'credentials', 'programs'];
const ISO = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const WRITTEN = { createdAt: ISO, updatedAt: ISO, etag: expect.stringMatching(/^[\w-]{22}$/) };
const COUNTS = { holderCount: 0, issuanceCount: 0, verificationCount: 0 };

const BODIES: Record<string, { id: string; body: Record<string, unknown>; record: Record<string, unknown> }> = {
  issuers: {
    id: 'i-1',
    body: { name: 'West', issuerDid: 'did:web:west.example', issuerFrom: 'EU' },
    record: {
      issuerId: 'i-1',
      managed: false,
      availableVcUrl: null,
      issueVcUrl: null,
      traction: COUNTS,
      credentialCount: 0,
    },
  },
  verifiers: {
    id: 'v-1',
    body: { name: 'Hatch', verifierDid: 'did:web:hatch.example' },
    record: { verifierId: 'v-1', programCount: 0 },
  },
  schemas: {
    id: 'https://schemas.example/pass.json',
    body: { title: 'Pass', description: 'A pass.', dataPoints: POINTS },
    record: {
      schemaId: 'https://schemas.example/pass.json',
      version: 1,
      jsonSchema: null,
      credentialCount: 0,
      issuerCount: 0,
    },
  },
  credentials: {
    id: 'c-1',
    body: { name: 'Pass', category: 'travel', issuerId: 'north', schemaId: 'person', maximumIssuance: 5 },
    record: {
      credentialId: 'c-1',
      schemaVersion: 1,
      accessibleStart: null,
      accessibleEnd: null,
      expirationDuration: null,
      firstIssuedAt: null,
      lastIssuedAt: null,
      traction: { ...COUNTS, demandCount: 0 },
    },
  },
  programs: {
    id: 'p-1',
    body: {
      name: 'Turnstile',
      description: '',
      verifierId: 'gate',
      acceptedCredentials: [{ credentialId: 'adult', verificationConditions: ['age between 18 and 99'] }],
      pricingModel: 'free',
    },
    record: { programId: 'p-1', traction: { verificationCount: 0 } },
  },
};

const pathOf = (kind: string) => `/v1/admin/${kind}/${encodeURIComponent(BODIES[kind]?.id ?? '')}`;

describe('an entry of each kind', () => {
  it.each(KINDS)(
    'of %s is made by PUT, read by GET, listed, left alone by the same PUT, and retired by DELETE',
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

  it.each(KINDS)("of %s is the operator's alone", async (kind) => {
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

  it.each(KINDS)('of %s with an unknown field is refused with 400, naming it', async (kind) => {
    const { body } = BODIES[kind] ?? { body: {} };
    const { status, body: answer } = await gateway.admin('PUT', pathOf(kind), { body: { ...body, colour: 'red' } });
    expect(status).toBe(400);
    expect(answer).toEqual({ error: 400, message: expect.stringContaining('"colour"') });
  });
});

describe('an issuer that we sign for', () => {
  it('gets a DID of keys made here, which are never answered, and keeps it', async () => {
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

  it('or that is called with an API key: it is kept until taken away, and never answered', async () => {
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
  it('are paged, 25 at a time unless asked otherwise', async () => {
    const first = (await gateway.admin('GET', '/v1/admin/credentials?limit=2')).body;
    const second = (await gateway.admin('GET', '/v1/admin/credentials?limit=2&page=2')).body;
    const ids = [...first.data, ...second.data].map(({ credentialId }: { credentialId: string }) => credentialId);
    expect(ids.sort()).toEqual(['adult', 'bachelor', 'citizen']);
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 3 });
    expect((await gateway.admin('GET', '/v1/admin/issuers')).body.pagination).toEqual({ page: 1, limit: 25, total: 2 });
  });

  it.each(['limit=0', 'limit=101', 'page=0', 'page=500&limit=100'])('with %s are refused with 400', async (query) => {
    expect((await gateway.admin('GET', `/v1/admin/issuers?${query}`)).status).toBe(400);
  });
});

describe('if-match', () => {
  it('lets a PUT through while the entry is what it was, and answers 412 after', async () => {
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

describe('what does not fit', () => {
  const put = (path: string, body: unknown) => gateway.admin('PUT', `/v1/admin/${path}`, { body });

  it('is named: an issuer, schema or verifier that is not there', async () => {
    const credential = BODIES.credentials?.body;
    const program = BODIES.programs?.body;
    expect((await put('credentials/x', { ...credential, issuerId: 'nobody' })).body).toEqual({
      error: 400,
      message: '"issuerId" names no issuer: nobody.',
    });
    expect((await put('credentials/x', { ...credential, schemaId: 'nothing' })).body.message).toContain('"schemaId"');
    expect((await put('programs/x', { ...program, verifierId: 'nobody' })).body.message).toContain('"verifierId"');
    const acceptedCredentials = [{ credentialId: 'nothing', verificationConditions: [] }];
    const { body } = await put('programs/x', { ...program, acceptedCredentials });
    expect(body).toEqual({
      error: 400,
      message: '"acceptedCredentials[0].credentialId" names no credential: nothing.',
    });
  });

  it.each([
    ['age >', 'position 5'],
    ['age >= 18 and', 'position'],
    ['height >= 18', 'height'],
    ['age >= "old"', 'integer'],
  ])('is shown with its place in a condition: %s', async (condition, words) => {
    const acceptedCredentials = [{ credentialId: 'adult', verificationConditions: ['age >= 1', condition] }];
    const { status, body } = await put('programs/x', { ...BODIES.programs?.body, acceptedCredentials });
    expect(status).toBe(400);
    expect(body.message).toContain('"acceptedCredentials[0].verificationConditions[1]" is wrong at position');
    expect(body.message).toContain(words);
  });

  it('a DID that belongs to another issuer or verifier is a conflict', async () => {
    const issuer = await put('issuers/other', { name: 'O', issuerDid: 'did:web:north.example', issuerFrom: 'EU' });
    expect(issuer.body).toEqual({ error: 409, message: expect.stringContaining('north') });
    const verifier = await put('verifiers/other', { name: 'O', verifierDid: 'did:web:gate.example' });
    expect(verifier.status).toBe(409);
  });

  it('an id with white space or beyond 500 characters is refused', async () => {
    const body = BODIES.verifiers?.body;
    for (const id of ['a%20b', '%0A', 'x'.repeat(501)]) {
      expect((await put(`verifiers/${id}`, body)).status).toBe(400);
    }
  });

  it('a body that is no JSON object is refused', async () => {
    for (const body of ['[]', '"text"', 'null', '{', '']) {
      const { status, body: answer } = await gateway.admin('PUT', '/v1/admin/verifiers/x', {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect([status, answer.error]).toEqual([400, 400]);
    }
  });
});

describe('retiring', () => {
  it.each([
    ['issuers/north', '2 live credentials'],
    ['schemas/degree', '1 live credential '],
    ['verifiers/gate', '2 live programs'],
  ])('%s answers 409 while live entries need it', async (path, words) => {
    const { status, body } = await gateway.admin('DELETE', `/v1/admin/${path}`);
    expect(status).toBe(409);
    expect(body).toEqual({ error: 409, message: expect.stringContaining(words) });
  });
});

describe('POST /v1/admin/import', () => {
  it('answers each line, good or bad, and is for the operator alone', async () => {
    const lines = [
      { kind: 'verifiers', id: 'booth', name: 'Booth', verifierDid: 'did:web:booth.example' },
      'no json',
      { kind: 'verifiers', id: 'booth', name: 'Booth', verifierDid: 'did:web:booth.example' },
      { kind: 'verifiers', id: 'broken', name: 5 },
      { kind: 'planets', id: 'mars' },
    ];
    expect(await importInto(gateway, lines)).toEqual([
      { line: 1, kind: 'verifiers', id: 'booth', result: 'created' },
      { line: 2, kind: null, id: null, result: 'refused', message: 'The line is not JSON.' },
      { line: 3, kind: 'verifiers', id: 'booth', result: 'unchanged' },
      { line: 4, kind: 'verifiers', id: 'broken', result: 'refused', message: '"name" must be a string.' },
      { line: 5, kind: 'planets', id: 'mars', result: 'refused', message: expect.stringContaining('"kind"') },
    ]);
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await gateway.rest('POST', '/v1/admin/import', { body: JSON.stringify(lines[0]), headers });
    expect(answer.status).toBe(401);
  });

  it('answers while the client is still sending', async () => {
    const lines = Array.from({ length: 1_000 }, () => `${JSON.stringify(SMALL_CATALOG[0])}\n`).join('');
    const call = request(`${gateway.url}/v1/admin/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'x-admin-api-key': gateway.operatorKey },
    });
    call.write(lines);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    const [first] = (await once(answer, 'data')) as [Buffer];
    expect(JSON.parse(first.toString().split('\n')[0] ?? '')).toMatchObject({ line: 1, result: 'unchanged' });
    call.end(lines);
    let received = first.length;
    for await (const chunk of answer) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(first.length);
    expect(answer.complete).toBe(true);
  });

  it('answers NDJSON', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await gateway.admin('POST', '/v1/admin/import', { body: '\n', headers });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.body).toBe('');
  });

  it('reads NDJSON only', async () => {
    const { status, body } = await gateway.admin('POST', '/v1/admin/import', { body: {} });
    expect([status, body.error]).toEqual([415, 415]);
    expect((await gateway.admin('POST', '/v1/admin/import')).status).toBe(400);
  });
});

describe('the mutations', () => {
  const operator = () => ({ 'x-admin-api-key': gateway.operatorKey });
  const inputs: Record<string, object> = {
    Issuer: { issuerId: 'g-i', ...BODIES.issuers?.body, issuerDid: 'did:web:g.example' },
    Verifier: { verifierId: 'g-v', ...BODIES.verifiers?.body, verifierDid: 'did:web:g.example' },
    Schema: { schemaId: 'g-s', ...BODIES.schemas?.body },
    Credential: { credentialId: 'g-c', ...BODIES.credentials?.body, accessibleStart: '2026-01-01T00:00:00.000Z' },
    Program: { programId: 'g-p', ...BODIES.programs?.body },
  };
  const idOf = (type: string) => `${type.toLowerCase()}Id`;

  it.each(Object.keys(inputs))('put%s and retire%s do what PUT and DELETE do', async (type) => {
    const [word, id] = [type.toLowerCase(), idOf(type)];
    const input = inputs[type] as Record<string, unknown>;
    const put = `mutation ($input: Put${type}Input!) { put${type}(input: $input) { result etag ${word} { ${id} } } }`;
    const made = await gateway.gql(put, { input }, operator());
    expect(made.errors).toBeUndefined();
    expect(made.data[`put${type}`]).toEqual({
      result: 'CREATED',
      etag: WRITTEN.etag,
      [word]: { [id]: input[id] },
    });
    const again = await gateway.gql(put, { input }, operator());
    expect(again.data[`put${type}`].result).toBe('UNCHANGED');

    const { [id]: _, ...body } = input;
    const rest = await gateway.admin('PUT', `/v1/admin/${word}s/${input[id]}`, { body });
    expect(rest.body.etag).toBe(made.data[`put${type}`].etag);

    const retire = `mutation ($input: Retire${type}Input!) { retire${type}(input: $input) { retiredId } }`;
    const retired = await gateway.gql(retire, { input: { [id]: input[id] } }, operator());
    expect(retired.data[`retire${type}`]).toEqual({ retiredId: input[id] });
    expect((await gateway.admin('GET', `/v1/admin/${word}s/${input[id]}`)).status).toBe(404);
  });

  it('take a JSON Schema document', async () => {
    const jsonSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Badge',
      type: 'object',
      properties: { credentialSubject: { type: 'object', properties: { level: { type: 'integer', title: 'Level' } } } },
    };
    const put =
      'mutation ($input: PutSchemaInput!) { putSchema(input: $input) { schema { title dataPoints { name type } } } }';
    const { data } = await gateway.gql(put, { input: { schemaId: 'badge', jsonSchema } }, operator());
    expect(data.putSchema.schema).toEqual({ title: 'Badge', dataPoints: [{ name: 'level', type: 'integer' }] });
    expect((await gateway.admin('GET', '/v1/admin/schemas/badge')).body.jsonSchema).toEqual(jsonSchema);
  });

  it.each([
    [{}, 'UNAUTHENTICATED', 401],
    [{ 'x-admin-api-key': 'wrong' }, 'FORBIDDEN', 403],
  ])('are for the operator alone', async (headers, code, httpStatus) => {
    const retire = 'mutation { retireCredential(input: { credentialId: "adult" }) { retiredId } }';
    const { errors } = await gateway.gql(retire, {}, headers as Record<string, string>);
    expect(errors?.[0]?.extensions).toMatchObject({ code, httpStatus });
    expect((await gateway.admin('GET', '/v1/admin/credentials/adult')).status).toBe(200);
  });

  it('name the field that does not fit', async () => {
    const put = 'mutation ($input: PutVerifierInput!) { putVerifier(input: $input) { result } }';
    const input = { verifierId: 'x', name: 'X', verifierDid: 'nonsense' };
    const { errors } = await gateway.gql(put, { input }, operator());
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'verifierDid' });
    const late = await gateway.gql(put, { input: { ...input, verifierDid: 'did:web:x', ifMatch: '*' } }, operator());
    expect(late.errors?.[0]?.extensions).toMatchObject({ code: 'PRECONDITION_FAILED', httpStatus: 412 });
  });
});
