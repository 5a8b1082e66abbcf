// Lists through GraphQL: every order and filter, pages in both directions, totals; retired rows are never seen.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, type KindList } from '../../../src/catalog/lists/kinds.js';
import {
  CATALOG_KINDS,
  type CatalogKind,
  type CredentialRow,
  type ProgramRow,
  type Row,
} from '../../../src/catalog/rows/models.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { dice, makeNetwork, type Network, writeNetwork } from '../network.js';

const SIZE = 130;
const idFields: Record<CatalogKind, string> = {
  credentials: 'credentialId',
  programs: 'programId',
  issuers: 'issuerId',
  verifiers: 'verifierId',
  schemas: 'schemaId',
};

let gateway: TestGateway;
let network: Network;

beforeAll(async () => {
  gateway = await startGateway();
  network = makeNetwork(SIZE);
  await writeNetwork(gateway.app.connection, network);
});
afterAll(() => gateway.close());

const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function compare(a: unknown, b: unknown): number {
  return typeof a === 'string' ? compareText(a, String(b)) : Number(a) - Number(b);
}

/** Ids of live rows in an order, ties by id. */
function sorted<R extends Row>(rows: readonly R[], path: string, direction: string): string[] {
  const value = (row: R) => (row as unknown as Record<string, unknown>)[path];
  const ids = rows
    .filter((row) => row.live)
    .sort((a, b) => compare(value(a), value(b)) || compareText(a._id, b._id))
    .map((row) => row._id);
  return direction === 'ASC' ? ids : ids.reverse();
}

interface Walked {
  ids: string[];
  info: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  total: number;
}

async function page(kind: CatalogKind, args: string): Promise<Walked> {
  const id = idFields[kind];
  const fields = `edges { cursor node { ${id} } } nodes { ${id} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount`;
  const { data, errors } = await gateway.gql(`{ list: ${kind}(${args}) { ${fields} } }`);
  expect(errors).toBeUndefined();
  const { edges, nodes, pageInfo, totalCount } = data.list;
  expect(edges.map((edge: { node: unknown }) => edge.node)).toEqual(nodes);
  expect(pageInfo.startCursor).toBe(edges.at(0)?.cursor ?? null);
  expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null);
  return { ids: nodes.map((node: Record<string, string>) => node[id]), info: pageInfo, total: totalCount };
}

async function walk(kind: CatalogKind, orderBy: string, forward: boolean, roll: (sides: number) => number) {
  const ids: string[] = [];
  let place = '';
  for (let pages = 0; pages < 200; pages += 1) {
    const size = `${forward ? 'first' : 'last'}: ${1 + roll(40)}`;
    const { ids: found, info } = await page(kind, `${size}, orderBy: ${orderBy}${place}`);
    if (forward) ids.push(...found);
    else ids.unshift(...found);
    expect(forward ? info.hasPreviousPage : info.hasNextPage).toBe(pages > 0);
    if (!(forward ? info.hasNextPage : info.hasPreviousPage)) return ids;
    place = forward ? `, after: "${info.endCursor}"` : `, before: "${info.startCursor}"`;
  }
  throw new Error('the list does not end');
}

const orders = CATALOG_KINDS.flatMap((kind) =>
  Object.entries((KINDS[kind] as KindList).orders).flatMap(([name, { path }]) =>
    ['ASC', 'DESC'].map((direction) => ({ kind, name, path, direction })),
  ),
);

describe('a list', () => {
  it.each(orders)('a list of $kind by $name $direction shows each row once, forward and backward', async (order) => {
    const { kind, name, path, direction } = order;
    const expected = sorted<Row>(network[kind], path, direction);
    const orderBy = `{ field: ${name}, direction: ${direction} }`;
    expect(await walk(kind, orderBy, true, dice(7))).toEqual(expected);
    expect(await walk(kind, orderBy, false, dice(8))).toEqual(expected);
  });

  it('a list without arguments has the ten most popular entries', async () => {
    const { data } = await gateway.gql('{ programs { nodes { programId } totalCount totalCountIsExact } }');
    expect(data.programs).toEqual({
      nodes: sorted(network.programs, 'popularity', 'DESC')
        .slice(0, 10)
        .map((programId) => ({ programId })),
      totalCount: network.programs.filter((row) => row.live).length,
      totalCountIsExact: true,
    });
  });

  it('a list by name is ascending by default', async () => {
    const { ids } = await page('issuers', 'first: 100, orderBy: { field: NAME }');
    expect(ids).toEqual(sorted(network.issuers, 'sortName', 'ASC'));
  });

  it('a list can be limited by two cursors', async () => {
    const { data } = await gateway.gql('{ credentials(first: 30) { edges { cursor node { credentialId } } } }');
    const edges: { cursor: string; node: { credentialId: string } }[] = data.credentials.edges;
    const args = `first: 50, after: "${edges[4]?.cursor}", before: "${edges[20]?.cursor}"`;
    expect((await page('credentials', args)).ids).toEqual(edges.slice(5, 20).map((edge) => edge.node.credentialId));
  });
});

