// Every relation can be read in both directions, in pages, for all parents at once. Look-ups and global ids find only live entries.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CredentialRow, ProgramRow, Row } from '../../../src/catalog/rows/models.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { makeNetwork, type Network, writeNetwork } from '../network.js';

let gateway: TestGateway;
let network: Network;

beforeAll(async () => {
  gateway = await startGateway();
  network = makeNetwork(130, 2);
  await writeNetwork(gateway.app.connection, network);
});
afterAll(() => gateway.close());

async function ask(query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await gateway.gql(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

const live = <R extends Row>(rows: readonly R[]): R[] => rows.filter((row) => row.live);
const byPopularity = (rows: readonly Row[]): string[] =>
  [...rows].sort((a, b) => b.popularity - a.popularity || (a._id < b._id ? 1 : -1)).map((row) => row._id);
const children = <R extends Row>(rows: readonly R[], mine: (row: R) => boolean) =>
  byPopularity(live(rows).filter(mine));
const accepts = (credentialId: string) => (program: ProgramRow) =>
  program.acceptedCredentials.some((accepted) => accepted.credentialId === credentialId);

interface RelationCase {
  parents: 'credentials' | 'issuers' | 'schemas' | 'verifiers';
  parentId: string;
  list: string;
  childId: string;
  expected(parentId: string): string[];
}

const schemaIssuers = (schemaId: string) =>
  network.schemaIssuers
    .filter((edge) => edge.schemaId === schemaId)
    .sort((a, b) => b.credentialCount - a.credentialCount || (a.issuerId < b.issuerId ? 1 : -1))
    .map((edge) => edge.issuerId);

const relations: RelationCase[] = [
  {
    parents: 'credentials',
    parentId: 'credentialId',
    list: 'programs',
    childId: 'programId',
    expected: (id) => children(network.programs, accepts(id)),
  },
  {
    parents: 'issuers',
    parentId: 'issuerId',
    list: 'credentials',
    childId: 'credentialId',
    expected: (id) => children(network.credentials, (row: CredentialRow) => row.issuerId === id),
  },
  {
    parents: 'schemas',
    parentId: 'schemaId',
    list: 'credentials',
    childId: 'credentialId',
    expected: (id) => children(network.credentials, (row: CredentialRow) => row.schemaId === id),
  },
  { parents: 'schemas', parentId: 'schemaId', list: 'issuers', childId: 'issuerId', expected: schemaIssuers },
  {
    parents: 'verifiers',
    parentId: 'verifierId',
    list: 'programs',
    childId: 'programId',
    expected: (id) => children(network.programs, (row: ProgramRow) => row.verifierId === id),
  },
];

describe('a relation list', () => {
  it.each(relations)(
    'relation list $parents → $list: each parent shows its own children and their number',
    async (relation) => {
      const { parents, parentId, list, childId, expected } = relation;
      const query = `{ parents: ${parents}(first: 100) { nodes { ${parentId} list: ${list}(first: 100) { totalCount totalCountIsExact nodes { ${childId} } } } } }`;
      const { nodes } = (await ask(query)).parents;
      expect(nodes).toHaveLength(Math.min(100, live<Row>(network[parents]).length));
      for (const node of nodes) {
        const ids = expected(node[parentId]);
        expect(node.list).toEqual({
          totalCount: ids.length,
          totalCountIsExact: true,
          nodes: ids.map((id) => ({ [childId]: id })),
        });
      }
    },
  );

  it.each(relations)(
    'relation list $parents → $list: pages continue each other, forward and backward',
    async (relation) => {
      const { parents, parentId, list, childId, expected } = relation;
      const fields = `pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ${childId} }`;
      const parent = live<Row>(network[parents]).sort((a, b) => expected(b._id).length - expected(a._id).length)[0];
      if (parent === undefined) throw new Error('no parent');
      for (const [size, place, more, cursor] of [
        ['first: 2', 'after', 'hasNextPage', 'endCursor'],
        ['last: 2', 'before', 'hasPreviousPage', 'startCursor'],
      ] as const) {
        const pages: string[][] = [];
        let at = '';
        for (let next = true; next; ) {
          const single = parents.replace(/s$/, '');
          const query = `{ parent: ${single}(${parentId}: "${parent._id}") { list: ${list}(${size}${at}) { ${fields} } } }`;
          const page = (await ask(query)).parent.list;
          pages.push(page.nodes.map((node: Record<string, string>) => node[childId]));
          next = page.pageInfo[more];
          at = `, ${place}: "${page.pageInfo[cursor]}"`;
        }
        expect((place === 'after' ? pages : pages.reverse()).flat()).toEqual(expected(parent._id));
      }
    },
  );

  it('a relation list has the requested order, also if two orders of it are selected together', async () => {
    const query = `{ issuers(first: 20) { nodes {
      byName: credentials(first: 100, orderBy: { field: NAME }) { nodes { name } }
      oldest: credentials(first: 100, orderBy: { field: CREATED, direction: ASC }) { nodes { createdAt } } } } }`;
    const folded = (name: string) =>
      name
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase();
    for (const { byName, oldest } of (await ask(query)).issuers.nodes) {
      const names = byName.nodes.map((node: { name: string }) => folded(node.name));
      expect(names).toEqual([...names].sort());
      const moments = oldest.nodes.map((node: { createdAt: string }) => node.createdAt);
      expect(moments).toEqual([...moments].sort());
    }
  });
});

describe('a credential', () => {
  it('a credential has every field of the contract, with summed counts', async () => {
    const row = live(network.credentials).find((credential) => live(network.programs).some(accepts(credential._id)));
    if (row === undefined) throw new Error('no credential is accepted anywhere');
    const query = `query ($id: String!) { credential(credentialId: $id) {
      id credentialId name category schemaVersion createdAt accessibleStart accessibleEnd expirationDuration firstIssuedAt lastIssuedAt
      traction { holderCount issuanceCount verificationCount demandCount }
      issuer { issuerId name issuerDid issuerFrom traction { holderCount issuanceCount verificationCount } }
      schema { schemaId title description version credentialCount issuerCount dataPoints { name } }
      dataPoints { title type name isRequired description }
      programs(first: 100) { nodes { programId description pricingModel credentialCount traction { verificationCount }
        verifier { verifierId name verifierDid }
        acceptedCredentials { verificationConditions conditions { field operator values } credential { credentialId } } } } } }`;
    const { credential } = await ask(query, { id: row._id });
    const { base, own } = row.traction;
    expect(credential).toMatchObject({
      id: Buffer.from(`Credential:${row._id}`).toString('base64'),
      credentialId: row._id,
      name: row.name,
      category: row.category,
      schemaVersion: 1,
      createdAt: row.createdAt.toISOString(),
      expirationDuration: row.expirationDuration,
      traction: {
        holderCount: base.holderCount + own.holderCount,
        issuanceCount: base.issuanceCount + own.issuanceCount,
        verificationCount: base.verificationCount + own.verificationCount,
        demandCount: live(network.programs).filter(accepts(row._id)).length,
      },
      issuer: { issuerId: row.issuerId },
      schema: { schemaId: row.schemaId, dataPoints: [{ name: 'degree.name' }] },
      dataPoints: [{ title: 'Degree', type: 'string', name: 'degree.name', isRequired: true, description: 'What for' }],
    });
    for (const program of credential.programs.nodes) {
      const stored = network.programs.find(({ _id }) => _id === program.programId);
      const retired = new Set(network.credentials.filter((other) => !other.live).map(({ _id }) => _id));
      const shown = stored?.acceptedCredentials.filter((accepted) => !retired.has(accepted.credentialId));
      expect(program.verifier.verifierId).toBe(stored?.verifierId);
      expect(program.credentialCount).toBe(shown?.length);
      expect(program.acceptedCredentials).toEqual(
        shown?.map(({ credentialId, verificationConditions, conditions }) => ({
          verificationConditions,
          conditions,
          credential: { credentialId },
        })),
      );
    }
  });
});

const LOOK_UPS = [
  ['credential', 'credentialId', 'credentials'],
  ['program', 'programId', 'programs'],
  ['issuer', 'issuerId', 'issuers'],
  ['verifier', 'verifierId', 'verifiers'],
  ['schema', 'schemaId', 'schemas'],
] as const;

describe('a look-up', () => {
  it.each(LOOK_UPS)('a look-up of a %s returns it, and null if it is unknown or retired', async (field, id, kind) => {
    const [there, gone] = [network[kind].find((row) => row.live), network[kind].find((row) => !row.live)];
    const query = `query ($there: String!, $gone: String!) { there: ${field}(${id}: $there) { ${id} }
      gone: ${field}(${id}: $gone) { ${id} } unknown: ${field}(${id}: "nobody") { ${id} } empty: ${field}(${id}: "") { ${id} } }`;
    const answer = await ask(query, { there: there?._id, gone: gone?._id ?? 'none retired' });
    expect(answer).toEqual({ there: { [id]: there?._id }, gone: null, unknown: null, empty: null });
  });

  it.each(LOOK_UPS)('a look-up of a %s by its global id returns the same', async (field, id, kind) => {
    const row = network[kind].find((candidate) => candidate.live);
    const { single } = await ask(`{ single: ${field}(${id}: "${row?._id}") { id } }`);
    const { node } = await ask(
      `query ($id: ID!) { node(id: $id) { __typename id ... on ${field[0]?.toUpperCase()}${field.slice(1)} { ${id} } } }`,
      single,
    );
    expect(node).toEqual({ __typename: `${field[0]?.toUpperCase()}${field.slice(1)}`, id: single.id, [id]: row?._id });
  });

  it.each([
    ['nothing', ''],
    ['no base64', '%%%'],
    ['no type', Buffer.from('abc').toString('base64')],
    ['an unknown type', Buffer.from('Secret:1').toString('base64')],
    ['a type of the prototype', Buffer.from('constructor:1').toString('base64')],
    ['an unknown id', Buffer.from('Credential:nobody').toString('base64')],
    ['very much', 'A'.repeat(10_000)],
  ])('a look-up by a global id with %s is null', async (_, id) => {
    expect(await ask('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null });
  });
});
