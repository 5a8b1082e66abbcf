// Introspection is answered from a result that was made once for each operation, equals that of graphql-js, and has a limit of its own.
import { execute, getIntrospectionQuery, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { Limits } from '../../../src/graphql/documents/limits.js';
import { Introspection } from '../../../src/graphql/execution/introspection.js';
import { textOf } from '../../../src/graphql/execution/written-data.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const schema = buildGatewaySchema();
const all = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});
const TEXTS: [string, Record<string, unknown>][] = [
  [getIntrospectionQuery(), {}],
  [all, {}],
  [
    '{ __typename __type(name: "Credential") { name fields(includeDeprecated: true) { ...F } } } fragment F on __Field { name type { kind } }',
    {},
  ],
  [
    '{ __type(name: "None") { name } __schema { a: queryType { name } b: queryType { name fields { args { name defaultValue } } } } }',
    {},
  ],
  [
    'query ($name: String!, $no: Boolean = false) { __type(name: $name) { kind possibleTypes { name } fields @include(if: $no) { name } } }',
    { name: 'Node' },
  ],
];

describe('Introspection', () => {
  it('introspection returns the same as graphql-js', async () => {
    const introspection = new Introspection(schema);
    for (const [text, variables] of TEXTS) {
      const document = parse(text);
      expect(validate(schema, document)).toEqual([]);
      const plain = await execute({ schema, document, variableValues: variables });
      const result = introspection.result(document, { variables });
      expect(result && textOf(result)).toBe(JSON.stringify(plain));
    }
  });

  it('introspection is computed once for each operation, and each time with variables', () => {
    const introspection = new Introspection(schema);
    for (let request = 0; request < 3; request += 1)
      for (const [text] of TEXTS.slice(0, 4).map(([each], at) => [each, at] as const))
        introspection.result(known(text), {});
    expect(introspection.computations).toBe(4);
    const [text, variables] = TEXTS[4] ?? ['', {}];
    for (let request = 0; request < 3; request += 1) introspection.result(known(text), { variables });
    expect(introspection.computations).toBe(7);
  });

  it('introspection that is invalid or not alone is left to graphql-js', () => {
    const introspection = new Introspection(schema);
    expect(introspection.result(parse('{ __schema { queryType { name } } whoAmI { kind } }'), {})).toBeUndefined();
    expect(introspection.result(parse('{ __typename }'), {})).toBeUndefined();
    expect(introspection.result(parse(TEXTS[4]?.[0] ?? ''), { variables: {} })).toBeUndefined();
  });

  it('introspection is refused if its response is too large, once for each operation', () => {
    const introspection = new Introspection(schema);
    const aliases = Array.from({ length: 120 }, (_, at) => `a${at}: description`).join(' ');
    const text = `{ __schema { types { ${aliases} fields { ${aliases} args { description } } } } }`;
    for (let request = 0; request < 3; request += 1) {
      const { errors } = introspection.result(known(text), {}) ?? {};
      expect(errors?.map(({ message }) => message)).toEqual([
        'The introspection is larger than 2 MiB, or has more than 2000 fields; ask for less.',
      ]);
    }
    expect(introspection.computations).toBe(1);
  });

  it('introspection beside data counts as part of the response', () => {
    const limits = new Limits(schema);
    const check = (text: string) => {
      const document = parse(text);
      const [operation] = document.definitions;
      if (operation?.kind === 'OperationDefinition') limits.check(document, operation);
    };
    const standard = getIntrospectionQuery();
    expect(() => check(standard)).not.toThrow();
    expect(() => check(standard.replace('__schema {', '__typename __schema {'))).not.toThrow();
    expect(() => check(standard.replace('__schema {', 'whoAmI { kind } __schema {'))).toThrow('objects and values');
    expect(() => check('{ whoAmI { kind } __schema { queryType { name } } }')).not.toThrow();
  });
});

const DOCUMENTS = new Map<string, ReturnType<typeof parse>>();

/** Parses the same text to the same document each time. */
function known(text: string) {
  const document = DOCUMENTS.get(text) ?? parse(text);
  DOCUMENTS.set(text, document);
  return document;
}

describe.each(['compiled', 'js'])('Over HTTP, with EXECUTOR=%s, introspection', (EXECUTOR) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { EXECUTOR } });
  });
  afterAll(() => gateway.close());

  it('introspection over HTTP gets its response, by itself and beside data', async () => {
    for (let request = 0; request < 3; request += 1) {
      const { status, data } = await gateway.gql(all);
      expect({ status, query: data.__schema.queryType.name }).toEqual({ status: 200, query: 'Query' });
      const beside = await gateway.gql('{ whoAmI { kind } __schema { queryType { name } } }');
      expect(beside.data).toEqual({ whoAmI: { kind: 'ANONYMOUS' }, __schema: { queryType: { name: 'Query' } } });
    }
  });
});