type Case = [where: string, orderBy: string, path: string, holds: (row: never) => boolean];
const day = (at: number) => new Date(Date.UTC(2024, 0, 1 + at));

const filters: Record<string, Case[]> = {
  credentials: [
    ['{ category: { eq: "finance" } }', 'POPULARITY', 'popularity', (row: CredentialRow) => row.category === 'finance'],
    [
      '{ category: { in: ["finance", "health"] } }',
      'NAME',
      'sortName',
      (row: CredentialRow) => ['finance', 'health'].includes(row.category),
    ],
    [
      '{ issuerId: { eq: "issuer-000001" } }',
      'CREATED',
      'createdAt',
      (row: CredentialRow) => row.issuerId === 'issuer-000001',
    ],
    [
      '{ schemaId: { eq: "schema-000002" }, category: { eq: "identity" } }',
      'POPULARITY',
      'popularity',
      (row: CredentialRow) => row.schemaId === 'schema-000002' && row.category === 'identity',
    ],
    [
      '{ credentialId: { in: ["credential-000003", "credential-000004", "credential-000008"] } }',
      'NAME',
      'sortName',
      (row: CredentialRow) => ['credential-000003', 'credential-000004'].includes(row._id),
    ],
    [
      '{ holderCount: { gt: 2, lte: 5 } }',
      'POPULARITY',
      'popularity',
      (row: CredentialRow) => row.popularity > 2 && row.popularity <= 5,
    ],
    [
      '{ demandCount: { gte: 2 }, category: { eq: "finance" } }',
      'DEMAND',
      'demandCount',
      (row: CredentialRow) => row.demandCount >= 2 && row.category === 'finance',
    ],
    ['{ holderCount: { eq: 3 } }', 'POPULARITY', 'popularity', (row: CredentialRow) => row.popularity === 3],
    [
      `{ createdAt: { gte: "${day(3).toISOString()}", lt: "${day(9).toISOString()}" } }`,
      'CREATED',
      'createdAt',
      (row: CredentialRow) => row.createdAt >= day(3) && row.createdAt < day(9),
    ],
    [
      '{ name: { contains: "univ DEG" } }',
      'POPULARITY',
      'popularity',
      (row: CredentialRow) => /university/.test(row.name) && /Degree/.test(row.name),
    ],
    [
      '{ name: { contains: "alvaro" }, category: { eq: "health" } }',
      'CREATED',
      'createdAt',
      (row: CredentialRow) => /Álvaro/.test(row.name) && row.category === 'health',
    ],
    ['{ name: { eq: "zebra Pass" } }', 'POPULARITY', 'popularity', (row: CredentialRow) => row.name === 'zebra Pass'],
    [
      '{ name: { in: ["Éclair zebra", "zebra Éclair", "ECLAIR ZEBRA"] } }',
      'NAME',
      'sortName',
      (row: CredentialRow) => ['Éclair zebra', 'zebra Éclair'].includes(row.name),
    ],
    ['{ category: { eq: "{\\"$gt\\":\\"\\"}" } }', 'POPULARITY', 'popularity', () => false],
    ['{ category: { in: [] } }', 'POPULARITY', 'popularity', () => false],
    ['{ name: { contains: "$where" } }', 'POPULARITY', 'popularity', () => false],
  ],
  programs: [
    [
      '{ verifierId: { eq: "verifier-000001" } }',
      'CREATED',
      'createdAt',
      (row: ProgramRow) => row.verifierId === 'verifier-000001',
    ],
    [
      '{ credentialId: { eq: "credential-000010" } }',
      'POPULARITY',
      'popularity',
      (row: ProgramRow) => row.acceptedCredentials.some((accepted) => accepted.credentialId === 'credential-000010'),
    ],
    [
      '{ credentialId: { in: ["credential-000010", "credential-000011", "credential-000012"] } }',
      'CREDENTIAL_COUNT',
      'credentialCount',
      (row: ProgramRow) =>
        row.acceptedCredentials.some((accepted) => /^credential-00001[012]$/.test(accepted.credentialId)),
    ],
    [
      '{ pricingModel: { eq: "free" }, verifierId: { in: ["verifier-000000", "verifier-000002"] } }',
      'NAME',
      'sortName',
      (row: ProgramRow) =>
        row.pricingModel === 'free' && ['verifier-000000', 'verifier-000002'].includes(row.verifierId),
    ],
    ['{ verificationCount: { gte: 2 } }', 'POPULARITY', 'popularity', (row: ProgramRow) => row.popularity >= 2],
    [
      '{ credentialCount: { lt: 3 } }',
      'CREDENTIAL_COUNT',
      'credentialCount',
      (row: ProgramRow) => row.credentialCount < 3,
    ],
  ],
};
const cases = Object.entries(filters).flatMap(([kind, rows]) =>
  rows.map((row) => [kind as CatalogKind, ...row] as const),
);

