// GraphQL over HTTP, by the audits of the library graphql-http.
import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { printTotal } from '../support/total.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it('GraphQL over HTTP passes every audit', async ({ task }) => {
  const results = await auditServer({ url: `${gateway.url}/graphql` });
  const failed = results.filter(({ status }) => status !== 'ok').map(({ id, name, status }) => ({ id, name, status }));
  printTotal(task, `graphql-http: ${results.length - failed.length} of ${results.length} audits ok`);
  expect(results.length).toBeGreaterThanOrEqual(60);
  expect(failed).toEqual([]);
});

const ask = (accept: string, query: string, variables = {}) =>
  fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });

it.each([
  ['a document that does not parse', '{', {}],
  ['a document that is not valid', '{ nothing }', {}],
  [
    'a variable that does not fit',
    'query ($first: Int!) { credentials(first: $first) { totalCount } }',
    { first: 'x' },
  ],
])("%s is 400 in GraphQL's own media type", async (_what, query, variables) => {
  const answer = await ask('application/graphql-response+json, application/json;q=0.9', query, variables);
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8');
  expect(await answer.json()).toMatchObject({ errors: [{ message: expect.any(String) }] });
});

it('an operation that ran is 200 in both media types, each with its own content-type', async () => {
  for (const type of ['application/graphql-response+json', 'application/json']) {
    const answer = await ask(type, '{ credential(credentialId: "none") { name } }');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
  }
});

it('a document that cannot run is 200 in application/json and not cached', async () => {
  const url = `${gateway.url}/graphql?query=${encodeURIComponent('{ nothing }')}`;
  for (let call = 0; call < 2; call += 1) {
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(((await answer.json()) as { errors: unknown[] }).errors).toHaveLength(1);
  }
});
