// A list of chosen ids is made from cached rows: the same page as the store's, in every order, and without a command.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareTexts } from '../../../src/catalog/lists/chosen-rows.js';
import { KINDS, type KindList } from '../../../src/catalog/lists/kinds.js';
import { CATALOG_KINDS, type CatalogKind, type CredentialRow, type Row } from '../../../src/catalog/rows/models.js';
import { sortNameOf } from '../../../src/catalog/rows/terms.js';
import { eventually } from '../../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../../support/request-commands.js';
import { dice, makeNetwork, type Network, writeNetwork } from '../network.js';

const ID_FIELDS: Record<CatalogKind, string> = {
  credentials: 'credentialId',
  programs: 'programId',
  issuers: 'issuerId',
  verifiers: 'verifierId',
  schemas: 'schemaId',
};
/** Code points in the order of UTF-8; UTF-16 puts the last two before U+FF61. */
const TEXTS = ['', 'a', 'a\u0000', 'ab', 'b', 'é', '\ud7ff', '\uff61', '\uffff', '\u{10000}', '\u{1f600}'];

/** Caches rows; its responses are not cached, so each request reaches the lists. */
let gateway: TestGateway;
/** Without a cache: the store filters and sorts. */
let uncached: TestGateway;
let network: Network;
let commands: RequestCommands;

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true, env: { RESPONSE_CACHE_MB: '0' } });
  const MONGODB_URI = databaseUri(gateway.app.connection.name);
  uncached = await startGateway({ env: { MONGODB_URI, ENTITY_CACHE_MB: '0', RESPONSE_CACHE_MB: '0' } });
  network = makeNetwork(60, 11);
  for (const [at, name] of TEXTS.entries()) {
    const row = network.credentials[at * 3] as CredentialRow;
    Object.assign(row, { name: `x${name}`, sortName: sortNameOf(`x${name}`) });
  }
  const models = await writeNetwork(gateway.app.connection, network);
  const collections = new Set(Object.values(models).map(({ collection }) => collection.name));
  commands = requestCommandsOf(gateway, (collection) => collections.has(collection));
  await eventually(() => expect(gateway.app.services.catalogChanges.trusted).toBe(true));
});
afterAll(async () => {
  await uncached.app.close();
  await gateway.close();
});

const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount totalCountIsExact';

const documentOf = (kind: CatalogKind): string => `query ($ids: [String!], $first: Int, $last: Int, $after: String,
  $before: String, $order: ${KINDS[kind].typeName}Order) {
  list: ${kind}(where: { ${ID_FIELDS[kind]}: { in: $ids } }, first: $first, last: $last, after: $after, before: $before,
    orderBy: $order) { edges { cursor node { ${ID_FIELDS[kind]} } } ${PAGE} }
}`;

interface Asked {
  ids: readonly string[];
  order?: { field: string; direction?: string };
  first?: number;
  last?: number;
  after?: string;
  before?: string;
}

async function ask(at: TestGateway, kind: CatalogKind, variables: Asked) {
  const { data, errors } = await at.gql(documentOf(kind), { ...variables });
  expect(errors).toBeUndefined();
  return data.list;
}

const credentialsOf = (ids: readonly string[], fields: string): string =>
  `{ credentials(first: 100, where: { credentialId: { in: ${JSON.stringify(ids)} } }) { totalCount nodes { ${fields} } } }`;

const orders = CATALOG_KINDS.flatMap((kind) =>
  Object.keys((KINDS[kind] as KindList).orders).flatMap((field) =>
    ['ASC', 'DESC'].map((direction) => ({ kind, field, direction })),
  ),
);

/** Some ids of a kind in any order: of live rows, of retired ones, of none, and one twice. */
function someIds(rows: readonly Row[], roll: (sides: number) => number): string[] {
  const ids = rows.map(({ _id }) => _id).filter(() => roll(3) > 0);
  return [...ids, 'unknown', ...ids.slice(0, 1)].slice(0, 100).sort(() => roll(3) - 1);
}

