// Operations are judged before they run: depth, tokens, and the nodes that page sizes multiply to (issue: "Bad input").
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLimits } from '../../src/graphql/limits.js';
import { buildGatewaySchema } from '../../src/graphql/schema.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

const schema = buildGatewaySchema();

/** The refusal of a valid document, or "taken". */
function verdict(text: string, variables: Record<string, unknown> = {}): string {
  const document = parse(text);
  expect(validate(schema, document).map(({ message }) => message)).toEqual([]);
  const [operation] = document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
  if (operation === undefined) throw new Error('no operation');
  try {
    checkLimits(schema, document, operation, variables);
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A query of so many levels: credential, then issuer and credentials by turns, then a leaf. */
function deep(levels: number): string {
  const chain = ['credential(credentialId: "a")', 'issuer'];
  while (chain.length < levels - 1)
    chain.push(...['credentials(first: 1)', 'nodes', 'issuer'].slice(0, levels - 1 - chain.length));
  return `{ ${chain.join(' { ')} { __typename${' }'.repeat(chain.length + 1)}`;
}

describe('Depth', () => {
  it('is taken up to 12 levels and refused from 13', () => {
    expect(verdict(deep(12))).toBe('taken');
    expect(verdict(deep(13))).toBe('The query is 13 levels deep; at most 12 are allowed.');
  });

  it('counts through fragments, named and inline', () => {
    const parts = (inner: string) =>
      `query { credential(credentialId: "a") { ...A } } fragment A on Credential { issuer { credentials(first: 1) { nodes { ${inner} } } } }`;
    const six = 'issuer { credentials(first: 1) { nodes { issuer { credentials(first: 1) { nodes { name } } } } } }';
    expect(verdict(parts(six))).toBe('taken');
    const seven =
      'issuer { credentials(first: 1) { nodes { issuer { credentials(first: 1) { nodes { issuer { traction { holderCount } } } } } } } }';
    expect(verdict(parts(seven))).toContain('levels deep');
    expect(verdict(parts(`... on Credential { ${seven} }`))).toContain('levels deep');
  });

  it('has its own bound for introspection, whose standard query is taken', () => {
    expect(verdict(getIntrospectionQuery())).toBe('taken');
    const types = `ofType { ${'ofType { '.repeat(19)} name ${'} '.repeat(19)} }`;
    expect(verdict(`{ __type(name: "Query") { ${types} } }`)).toContain('introspection');
  });
});

describe('Nodes', () => {
  const table: [string, string, Record<string, unknown>, string][] = [
    ['a page of 100', '{ credentials(first: 100) { nodes { name } } }', {}, 'taken'],
    ['100 times 100', '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { name } } } } }', {}, 'taken'],
    [
      '100 times 100, and a page beside it',
      '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { name } } } } issuers(first: 1) { nodes { name } } }',
      {},
      '10001 nodes',
    ],
    [
      'aliases of one field',
      '{ a: credentials(first: 100) { nodes { programs(first: 51) { nodes { name } } } } b: credentials(first: 100) { nodes { programs(first: 50) { nodes { name } } } } }',
      {},
      '10100 nodes',
    ],
    [
      'last as well as first',
      '{ credentials(last: 100) { nodes { programs(last: 100) { nodes { verifier { programs(first: 2) { nodes { name } } } } } } } }',
      {},
      '20000 nodes',
    ],
    [
      'sizes that are not given, as the default of 10',
      '{ issuers(first: 100) { nodes { credentials(first: 11) { nodes { programs { nodes { name } } } } } } }',
      {},
      '11000 nodes',
    ],
    [
      'totals without nodes',
      '{ issuers(first: 100) { nodes { credentials(first: 100) { nodes { programs(first: 100) { totalCount } } } } } }',
      {},
      '1000000 nodes',
    ],
    [
      'sizes in variables',
      'query ($n: Int) { issuers(first: $n) { nodes { credentials(first: $n) { nodes { programs(first: $n) { nodes { name } } } } } } }',
      { n: 22 },
      '10648 nodes',
    ],
    [
      'variables that are left out, as their default',
      'query ($n: Int = 50) { issuers(first: $n) { nodes { credentials(first: $n) { nodes { programs(first: $n) { nodes { name } } } } } } }',
      {},
      '125000 nodes',
    ],
    [
      'nodes and edges of one page',
      '{ issuers(first: 100) { nodes { credentials(first: 60) { totalCount } } edges { node { credentials(first: 60) { totalCount } } } } }',
      {},
      '12000 nodes',
    ],
    [
      'pages in fragments',
      '{ issuers(first: 100) { nodes { ...C } } } fragment C on Issuer { credentials(first: 101) { totalCount } }',
      {},
      '10100 nodes',
    ],
  ];
  it.each(table)('%s', (_, text, variables, expected) => {
    expect(verdict(text, variables)).toContain(expected);
  });

  it('are counted quickly where fragments double at every level', () => {
    const names = Array.from({ length: 60 }, (_, at) => `F${at}`);
    const fragments = names.map((name, at) => {
      const next = names[at + 1];
      return `fragment ${name} on Query { ${next ? `...${next} ...${next}` : 'issuers(first: 1) { totalCount }'} }`;
    });
    expect(verdict(`{ ...F0 } ${fragments.join(' ')}`)).toContain('nodes; at most 10000');
  });
});

describe('A refused operation', () => {
  let gateway: TestGateway;
  const commands: string[] = [];
  beforeAll(async () => {
    gateway = await startGateway({ monitorCommands: true });
    // The search index has been filled from the same collections by then.
    await gateway.app.services.search.search({ query: 'any', page: 1, limit: 1 });
    const client = gateway.app.connection.getClient();
    client.on('commandStarted', ({ commandName, command }) => {
      // Elected workers ask the store all the time, but not for the catalog's rows.
      commands.push(`${commandName} ${command[commandName]}`);
    });
  });
  afterAll(() => gateway.close());

  it('answers 400 with QUERY_TOO_LARGE, and has asked the store for nothing', async () => {
    const tokens = `{ ${'a: __typename '.repeat(400)} }`;
    const nodes =
      '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { verifier { programs { totalCount } } } } } } }';
    for (const query of [deep(13), tokens, nodes]) {
      commands.length = 0;
      const { status, data, errors } = await gateway.gql(query);
      expect(status).toBe(400);
      expect(data).toBeUndefined();
      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUERY_TOO_LARGE', category: 'limit', httpStatus: 400 });
      expect(commands.filter((name) => /^(find|aggregate) (credentials|programs|verifiers)$/.test(name))).toEqual([]);
    }
  });
});
