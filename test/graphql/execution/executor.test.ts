// Compiled or not, an operation has the same response: data, errors, paths, locations and extensions. `MADE_UP_QUERIES=2000` compares more
// operations.
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  lexicographicSortSchema,
  parse,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLoaders } from '../../../src/compose/context.js';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { type Execute, type ExecutionRequest, makeExecutor } from '../../../src/graphql/execution/executor.js';
import { RowTextCache } from '../../../src/graphql/execution/row-text-cache.js';
import { textOf, WrittenData } from '../../../src/graphql/execution/written-data.js';
import { globalId } from '../../../src/graphql/shapes/global-id.js';
import { makeNetwork, writeNetwork } from '../../catalog/network.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { isValid, OperationMaker, type Sample, suiteOperations } from '../operations.js';

const schema: GraphQLSchema = buildGatewaySchema();
const js = makeExecutor(schema, { kind: 'js' });
const compiling = makeExecutor(schema, { kind: 'compiled', rowTexts: new RowTextCache(1_000_000) });
/** The clock stands still, because fields that read the time are compared, too. */
const NOW = Date.now();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ clock: () => NOW });
  const network = makeNetwork(60, 7);
  const models = await writeNetwork(gateway.app.connection, network);
  // Missing values in the data: credentials whose issuer does not exist, verifiers without a name.
  await models.verifiers.collection.updateMany({}, { $set: { name: null, createdAt: 'never' } });
  const half = network.issuers.slice(0, network.issuers.length / 2).map(({ _id }) => _id as never);
  // Texts that JSON must escape.
  await models.programs.collection.updateMany({}, { $set: { description: 'One\n"two"\\\u0000 \ud83d' } });
  await models.issuers.collection.updateMany({ _id: { $in: half } }, { $set: { live: false } });
  await gateway.app.services.search.search({ query: 'any', page: 1, limit: 1 });
});
afterAll(() => gateway.close());

const shown = ({ message, locations, path, extensions, originalError }: GraphQLError) => ({
  message,
  locations,
  path,
  extensions,
  original: originalError?.message,
});

/** The properties of a request that its operation uses. */
function requestOf({ app: { services } }: TestGateway): Pick<ExecutionRequest, 'context' | 'catalogVersion'> {
  const loaders = makeLoaders(services);
  const context = { caller: { kind: 'anonymous' }, requestId: 'r', services, loaders };
  return { context, catalogVersion: () => loaders.catalog.version };
}

const MADE_UP = Number(process.env.MADE_UP_QUERIES ?? 300);

/** After this many runs, stored texts are used. */
const OFTEN = 6;

/**
 * A response as text. A response without errors must be written as text rather than built from objects, and must be the
 * same every time.
 */
async function answer(execute: Execute, sample: Sample): Promise<string> {
  const document = parse(sample.text);
  const first = await answerOnce(execute, document, sample);
  if (execute === js || first.includes('"errors":')) return first;
  for (let times = 1; times < OFTEN; times += 1) {
    expect(await answerOnce(execute, document, sample), sample.text).toBe(first);
  }
  return first;
}

async function answerOnce(execute: Execute, document: DocumentNode, { text, variables }: Sample): Promise<string> {
  const result: ExecutionResult = await execute(document, { variables, ...requestOf(gateway) });
  const { data, errors, ...rest } = result;
  if (!errors) {
    const isPlain = /__schema|__type\b/.test(text)
      ? !(data instanceof WrittenData)
      : execute === js || /availableCredentials/.test(text);
    expect(data instanceof WrittenData, text).toBe(!isPlain);
    return textOf(result);
  }
  // Errors have no fixed order, because lists are completed when their rows arrive.
  return JSON.stringify({ data, errors: errors?.map((error) => JSON.stringify(shown(error))).sort(), ...rest });
}

/** A response that lacks data because of one entry of a list, without the entry's index and id. */
const withoutEntry = (text: string): string =>
  text.includes('"data":null') ? text.replace(/,\d+(?=,)/g, ',*').replace(/(\\"entry\\":\\")[^"\\]+/g, '$1*') : text;

/**
 * Checks that the responses are equal. If two things fail at once, graphql-js reports the one that came first, so both
 * executors run again; which of several entries of a list came first is left open (GraphQL §6.4.4).
 */
async function compare(sample: Sample): Promise<string> {
  let plain = await answer(js, sample);
  let compiled = await answer(compiling, sample);
  for (let left = 20; left > 0 && plain !== compiled && plain.includes('"errors":'); left -= 1) {
    plain = await answer(js, sample);
    compiled = await answer(compiling, sample);
  }
  expect(withoutEntry(compiled), sample.text).toBe(withoutEntry(plain));
  return plain;
}