describe('a list of chosen ids', () => {
  it.each(orders)('of $kind by $field $direction has the same pages with the cache as without', async (order) => {
    const { kind, field, direction } = order;
    const roll = dice(5);
    const common = { ids: someIds(network[kind], roll), order: { field, direction } };
    const whole = await ask(uncached, kind, { ...common, first: 100 });
    expect(whole.totalCount).toBe(whole.edges.length);
    const cursor = (at: number): string => whole.edges.at(at)?.cursor;
    const pages: Partial<Asked>[] = [
      { first: 100 },
      { first: 2 },
      { last: 2 },
      { first: 3, after: cursor(1) },
      { last: 3, before: cursor(-1) },
      { first: 50, after: cursor(0), before: cursor(-1) },
      { last: 1, after: cursor(0) },
    ];
    for (const page of pages) {
      const asked = { ...common, ...page };
      expect(await ask(gateway, kind, asked), JSON.stringify(page)).toEqual(await ask(uncached, kind, asked));
    }
  });

  it('compares texts as the store does, by their bytes in UTF-8', () => {
    for (const one of TEXTS)
      for (const other of TEXTS) {
        const expected = Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)));
        expect(Math.sign(compareTexts(one, other)), JSON.stringify([one, other])).toBe(expected);
      }
  });

  it('needs no command when its rows are cached, whatever the order, and one for those that are not', async () => {
    const live = network.credentials.filter((row) => row.live).map(({ _id }) => _id);
    const [held, others] = [live.slice(0, 10), live.slice(10, 13)];
    const chosen = async () => {
      const { body } = await gateway.admin('GET', '/metrics');
      return Number(/^gateway_cached_lists\{result="chosen"\} (\d+)$/m.exec(String(body))?.[1]);
    };
    await eventually(async () => {
      await gateway.gql(credentialsOf(held, 'name'));
      const before = await chosen();
      for (const field of ['POPULARITY', 'NAME', 'CREATED', 'DEMAND'])
        expect(
          (await commands.of(() => ask(gateway, 'credentials', { ids: held, order: { field } }))).commands,
        ).toEqual([]);
      expect(await chosen()).toBe(before + 4);
    });
    expect((await commands.of(() => gateway.gql(credentialsOf([], 'name')))).commands).toEqual([]);
    await gateway.gql(credentialsOf(others, 'name'));
    gateway.app.services.catalogChanges.written(
      others.map((id) => ({ collection: 'credentials', id, operation: 'update', paths: ['name'] }) as const),
    );
    const ids = [...held, ...others];
    expect((await commands.of(() => ask(gateway, 'credentials', { ids }))).commands).toEqual(['find credentials']);
  });

  it('goes to the store when it has another condition, too', async () => {
    const ids = network.credentials.map(({ _id }) => _id).slice(0, 20);
    const category = 'identity';
    const query = `query ($ids: [String!]) { credentials(first: 100, where: {
      credentialId: { in: $ids }, category: { eq: "${category}" } }) { totalCount nodes { credentialId } } }`;
    const rows = network.credentials.filter((row) => row.live && ids.includes(row._id) && row.category === category);
    const { data } = await gateway.gql(query, { ids });
    expect(data.credentials.totalCount).toBe(rows.length);
    expect(
      new Set(data.credentials.nodes.map((node: CredentialRow & { credentialId: string }) => node.credentialId)),
    ).toEqual(new Set(rows.map(({ _id }) => _id)));
  });

  it('needs the id that both operators accept', async () => {
    const [one, other] = network.issuers.filter((row) => row.live).map(({ _id }) => _id);
    const query = (eq: string | undefined) =>
      `{ issuers(where: { issuerId: { eq: "${eq}", in: ["${one}"] } }) { totalCount nodes { issuerId } } }`;
    expect((await gateway.gql(query(one))).data.issuers).toEqual({ totalCount: 1, nodes: [{ issuerId: one }] });
    expect((await gateway.gql(query(other))).data.issuers).toEqual({ totalCount: 0, nodes: [] });
  });
});
