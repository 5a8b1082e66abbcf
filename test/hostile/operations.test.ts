// Operations of every kind over the whole schema, by everybody, valid ones and broken ones: whatever comes, nothing breaks,
// and data has exactly the members that were asked for, each of its type.
// `OPERATION_CASES=20000 OPERATION_SEED=1 npx vitest run test/hostile/operations.test.ts` plays more of them,
// FUZZ_SECONDS=60 for a time.
import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  parse,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { CALLERS, type CallerName, startWorld, type World } from '../contract/rights-world.js';
import { printTotal } from '../support/total.js';
import { expectNothingInside, HANG_MS } from './answers.js';
import { faultsOf } from './fits-schema.js';
import { sizeOf } from './size.js';
import { type Shape, valuesOf } from './values.js';

const { runs, timeout } = sizeOf('OPERATION', 2);
const MAX_DEPTH = 4;

let world: World;
let schema: GraphQLSchema;
beforeAll(async () => {
  world = await startWorld();
  schema = buildGatewaySchema({ catalogEnabled: true });
});
afterAll(() => world.gateway.close());

const SCALARS: Readonly<Record<string, Shape>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  JSON: {},
};

function shapeOf(type: GraphQLInputType, depth = 0): Shape {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: shapeOf(nullable.ofType, depth) };
  if (isEnumType(nullable)) return { enum: nullable.getValues().map(({ name }) => name) };
  if (!isInputObjectType(nullable)) return SCALARS[nullable.name] ?? { type: 'string' };
  const fields = depth > 3 ? [] : Object.values(nullable.getFields());
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, shapeOf(field.type, depth + 1)])),
    required: fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name),
  };
}

/** A part of an operation: its text, and the variables that it uses. */
interface Part {
  text: string;
  variables: { name: string; type: string; value: unknown }[];
}

/** Numbers variables and aliases within an operation. */
let number = 0;

function argumentOf({ name, type }: GraphQLArgument, names: readonly string[]): fc.Arbitrary<Part> {
  return valuesOf(shapeOf(type), names).map((value) => {
    const variable = `v${++number}`;
    return { text: `${name}: $${variable}`, variables: [{ name: variable, type: String(type), value }] };
  });
}

function fieldOf(field: GraphQLField<unknown, unknown>, names: readonly string[], depth: number): fc.Arbitrary<Part> {
  const needed = fc.tuple(...field.args.filter(({ type }) => isNonNullType(type)).map((arg) => argumentOf(arg, names)));
  const others = field.args.filter(({ type }) => !isNonNullType(type));
  const chosen = fc
    .subarray(others, { maxLength: Math.min(2, others.length) })
    .chain((args) => fc.tuple(...args.map((arg) => argumentOf(arg, names))));
  const selection = isLeafType(getNamedType(field.type))
    ? fc.constant<Part>({ text: '', variables: [] })
    : selectionOf(field.type, names, depth + 1);
  return fc.tuple(needed, chosen, selection).map(([first, second, inner]) => {
    const args = [...first, ...second];
    const text = args.length > 0 ? `(${args.map(({ text: one }) => one).join(', ')})` : '';
    return {
      text: `a${++number}: ${field.name}${text} ${inner.text}`,
      variables: [...args, inner].flatMap(({ variables }) => variables),
    };
  });
}

function selectionOf(type: GraphQLOutputType, names: readonly string[], depth: number): fc.Arbitrary<Part> {
  const named = getNamedType(type);
  if (isUnionType(named) || isInterfaceType(named)) {
    const possible = schema.getPossibleTypes(named);
    return fc.constantFrom(...possible).chain((one) =>
      selectionOf(one, names, depth).map(({ text, variables }) => ({
        text: `{ __typename ... on ${one.name} ${text} }`,
        variables,
      })),
    );
  }
  if (!isObjectType(named)) throw new Error(`${named.name} has no fields`);
  const fields = Object.values(named.getFields()).filter(
    (field) => depth < MAX_DEPTH || isLeafType(getNamedType(field.type)),
  );
  if (fields.length === 0) return fc.constant({ text: '{ __typename }', variables: [] });
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(fields.length, depth === 0 ? 2 : 4) })
    .chain((chosen) => fc.tuple(...chosen.map((field) => fieldOf(field, names, depth))))
    .map((parts) => ({
      text: `{ ${parts.map(({ text }) => text).join(' ')} }`,
      variables: parts.flatMap(({ variables }) => variables),
    }));
}

interface Case {
  caller: CallerName;
  query: string;
  variables: Record<string, unknown>;
}

function operationsOf(kind: 'query' | 'mutation', names: readonly string[]): fc.Arbitrary<Case> {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  if (!root) throw new Error(`no ${kind}`);
  const operation = selectionOf(root, names, 0).map(({ text, variables }) => {
    const head = variables.map(({ name, type }) => `$${name}: ${type}`).join(', ');
    return {
      query: `${kind} ${head ? `(${head}) ` : ''}${text}`,
      variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    };
  });
  const broken = fc
    .tuple(operation, fc.nat(), fc.constantFrom('', '{', '"', '...x', '@a', '$', '(', '\u0000'))
    .map(([{ query, variables }, at, piece]) => {
      const cut = at % query.length;
      return { query: query.slice(0, cut) + piece + query.slice(cut + 1), variables };
    });
  return fc
    .tuple(fc.constantFrom(...CALLERS), fc.oneof({ weight: 5, arbitrary: operation }, broken))
    .map(([caller, asked]) => ({ caller, ...asked }));
}

let played = 0;
async function play({ caller, query, variables }: Case): Promise<void> {
  played += 1;
  const answer = await fetch(`${world.gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...world.headers[caller] },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(HANG_MS),
  });
  const text = await answer.text();
  expectNothingInside(answer.status, text);
  const { data, errors } = JSON.parse(text);
  expect(data !== undefined || errors?.length > 0, text).toBe(true);
  if (data !== undefined) expect(faultsOf(schema, parse(query), data), text).toEqual([]);
  for (const { message, extensions } of errors ?? []) {
    expect(typeof message).toBe('string');
    expect(extensions.code, text).not.toMatch(/INTERNAL/);
  }
}

it.for(['query', 'mutation'] as const)(
  'whatever is asked by %s, nothing breaks and nothing of the inside is shown',
  { timeout },
  async (kind, { task }) => {
    const before = played;
    const { partnerId, holderDid, hashes, storedIds, statusListId, jobId } = world;
    const names = [
      partnerId,
      holderDid,
      ...hashes,
      ...storedIds,
      statusListId,
      jobId,
      'member',
      'club',
      '1',
      'holder@example.org',
    ];
    const isLogout = /\blogout\b/;
    const cases = operationsOf(kind, names).filter(({ query }) => !isLogout.test(query));
    await fc.assert(fc.asyncProperty(cases, play), runs);
    printTotal(
      task,
      `generated operations: ${played - before} of kind ${kind}, all answered by data that fits or a named error`,
    );
  },
);
