// The arguments of a list are checked once, however many rows it is read for, because a compiled operation passes one arguments object.
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKED_LISTS } from '../../../src/catalog/lists/list-request.js';
import { RELATION_REQUESTS } from '../../../src/catalog/lists/relation-requests.js';
import { makeLoaders } from '../../../src/compose/context.js';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { makeExecutor } from '../../../src/graphql/execution/executor.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { makeNetwork, writeNetwork } from '../network.js';

const RUNS = 5;
const execute = makeExecutor(buildGatewaySchema(), { kind: 'compiled' });
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({});
  await writeNetwork(gateway.app.connection, makeNetwork(60, 7));
});
afterAll(() => gateway.close());

/** Runs an operation several times, and counts how many values were computed and how many were found. */
async function counted(text: string, variables: Record<string, unknown>) {
  const document = parse(text);
  const { services } = gateway.app;
  const before = { lists: { ...CHECKED_LISTS.counts }, relations: { ...RELATION_REQUESTS.counts } };
  for (let run = 0; run < RUNS; run += 1) {
    const loaders = makeLoaders(services);
    const context = { caller: { kind: 'anonymous' as const }, requestId: 'r', services, loaders };
    const { errors } = await execute(document, { variables, context, catalogVersion: () => loaders.catalog.version });
    expect(errors).toBeUndefined();
  }
  const since = (now: { made: number; found: number }, then: { made: number; found: number }) => ({
    made: now.made - then.made,
    found: now.found - then.found,
  });
  return {
    lists: since(CHECKED_LISTS.counts, before.lists),
    relations: since(RELATION_REQUESTS.counts, before.relations),
  };
}

describe('The arguments of a list are checked', () => {
  it.each([
    ['one relation', '{ credentials(first: 10) { nodes { programs(first: 2) { totalCount } } } }', 1],
    ['two relations', '{ schemas(first: 10) { nodes { credentials { totalCount } issuers { totalCount } } } }', 2],
    ['a relation in another', '{ verifiers(first: 3) { nodes { programs(first: 1) { nodes { name } } } } }', 1],
  ])(
    'the arguments of a list are checked once in all runs if they have no variables: %s',
    async (_what, text, relations) => {
      const made = await counted(text, {});
      expect(made.lists).toEqual({ made: 1, found: RUNS - 1 });
      expect(made.relations.made).toBe(relations);
      expect(made.relations.found).toBeGreaterThan(RUNS);
    },
  );

  it('the arguments of a list are checked once in a run if they have variables, for all rows', async () => {
    const text = 'query ($n: Int!) { credentials(first: 10) { nodes { programs(first: $n) { totalCount } } } }';
    const { relations } = await counted(text, { n: 2 });
    expect(relations.made).toBeLessThanOrEqual(RUNS);
    expect(relations.made + relations.found).toBe(RUNS * 10);
  });
});
