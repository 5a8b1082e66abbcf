// Compiled or not, an operation has one answer: data, errors, paths, places and extensions.
import { type ExecutionResult, type GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLoaders } from '../../src/context.js';
import { GIVEN } from '../../src/graphql/compiled-document.js';
import { type Execute, makeExecutor } from '../../src/graphql/executor.js';
import { globalId } from '../../src/graphql/global-id.js';
import { buildGatewaySchema } from '../../src/graphql/schema.js';
import { makeNetwork, writeNetwork } from '../catalog/network.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { isValid, OperationMaker, type Sample, suiteOperations } from './operations.js';

const schema: GraphQLSchema = buildGatewaySchema();
const js = makeExecutor(schema, 'js');
const jit = makeExecutor(schema, 'jit', 0);
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
  const network = makeNetwork(60, 7);
  const models = await writeNetwork(gateway.app.connection, network);
  // Holes in the data: credentials whose issuer is gone, verifiers without a name.
  await models.verifiers.collection.updateMany({}, { $set: { name: null, createdAt: 'never' } });
  const half = network.issuers.slice(0, network.issuers.length / 2).map(({ _id }) => _id as never);
  await models.issuers.collection.updateMany({ _id: { $in: half } }, { $set: { live: false } });
  await gateway.app.services.search.search({ query: 'any', page: 1, limit: 1 });
}, 60_000);
afterAll(() => gateway.close());

const shown = ({ message, locations, path, extensions, originalError }: GraphQLError) => ({
  message,
  locations,
  path,
  extensions,
  original: originalError?.message,
});

async function answer(execute: Execute, { text, variables }: Sample): Promise<string> {
  const { services } = gateway.app;
  const context = { caller: { kind: 'anonymous' }, requestId: 'r', services, loaders: makeLoaders(services) };
  const { data, errors, ...rest }: ExecutionResult = await execute(parse(text), { variables, context });
  // Errors come in no particular order: lists are completed as their rows arrive.
  return JSON.stringify({ data, errors: errors?.map((error) => JSON.stringify(shown(error))).sort(), ...rest });
}

/** The answers are the same; where two things fail at once, graphql-js tells the one that came first, so both are asked again. */
async function compare(sample: Sample): Promise<string> {
  let plain = await answer(js, sample);
  let compiled = await answer(jit, sample);
  for (let left = 20; left > 0 && plain !== compiled && plain.includes('"errors":'); left -= 1) {
    plain = await answer(js, sample);
    compiled = await answer(jit, sample);
  }
  expect(compiled, sample.text).toBe(plain);
  return plain;
}

describe('A compiled operation answers what graphql-js answers', () => {
  it('for every document that the suites hold', async () => {
    const texts = suiteOperations(schema).filter((text) => !text.trimStart().startsWith('mutation'));
    expect(texts.length).toBeGreaterThan(30);
    for (const text of texts) await compare({ text, variables: {} });
  });

  it('when a text or a moment is missing that must be there', async () => {
    for (const field of ['name', 'createdAt']) {
      expect(await compare({ text: `{ verifiers { nodes { ${field} } } }`, variables: {} })).toMatch(
        /"data":null,"errors":/,
      );
      const text = `{ node(id: "${globalId('Verifier', 'verifier-000000')}") { id ... on Verifier { ${field} } } }`;
      expect(await compare({ text, variables: {} })).toContain('"data":{"node":null}');
    }
  });

  it('for 2,000 made-up ones, with errors of every sort among them', async () => {
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
    const maker = new OperationMaker(schema, texts, 42);
    const tally = { whole: 0, withErrors: 0, bubbled: 0 };
    while (tally.whole + tally.withErrors < 2_000) {
      const sample = maker.make();
      if (!isValid(schema, sample.text)) continue;
      const text = await compare(sample);
      if (text.includes('"errors":')) tally.withErrors += 1;
      else tally.whole += 1;
      if (text.includes('Cannot return null for non-nullable field')) tally.bubbled += 1;
    }
    expect(tally.whole).toBeGreaterThan(500);
    expect(tally.withErrors).toBeGreaterThan(200);
    expect(tally.bubbled).toBeGreaterThan(3);
  }, 180_000);
});

describe('An operation', () => {
  /** Whether each of its runs was compiled; each with other variables. */
  async function runs(kind: 'js' | 'jit', times: number): Promise<boolean[]> {
    const own = buildGatewaySchema();
    const field = own.getQueryType()?.getFields().issuer;
    const seen: boolean[] = [];
    if (!field) throw new Error('there is no field issuer');
    field.resolve = (_source, _args, _context, { variableValues }) => {
      seen.push(GIVEN in variableValues);
      return { name: 'An issuer' };
    };
    const execute = makeExecutor(own, kind);
    const document = parse('query ($id: String!) { issuer(issuerId: $id) { name } }');
    for (let at = 0; at < times; at += 1) {
      const { data } = await execute(document, { variables: { id: `issuer ${at}` }, context: {} });
      expect(data).toEqual({ issuer: { name: 'An issuer' } });
    }
    return seen;
  }

  it('is compiled when it was seen three times', async () => {
    expect(await runs('jit', 5)).toEqual([false, false, false, true, true]);
  });

  it('shares its code with documents that differ in names and values, and keeps its own values', async () => {
    const own = buildGatewaySchema();
    const field = own.getQueryType()?.getFields().issuer;
    if (!field) throw new Error('there is no field issuer');
    const { resolve } = field;
    let compiled = 0;
    field.resolve = (source, args, context, info) => {
      if (GIVEN in info.variableValues) compiled += 1;
      return resolve?.(source, args, context, info);
    };
    const execute = makeExecutor(own, 'jit');
    const { services } = gateway.app;
    const ids = (await services.catalog.list('issuers', { first: 6 })).nodes.map(({ issuerId }) => issuerId);
    for (const [at, id] of ids.entries()) {
      const document = parse(
        `query Named${at} { issuer(issuerId: "${id}") { issuerId credentials(first: ${at + 1}) { nodes { name } } } }`,
      );
      const { data } = await execute(document, { context: { services, loaders: makeLoaders(services) } });
      expect(data).toMatchObject({ issuer: { issuerId: id } });
      const { credentials } = (data as { issuer: { credentials: { nodes: unknown[] } } }).issuer;
      expect(credentials.nodes.length).toBeLessThanOrEqual(at + 1);
    }
    expect(compiled).toBe(ids.length - 3);
    const other = parse(`{ issuer(issuerId: "${ids[0]}") { name: issuerId } }`);
    expect((await execute(other, { context: { services, loaders: makeLoaders(services) } })).data).toEqual({
      issuer: { name: ids[0] },
    });
    expect(compiled).toBe(ids.length - 3);
  });

  it('is never compiled with EXECUTOR=js', async () => {
    expect(await runs('js', 5)).toEqual([false, false, false, false, false]);
  });

  it('is answered quickly when its fragments double at every level, however often it comes', async () => {
    const fragments = Array.from({ length: 60 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
    const text = `{ ...F0 } ${fragments.join(' ')} fragment F60 on Query { __typename }`;
    const document = parse(text);
    for (let at = 0; at < 5; at += 1)
      expect((await jit(document, { context: {} })).data).toEqual({ __typename: 'Query' });
  });

  it('has no text of a client in its code', async () => {
    const text = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.broken=1';
    await compare({ text: `{ issuer(issuerId: ${JSON.stringify(text)}) { name } }`, variables: {} });
    expect(globalThis).not.toHaveProperty('broken');
  });
});
