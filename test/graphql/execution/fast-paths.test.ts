// Which path a query takes, by the counters that docs/fast-paths.md names: whoever leaves a fast path sees which one.
import { isObjectType } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildGatewaySchema, CACHEABLE_FIELDS, CATALOG_FIELDS } from '../../../src/compose/schema.js';
import { RESOLVERS } from '../../../src/compose/domains.js';
import { makeLoaders } from '../../../src/compose/context.js';
import { directCall } from '../../../src/graphql/execution/direct-resolvers.js';
import { makeNetwork, writeNetwork } from '../../catalog/network.js';
import { until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

type Counts = Record<'direct' | 'apollo' | 'compiled' | 'js' | 'compilations' | 'hits' | 'misses' | 'unmarked', number>;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await writeNetwork(gateway.app.connection, makeNetwork(20, 7));
  const written = Date.now();
  await until(() => Number(gateway.app.services.changes.asOf) > written);
});
afterAll(() => gateway?.close());
// However far the change stream of a busy machine is behind: nothing is written meanwhile.
beforeEach(() => void vi.spyOn(gateway.app.services.catalogChanges, 'trusted', 'get').mockReturnValue(true));
afterEach(() => void vi.restoreAllMocks());

async function counts(): Promise<Counts> {
  const { body } = await gateway.admin('GET', '/metrics');
  const values = String(body).matchAll(
    /^gateway_(?:graphql_requests|executions|cached_row_texts)\{\w+="(\w+)"\} (\d+)$/gm,
  );
  return Object.fromEntries([...values].map(([, name, value]) => [name, Number(value)])) as Counts;
}

/** What some work adds to the counts; zeros are left out. */
async function countsOf(work: () => Promise<unknown>): Promise<Partial<Counts>> {
  const before = await counts();
  await work();
  const added = Object.entries(await counts()).map(([name, value]) => [name, value - before[name as keyof Counts]]);
  return Object.fromEntries(added.filter(([, value]) => value !== 0));
}

/** A request with credentials, which the response cache does not answer. */
const ask = (body: object) => gateway.admin('POST', '/graphql', { body });
const times = async (many: number, work: () => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < many; at += 1) await work();
};

/** How many rows were found in memory, and how many were not. */
async function cachedRows(): Promise<{ hits: number; misses: number }> {
  const { body } = await gateway.admin('GET', '/metrics');
  const of = (result: string) =>
    Number(new RegExp(`^gateway_cached_rows\\{result="${result}"\\} (\\d+)$`, 'm').exec(body)?.[1]);
  return { hits: of('hits'), misses: of('misses') };
}

it('A row that is in memory is not read again', async () => {
  const query = '{ credentials(first: 3) { nodes { issuer { name } } } }';
  await ask({ query });
  const before = await cachedRows();
  await ask({ query });
  const after = await cachedRows();
  expect(after.hits).toBeGreaterThan(before.hits);
  expect(after.misses).toBe(before.misses);
});

describe('A request', () => {
  const without: [string, object][] = [
    ['a document that comes again', { query: '{ issuers(first: 2) { nodes { name } } }' }],
    ['variables', { query: 'query ($n: Int) { issuers(first: $n) { totalCount nodes { id } } }', variables: { n: 3 } }],
    [
      'the name of an operation',
      { query: 'query A { __typename } query B { schemas { totalCount } }', operationName: 'B' },
    ],
    [
      'relations',
      { query: '{ credentials { nodes { name programs(first: 1) { nodes { provable } } opens { unconditional } } } }' },
    ],
  ];
  it.each(without)('with %s runs compiled, without Apollo', async (_, body) => {
    expect(await countsOf(() => times(5, () => ask(body)))).toMatchObject({ direct: 5, compiled: 5, compilations: 2 });
  });

  const through: [string, object, Partial<Counts>][] = [
    [
      'a mutation',
      { query: 'mutation { retireIssuer(input: { issuerId: "none" }) { retiredId } }' },
      { apollo: 1, js: 1 },
    ],
    ['too many values', { query: '{ issuers(first: 9999) { totalCount } }' }, { apollo: 1, js: 1 }],
  ];
  it.each(through)('with %s goes through Apollo', async (_, body, expected) => {
    const { compilations: _ignored, ...added } = await countsOf(() => ask(body));
    expect(added).toMatchObject(expected);
    expect(added.direct).toBeUndefined();
  });

  it('whose result has an error runs once more by graphql-js, and Apollo formats the error', async () => {
    const body = { query: '{ issuers(first: 2, after: "x") { nodes { name } } }' };
    expect(await countsOf(() => ask(body))).toEqual({ apollo: 1, js: 1, compilations: 1 });
  });
});

