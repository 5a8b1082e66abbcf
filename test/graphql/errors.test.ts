// GraphQL's failures: a code, a category, an HTTP status and the request's id; never a stack, never a 500 for bad input (contract §11).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const ask = (query: unknown, more: object = {}) => JSON.stringify({ query, ...more });

interface Case {
  body?: string;
  headers?: Record<string, string>;
  status: number;
  code: string;
  says: RegExp;
}

const REFUSED: Record<string, Case> = {
  'a body that is not JSON': { body: '{', status: 400, code: 'BAD_USER_INPUT', says: /not valid JSON/ },
  'no body': { body: '', status: 400, code: 'BAD_USER_INPUT', says: /body is missing/ },
  'no query': { body: '{}', status: 400, code: 'BAD_USER_INPUT', says: /"query" is missing/ },
  'a query that is a number': { body: ask(5), status: 400, code: 'BAD_USER_INPUT', says: /"query" must be a string/ },
  'an empty query': { body: ask(''), status: 400, code: 'BAD_USER_INPUT', says: /"query" must be a GraphQL document/ },
  'variables as text': {
    body: ask('{ __typename }', { variables: '{}' }),
    status: 400,
    code: 'BAD_USER_INPUT',
    says: /"variables"/,
  },
  'variables as a list': {
    body: ask('{ __typename }', { variables: [] }),
    status: 400,
    code: 'BAD_USER_INPUT',
    says: /"variables"/,
  },
  'a batch': { body: `[${ask('{ __typename }')}]`, status: 400, code: 'BAD_USER_INPUT', says: /one operation/ },
  'text/plain': {
    body: ask('{ __typename }'),
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    says: /json/,
  },
  'an accept header without JSON': {
    body: ask('{ __typename }'),
    headers: { ...JSON_TYPE, accept: 'text/csv' },
    status: 406,
    code: 'NOT_ACCEPTABLE',
    says: /json/,
  },
  'a body over the limit': { body: ask('x'.repeat(300_000)), status: 413, code: 'PAYLOAD_TOO_LARGE', says: /larger/ },
  'a wrong operator key': {
    body: ask('{ __typename }'),
    headers: { ...JSON_TYPE, 'x-admin-api-key': 'no' },
    status: 403,
    code: 'FORBIDDEN',
    says: /x-admin-api-key/,
  },
  'a document that does not parse': { body: ask('{'), status: 200, code: 'GRAPHQL_PARSE_FAILED', says: /Syntax Error/ },
  'an unknown field': { body: ask('{ nope }'), status: 200, code: 'GRAPHQL_VALIDATION_FAILED', says: /nope/ },
  'an unknown operation': {
    body: ask('query A { __typename }', { operationName: 'B' }),
    status: 400,
    code: 'BAD_USER_INPUT',
    says: /"B"/,
  },
  'a variable of another type': {
    body: ask('query ($n: Int) { issuers(first: $n) { totalCount } }', { variables: { n: 'ten' } }),
    status: 400,
    code: 'BAD_USER_INPUT',
    says: /"variables.n" must be a whole number/,
  },
  'a moment that is none': {
    body: ask('query ($at: DateTime) { issuers(where: { createdAt: { gt: $at } }) { totalCount } }', {
      variables: { at: 'noon' },
    }),
    status: 400,
    code: 'BAD_USER_INPUT',
    says: /ISO 8601/,
  },
  'a page of 1000': {
    body: ask('{ issuers(first: 1000) { totalCount } }'),
    status: 200,
    code: 'BAD_USER_INPUT',
    says: /"first".*1 to 100/,
  },
  'a page of -1': {
    body: ask('{ issuers(first: -1) { totalCount } }'),
    status: 200,
    code: 'BAD_USER_INPUT',
    says: /"first"/,
  },
  'a forged cursor': {
    body: ask('{ issuers(after: "forged") { totalCount } }'),
    status: 200,
    code: 'BAD_USER_INPUT',
    says: /"after"/,
  },
  'a mutation that is not the caller’s': {
    body: ask('mutation { retireIssuer(input: { issuerId: "a" }) { retiredId } }'),
    status: 200,
    code: 'UNAUTHENTICATED',
    says: /x-admin-api-key/,
  },
};