describe('a filter', () => {
  it.each(cases)(
    'a filter on %s %s in the order %s selects the right entries, over several pages, too',
    async (kind, where, order, path, holds) => {
      const rows = network[kind].filter((row) => holds(row as never));
      const expected = sorted<Row>(rows, path, 'DESC');
      const args = `where: ${where}, orderBy: { field: ${order}, direction: DESC }`;
      const whole = await page(kind, `first: 100, ${args}`);
      expect(whole).toMatchObject({ ids: expected, total: expected.length });
      const half = await page(kind, `first: 3, ${args}`);
      expect(half.ids).toEqual(expected.slice(0, 3));
      if (half.info.endCursor === null) return;
      const rest = await page(kind, `first: 100, after: "${half.info.endCursor}", ${args}`);
      expect(rest.ids).toEqual(expected.slice(3));
    },
  );

  it.each([
    ['issuers', '{ issuerDid: { eq: "did:example:issuer-3" } }', ['issuer-000003']],
    ['issuers', '{ issuerId: { eq: "issuer-000008" } }', []],
    ['verifiers', '{ verifierDid: { in: ["did:example:verifier-1", "did:example:none"] } }', ['verifier-000001']],
    ['schemas', '{ schemaId: { eq: "schema-000001" } }', ['schema-000001']],
  ] as const)('a filter on %s %s finds %j', async (kind, where, ids) => {
    expect(await page(kind, `where: ${where}`)).toMatchObject({ ids, total: ids.length });
  });

  it('a filter on a range of another kind uses the order of that range by default', async () => {
    const issuers = network.issuers.filter((row) => row.popularity >= 2);
    expect((await page('issuers', 'first: 100, where: { holderCount: { gte: 2 } }')).ids).toEqual(
      sorted(issuers, 'popularity', 'DESC'),
    );
    const schemas = network.schemas.filter((row) => row.issuerCount > 3);
    expect((await page('schemas', 'first: 100, where: { issuerCount: { gt: 3 } }')).ids).toEqual(
      sorted(schemas, 'issuerCount', 'DESC'),
    );
    const created = network.verifiers.filter((row) => row.createdAt > day(5));
    const where = `where: { createdAt: { gt: "${day(5).toISOString()}" } }`;
    expect((await page('verifiers', `first: 100, ${where}`)).ids).toEqual(sorted(created, 'createdAt', 'DESC'));
  });
});

describe('pages by number', () => {
  it('pages by number show every row once, with the total', async () => {
    const { catalog } = gateway.app.services;
    const expected = sorted(network.credentials, 'sortName', 'ASC');
    const ids: string[] = [];
    for (let page = 1; page <= Math.ceil(expected.length / 25); page += 1) {
      const found = await catalog.page('credentials', { page, limit: 25, sortBy: 'name' });
      expect(found).toMatchObject({
        current: page,
        size: 25,
        pages: Math.ceil(expected.length / 25),
        total: expected.length,
      });
      ids.push(...found.records.map((record) => record.credentialId));
    }
    expect(ids).toEqual(expected);
  });

  it('pages by number beyond 10,000 rows are refused with the advice to use cursors', async () => {
    const refused = gateway.app.services.catalog.page('credentials', { page: 101, limit: 100 });
    await expect(refused).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('cursors'),
    });
  });
});