describe('The texts of rows', () => {
  const pageOf = (first: number, fields: string) => ({
    query: `{ credentials(first: ${first}) { nodes { ${fields} } } }`,
  });
  const OWN = 'id credentialId name category createdAt';
  const RELATED = 'issuer { name } schema { title }';

  it('are found by the cached row itself: no resolver on the way copies it', async () => {
    for (const first of [5, 15]) {
      const body = pageOf(first, `${OWN} ${RELATED}`);
      await times(4, () => ask(body));
      const { hits = 0, unmarked = 0, misses } = await countsOf(() => ask(body));
      expect(hits).toBeGreaterThanOrEqual(first);
      expect(misses).toBeUndefined();
      // The page is no row.
      expect(unmarked).toBeLessThanOrEqual(1);
    }
  });

  it('without relations are used where the response is cached; with relations they would hide what it depends on', async () => {
    const hitsOf = async (fields: string): Promise<number | undefined> => {
      // The same operation, and another response each time.
      const query = `query ($n: Int) { credentials(first: 6) { nodes { ${fields} } } schemas(first: $n) { totalCount } }`;
      for (let n = 1; n <= 4; n += 1) await gateway.gql(query, { n });
      return (await countsOf(() => gateway.gql(query, { n: 5 }))).hits;
    };
    expect(await hitsOf(RELATED)).toBeUndefined();
    expect(await hitsOf(OWN)).toBe(6);
    expect(await hitsOf(`${OWN} ${RELATED}`)).toBe(6);
  });
});

describe('Resolvers', () => {
  const schema = buildGatewaySchema();

  it('of queries and objects are all called directly', () => {
    const mutation = schema.getMutationType();
    const types = Object.values(schema.getTypeMap()).filter(isObjectType);
    const resolved = types
      .filter((type) => type !== mutation && type !== schema.getSubscriptionType() && !type.name.startsWith('__'))
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
      )
      .filter(({ field }) => field.resolve);
    expect(resolved.length).toBeGreaterThan(50);
    const others = resolved.filter(({ field: { resolve } }) => resolve && !directCall(resolve));
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  it('whose values are cached get rows of the catalog alone; those that are not queued, only loaders and the search', () => {
    const { cacheable, byLoaders } = makeLoaders(gateway.app.services).contexts;
    expect([Object.keys(cacheable), Object.keys(cacheable.loaders)]).toEqual([['loaders'], ['catalog']]);
    expect([Object.keys(byLoaders), Object.keys(byLoaders.services)]).toEqual([['loaders', 'services'], ['search']]);
  });

  it('that a domain lists as special are among its resolvers', () => {
    for (const list of [RESOLVERS.byLoaders, RESOLVERS.cacheable])
      expect(list.filter((Class) => !RESOLVERS.all.includes(Class))).toEqual([]);
    expect(RESOLVERS.cacheable.filter((Class) => !RESOLVERS.byLoaders.includes(Class))).toEqual([]);
  });

  it('close with the catalog, and fill the response cache but for the search', () => {
    expect([...CATALOG_FIELDS].sort()).toEqual(
      'credential credentials issuer issuers node program programs schema schemas search verifier verifiers'.split(' '),
    );
    expect(CATALOG_FIELDS.filter((field) => !CACHEABLE_FIELDS.has(field))).toEqual(['search']);
  });
});
