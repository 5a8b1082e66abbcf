// Operations are checked before they run: their depth, their tokens, and the number of objects and values that follow from page sizes and lists.
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { Limits } from '../../../src/graphql/documents/limits.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../../support/request-commands.js';

const schema = buildGatewaySchema();
const limits = new Limits(schema);

/** The refusal of a valid document, or `taken` when it is accepted. */
function verdict(text: string, variables: Record<string, unknown> = {}): string {
  const document = parse(text);
  expect(validate(schema, document).map(({ message }) => message)).toEqual([]);
  const [operation] = document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
  if (operation === undefined) throw new Error('no operation');
  try {
    limits.check(document, operation, variables);
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * A query with this many levels: a credential, then alternately its issuer and that issuer's credentials, then a leaf.
 */
function deep(levels: number): string {
  const chain = ['credential(credentialId: "a")', 'issuer'];
  while (chain.length < levels - 1)
    chain.push(...['credentials(first: 1)', 'nodes', 'issuer'].slice(0, levels - 1 - chain.length));
  return `{ ${chain.join(' { ')} { __typename${' }'.repeat(chain.length + 1)}`;
}

describe('Depth', () => {
  it('the depth of an operation may be 12 levels and not 13', () => {
    expect(verdict(deep(12))).toBe('taken');
    expect(verdict(deep(13))).toBe('The query is 13 levels deep; at most 12 are allowed.');
  });

  it('the depth of an operation includes fragments, named and inline', () => {
    const parts = (inner: string) =>
      `query { credential(credentialId: "a") { ...A } } fragment A on Credential { issuer { credentials(first: 1) { nodes { ${inner} } } } }`;
    const six = 'issuer { credentials(first: 1) { nodes { issuer { credentials(first: 1) { nodes { name } } } } } }';
    expect(verdict(parts(six))).toBe('taken');
    const seven =
      'issuer { credentials(first: 1) { nodes { issuer { credentials(first: 1) { nodes { issuer { traction { holderCount } } } } } } } }';
    expect(verdict(parts(seven))).toContain('levels deep');
    expect(verdict(parts(`... on Credential { ${seven} }`))).toContain('levels deep');
  });

  it('introspection has a depth limit of its own, which the standard query meets', () => {
    expect(verdict(getIntrospectionQuery())).toBe('taken');
    const types = `ofType { ${'ofType { '.repeat(19)} name ${'} '.repeat(19)} }`;
    expect(verdict(`{ __type(name: "Query") { ${types} } }`)).toContain('introspection');
  });
});

describe('Objects and values', () => {
  const table: [string, string, Record<string, unknown>, string][] = [
    ['a page of 100', '{ credentials(first: 100) { nodes { name } } }', {}, 'taken'],
    ['100 times 100', '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { name } } } } }', {}, 'taken'],
    [
      'every value of a row',
      '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { name id description pricingModel createdAt } } } } }',
      {},
      '60201 objects and values',
    ],
    [
      'aliases of one field',
      '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { a: name b: name c: name d: name e: name } } } } }',
      {},
      '60201 objects',
    ],
    [
      'aliases of one list',
      '{ a: credentials(first: 100) { nodes { programs(first: 100) { nodes { name } } } } b: credentials(first: 100) { nodes { programs(first: 100) { nodes { id name } } } } }',
      {},
      '50402 objects',
    ],
    [
      'last as well as first',
      '{ credentials(last: 100) { nodes { programs(last: 100) { nodes { verifier { programs(first: 2) { nodes { name } } } } } } } }',
      {},
      '70201 objects',
    ],
    [
      'sizes that are not given, as the default of 10',
      '{ issuers(first: 100) { nodes { credentials(first: 30) { nodes { programs { nodes { name } } } } } } }',
      {},
      '66201 objects',
    ],
    [
      'totals without nodes, whose rows are read all the same',
      '{ issuers(first: 100) { nodes { credentials(first: 100) { nodes { programs(first: 100) { totalCount } } } } } }',
      {},
      '1030201 objects',
    ],
    [
      'sizes in variables',
      'query ($n: Int) { issuers(first: $n) { nodes { credentials(first: $n) { nodes { programs(first: $n) { nodes { name } } } } } } }',
      { n: 30 },
      '55861 objects',
    ],
    [
      'variables that are left out, as their default',
      'query ($n: Int = 50) { issuers(first: $n) { nodes { credentials(first: $n) { nodes { programs(first: $n) { nodes { name } } } } } } }',
      {},
      '255101 objects',
    ],
    [
      'nodes and edges of one page',
      '{ issuers(first: 100) { nodes { credentials(first: 100) { nodes { id name } } } edges { node { credentials(first: 100) { nodes { id name } } } } } }',
      {},
      '60501 objects',
    ],
    [
      'pages in fragments',
      '{ issuers(first: 100) { ...P } } fragment P on IssuerConnection { nodes { ...C } } fragment C on Issuer { credentials(first: 100) { nodes { id name createdAt category } } }',
      {},
      '50201 objects',
    ],
    [
      'a fragment that is spread twice at one place, once',
      '{ issuers(first: 100) { nodes { ...C ...C } } } fragment C on Issuer { credentials(first: 100) { nodes { id name } } }',
      {},
      'taken',
    ],
    [
      'lists that have no page',
      '{ programs(first: 100) { nodes { ...A b: acceptedCredentials { credential { dataPoints { name title } } conditions { field values } verificationConditions } } } } fragment A on Program { acceptedCredentials { credential { dataPoints { name title } } conditions { field values } verificationConditions } }',
      {},
      '57101 objects',
    ],
    [
      'lists that have no page below each other',
      '{ programs(first: 100) { nodes { acceptedCredentials { credential { programs(first: 100) { nodes { name } } } } } } }',
      {},
      '101601 objects',
    ],
    [
      'what a search finds',
      '{ search(query: "a", first: 50) { credentials { items { credential { programs(first: 100) { nodes { name description pricingModel id programId createdAt credentialCount verifier { name } } } } } } } }',
      {},
      '50152 objects',
    ],
  ];
  it.each(table)('the objects and values of a response are estimated: %s', (_, text, variables, expected) => {
    expect(verdict(text, variables)).toContain(expected);
  });

  it('skipped fields count as values', () => {
    const text = (directive: string) =>
      `{ credentials(first: 100) { nodes { programs(first: 100) ${directive} { nodes { name id description pricingModel createdAt } } } } }`;
    expect(verdict(text(''))).toContain('60201 objects');
    expect(verdict(text('@skip(if: true)'))).toContain('60201 objects');
    expect(verdict(text('@include(if: false)'))).toContain('60201 objects');
  });

  it('the values of a response are limited by the configuration', () => {
    const document = parse('{ credentials { nodes { name } } }');
    const [operation] = document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
    const check = (most: number) => operation && new Limits(schema, most).check(document, operation);
    expect(() => check(21)).not.toThrow();
    expect(() => check(20)).toThrow('up to 21 objects and values; at most 20 are allowed');
  });
});

describe('Counting a list by its filter', () => {
  const counts = (many: number, field: string) =>
    `{ ${Array.from({ length: many }, (_, at) => `a${at}: ${field} { totalCount }`).join(' ')} }`;

  it('counting a filtered list costs values', () => {
    const filtered = 'credentials(first: 1, where: { category: { eq: "KYC" } })';
    expect(verdict(counts(9, filtered))).toBe('taken');
    expect(verdict(counts(10, filtered))).toContain('50030 objects');
    expect(verdict(counts(10, 'issuances(first: 1)'))).toContain('50030 objects');
  });

  it('counting a list costs values in fragments, and also for selecting only `exact`', () => {
    const parts = Array.from({ length: 10 }, (_, at) => `a${at}: issuers(where: { name: { contains: "a" } }) { ...T }`);
    const fragment = 'fragment T on IssuerConnection { totalCountIsExact }';
    expect(verdict(`{ ${parts.join(' ')} } ${fragment}`)).toContain('50120 objects');
  });

  it('counting a list whose total is stored costs almost nothing', () => {
    expect(verdict(counts(40, 'credentials(first: 1)'))).toBe('taken');
    expect(verdict(counts(40, 'credentials(first: 1, where: {})'))).toBe('taken');
  });
});

describe('Introspection', () => {
  it('introspection is measured by the lists of the schema', () => {
    const aliases = Array.from({ length: 12 }, (_, at) => `a${at}: type { ...T }`).join(' ');
    const text = (inner: string) =>
      `{ __schema { types { fields { args { ...A } } } } } fragment A on __InputValue { ${aliases} } fragment T on __Type { ${inner} }`;
    expect(verdict(text('name'))).toBe('taken');
    expect(
      verdict(text('kind fields { name description args { name description } } inputFields { name type { name } }')),
    ).toMatch(/^The introspection asks for about \d+ objects and values; at most 300000 are allowed\.$/);
  });
});

describe('A document', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  const fields = (count: number, field: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => field(at)).join(' ');

  it('a document may have 1,000 tokens and not one more', async () => {
    // An alias has three tokens, a brace one.
    const text = (more: string) => `{ ${fields(332, (at) => `a${at}: __typename`)} ${more} }`;
    expect((await gateway.gql(text('__typename __typename'))).status).toBe(200);
    const { status, errors } = await gateway.gql(text('__typename __typename __typename'));
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'QUERY_TOO_LARGE']);
  });

  it('a document may have 100 fields of one name and not one more', async () => {
    expect((await gateway.gql(`{ ${fields(100, () => '__typename')} }`)).status).toBe(200);
    const { status, errors } = await gateway.gql(`{ ${fields(101, () => '__typename')} }`);
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'QUERY_TOO_LARGE']);
  });
});

describe('A refused operation', () => {
  let gateway: TestGateway;
  let commands: RequestCommands;
  beforeAll(async () => {
    gateway = await startGateway({ monitorCommands: true });
    commands = requestCommandsOf(gateway);
  });
  afterAll(() => gateway.close());

  it('a refused operation responds with 400 QUERY_TOO_LARGE and sends no command to the store', async () => {
    const tokens = `{ ${'a: __typename '.repeat(400)} }`;
    const nodes =
      '{ credentials(first: 100) { nodes { programs(first: 100) { nodes { verifier { programs { totalCount } } } } } } }';
    const names = `{ ${'whoAmI { kind } '.repeat(101)} }`;
    for (const query of [deep(13), tokens, nodes, names]) {
      const { result, commands: sent } = await commands.of(() => gateway.gql(query));
      const { status, data, errors } = result;
      expect(status).toBe(400);
      expect(data).toBeUndefined();
      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUERY_TOO_LARGE', category: 'limit', httpStatus: 400 });
      expect(sent).toEqual([]);
    }
  });
});