describe('A refusal has a code, a category, a status and the id of the request', () => {
  it.each(Object.entries(REFUSED))(
    'a refusal has a code, a category, a status and the id of the request: %s',
    async (_, { body, headers = JSON_TYPE, status, code, says }) => {
      const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
      const text = await answer.text();
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const [error, ...more] = JSON.parse(text).errors;
      expect(more).toEqual([]);
      expect(error.message).toMatch(says);
      expect(error.extensions).toMatchObject({
        code,
        category: expect.any(String),
        httpStatus: expect.any(Number),
        requestId: answer.headers.get('x-request-id'),
      });
      expect(text).not.toMatch(/stack|node_modules|Mongo|GraphQLError/i);
    },
  );

  it('a refusal names the field if there is one', async () => {
    const { errors } = await gateway.gql('{ issuers(first: 0) { totalCount } }');
    expect(errors?.[0]?.extensions.field).toBe('first');
    expect(errors?.[0]?.path).toEqual(['issuers']);
  });

  it('a refused method is 405 with Allow, in the form of other errors', async () => {
    const { status, headers, body } = await gateway.rest('PUT', '/graphql', { body: {} });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    expect(body.errors[0].extensions.code).toBe('METHOD_NOT_ALLOWED');
  });

  it('an internal error does not reveal its cause', async () => {
    const own = await startGateway({ env: { RESPONSE_CACHE_MB: '0' } });
    const list = () => Promise.reject(new Error('secret: connection string mongodb://user:pass@host'));
    const { catalog } = own.app.services;
    Object.assign(catalog, { for: () => Object.assign(Object.create(catalog), { list }) });
    const { errors } = await own.gql('{ issuers { totalCount } }');
    expect(errors?.[0]?.message).toBe('Something went wrong on our side; the request was not completed.');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', httpStatus: 500 });
    expect(JSON.stringify(errors)).not.toContain('secret');
    await own.close();
  });
});

describe('GET', () => {
  const get = (query: Record<string, string>) => gateway.rest('GET', `/graphql?${new URLSearchParams(query)}`);

  it('GET runs queries, with variables', async () => {
    const query = 'query ($n: Int) { issuers(first: $n) { totalCount } }';
    const { status, body } = await get({ query, variables: '{"n": 3}' });
    expect(status).toBe(200);
    expect(body).toEqual({ data: { issuers: { totalCount: 0 } } });
  });

  it('GET does not run mutations', async () => {
    const { status, body } = await get({ query: 'mutation { retireIssuer(input: { issuerId: "a" }) { retiredId } }' });
    expect(status).toBe(405);
    expect(body.errors[0].extensions.code).toBe('METHOD_NOT_ALLOWED');
  });

  it('GET refuses invalid parameters', async () => {
    expect((await get({})).body.errors[0].message).toContain('"query"');
    expect((await get({ query: '{ __typename }', variables: '[1]' })).body.errors[0].message).toContain('"variables"');
    expect((await get({ query: '{ __typename }', variables: '{' })).body.errors[0].extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });
});

describe('An id that is unknown', () => {
  it('an unknown id gets null and no error in single look-ups', async () => {
    const fields = [
      'credential(credentialId: "x")',
      'program(programId: "x")',
      'issuer(issuerId: "x")',
      'verifier(verifierId: "x")',
      'schema(schemaId: "x")',
      'node(id: "x")',
    ];
    for (const field of fields) {
      const { data, errors } = await gateway.gql(`{ found: ${field} { id } }`);
      expect(errors).toBeUndefined();
      expect(data).toEqual({ found: null });
    }
  });
});

describe('A parameter of GET', () => {
  it.each(['query', 'variables', 'operationName'])('the GET parameter %s may occur once', async (name) => {
    const { status, body } = await gateway.rest('GET', `/graphql?query={__typename}&${name}={}&${name}={}`, {
      headers: { 'apollo-require-preflight': 'true' },
    });
    expect([status, body.errors[0].message]).toEqual([400, `"${name}" is given more than once.`]);
  });
});
