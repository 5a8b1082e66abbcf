// Search in GraphQL returns nodes like any other, whose relations can be read in the same query.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { makeNetwork, type Network, writeNetwork } from '../network.js';

let gateway: TestGateway;
let network: Network;

beforeAll(async () => {
  gateway = await startGateway();
  network = makeNetwork(40, 4);
  await writeNetwork(gateway.app.connection, network);
});
afterAll(() => gateway.close());

const QUERY = `query ($query: String!, $types: [SearchType!], $first: Int) {
  search(query: $query, types: $types, first: $first) { query totalResults
    credentials { total items { relevance credential { name issuer { issuerId } } } }
    issuers { total items { issuer { name } } }
    programs { total items { program { name verifier { verifierId } } } } } }`;

/** Repeats the search until the index, which follows a change stream, contains the network. */
async function search(variables: Record<string, unknown>) {
  const { data, errors } = await gateway.gql(QUERY, variables);
  expect(errors).toBeUndefined();
  return data.search;
}

it('search returns groups, best matches first, with their related entries', async () => {
  await expect.poll(async () => (await search({ query: 'zebra' })).programs.total).toBeGreaterThan(0);
  const found = await search({ query: 'zebra', first: 5 });
  expect(found.query).toBe('zebra');
  expect(found.totalResults).toBe(found.credentials.total + found.issuers.total + found.programs.total);
  expect(found.credentials.items.length).toBeLessThanOrEqual(5);
  const relevances = found.credentials.items.map((item: { relevance: number }) => item.relevance);
  expect(relevances).toEqual([...relevances].sort((a, b) => b - a));
  for (const { credential } of found.credentials.items) expect(credential.issuer.issuerId).toMatch(/^issuer-/);
  for (const { program } of found.programs.items) expect(program.verifier.verifierId).toMatch(/^verifier-/);
});

it('search finds only the requested kinds', async () => {
  const found = await search({ query: 'zebra', types: ['PROGRAM'] });
  expect(found.credentials).toEqual({ total: 0, items: [] });
  expect(found.issuers).toEqual({ total: 0, items: [] });
});

it.each([
  ['a page that is too large', { query: 'zebra', first: 51 }, 'first'],
  ['a page of nothing', { query: 'zebra', first: 0 }, 'first'],
  ['a text that is too long', { query: 'z'.repeat(201) }, 'query'],
])('search refuses %s', async (_, variables, field) => {
  const { errors } = await gateway.gql(QUERY, variables);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field });
});