describe('A compiled operation answers what graphql-js answers', () => {
  it('a compiled operation returns the same as graphql-js for every document of the suites', async () => {
    const texts = suiteOperations(schema).filter((text) => !text.trimStart().startsWith('mutation'));
    expect(texts.length).toBeGreaterThan(30);
    for (const text of texts) await compare({ text, variables: {} });
  });

  it('a compiled operation returns the same as graphql-js if a required text or time is missing', async () => {
    for (const field of ['name', 'createdAt']) {
      expect(await compare({ text: `{ verifiers { nodes { ${field} } } }`, variables: {} })).toMatch(
        /"data":null,"errors":/,
      );
      const text = `{ node(id: "${globalId('Verifier', 'verifier-000000')}") { id ... on Verifier { ${field} } } }`;
      expect(await compare({ text, variables: {} })).toContain('"data":{"node":null}');
    }
  });

  it('a compiled operation returns the same as graphql-js for generated documents, with errors of every kind', async () => {
    const ids = ['credentials', 'programs', 'issuers', 'verifiers', 'schemas'] as const;
    const texts = ['', 'unknown', globalId('Issuer', 'unknown')];
    for (const kind of ids) {
      const { nodes } = await gateway.app.services.catalog.list(kind, { first: 5 });
      for (const node of nodes)
        texts.push(
          node.id,
          ...Object.values(node)
            .filter((value) => typeof value === 'string')
            .slice(0, 3),
        );
    }
    // The schema is sorted, so that the generated operations do not depend on the order in which types are declared.
    const maker = new OperationMaker(lexicographicSortSchema(schema), texts, 42);
    const tally = { whole: 0, withErrors: 0, bubbled: 0 };
    while (tally.whole + tally.withErrors < MADE_UP) {
      const sample = maker.make();
      if (!isValid(schema, sample.text)) continue;
      const text = await compare(sample);
      if (text.includes('"errors":')) tally.withErrors += 1;
      else tally.whole += 1;
      if (text.includes('Cannot return null for non-nullable field')) tally.bubbled += 1;
    }
    expect(tally.whole).toBeGreaterThan(MADE_UP / 15);
    expect(tally.withErrors).toBeGreaterThan(MADE_UP / 10);
    // This happens in one of some hundred operations; missing fields have a test above.
    if (MADE_UP >= 2_000) expect(tally.bubbled).toBeGreaterThan(0);
  });
});

describe('An operation', () => {
  const text = 'query ($id: String!) { issuer(issuerId: $id) { name } }';

  /** Whether the response is written as text. */
  async function isCompiled(execute: Execute, text: string, variables = {}): Promise<boolean> {
    const { data, errors } = await execute(parse(text), { variables, ...requestOf(gateway) });
    expect(errors).toBeUndefined();
    return data instanceof WrittenData;
  }

  it('an operation is compiled, except with EXECUTOR=js', async () => {
    expect(await isCompiled(compiling, text, { id: 'some issuer' })).toBe(true);
    expect(await isCompiled(js, text, { id: 'some issuer' })).toBe(false);
  });

  it('an operation never runs twice if it does more than read our store', async () => {
    const own = buildGatewaySchema();
    const { availableCredentials } = own.getQueryType()?.getFields() ?? {};
    if (!availableCredentials) throw new Error('there is no field availableCredentials');
    let runs = 0;
    availableCredentials.resolve = () => {
      runs += 1;
      throw new Error('an issuer is away');
    };
    const execute = makeExecutor(own, { kind: 'compiled' });
    const asked = parse('{ availableCredentials { __typename } }');
    const { errors } = await execute(asked, { context: {} });
    expect(errors).toHaveLength(1);
    expect(runs).toBe(1);
  });

  it('an operation uses its own variables, whatever values the same operation had before', async () => {
    const { services } = gateway.app;
    const ids = (await services.catalog.list('issuers', { first: 6 })).nodes.map(({ issuerId }) => issuerId);
    const document = parse(
      'query ($id: String!, $n: Int!) { issuer(issuerId: $id) { issuerId credentials(first: $n) { nodes { name } } } }',
    );
    for (const [at, id] of [...ids, ...ids].entries()) {
      const variables = { id, n: (at % 3) + 1 };
      const answers = await Promise.all(
        [compiling, js].map((run) => run(document, { variables, ...requestOf(gateway) })),
      );
      const [compiled, plain] = answers.map((result) => JSON.parse(textOf(result)));
      expect(compiled).toEqual(plain);
      expect(compiled).toMatchObject({ data: { issuer: { issuerId: id } } });
    }
  });

  it('an operation whose fragments double at every level gets its response quickly, however often it is sent', async () => {
    const fragments = Array.from({ length: 60 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
    const text = `{ ...F0 } ${fragments.join(' ')} fragment F60 on Query { __typename }`;
    const document = parse(text);
    for (let at = 0; at < 5; at += 1)
      expect(textOf(await compiling(document, { context: {} }))).toBe('{"data":{"__typename":"Query"}}');
  });
});
