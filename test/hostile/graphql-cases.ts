// GraphQL operations generated from the schema: valid ones with ids of existing records, others with wrong values, and broken texts.
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
} from 'graphql';
import { CALLERS, type CallerName } from '../contract/rights-world.js';
import { type Draw, type Shape, valuesOf } from './values.js';

/** An operation in which references to records of the world still have to be replaced. */
export interface GraphqlCase {
  caller: CallerName;
  query: string;
  variables: Record<string, unknown>;
}

const MAX_DEPTH = 5;

const SCALARS: Readonly<Record<string, Shape>> = {
  Int: { type: 'integer', minimum: 1, maximum: 50 },
  SafeInt: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
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

/** The schema to generate from, and how values are drawn. */
interface Drawing extends Draw {
  schema: GraphQLSchema;
}

/** In GraphQL, arguments with these names are days; elsewhere they are enums. */
const nounOf = (name: string): string => ({ from: 'firstDay', to: 'lastDay' })[name] ?? name;

/** A counter, so that variables and aliases within an operation have different names. */
let number = 0;

function argumentOf({ name, type }: GraphQLArgument, drawing: Drawing, field: string): fc.Arbitrary<Part> {
  return valuesOf(shapeOf(type), drawing, name === 'id' ? `${field}Id` : nounOf(name)).map((value) => {
    const variable = `v${++number}`;
    return { text: `${name}: $${variable}`, variables: [{ name: variable, type: String(type), value }] };
  });
}

function fieldOf(field: GraphQLField<unknown, unknown>, drawing: Drawing, depth: number): fc.Arbitrary<Part> {
  const draw = (arg: GraphQLArgument) => argumentOf(arg, drawing, field.name);
  const needed = fc.tuple(...field.args.filter(({ type }) => isNonNullType(type)).map(draw));
  const others = field.args.filter(({ type }) => !isNonNullType(type));
  const chosen = fc
    .subarray(others, { maxLength: Math.min(2, others.length) })
    .chain((args) => fc.tuple(...args.map(draw)));
  const selection = isLeafType(getNamedType(field.type))
    ? fc.constant<Part>({ text: '', variables: [] })
    : selectionOf(field.type, drawing, depth + 1);
  return fc.tuple(needed, chosen, selection).map(([first, second, inner]) => {
    const args = [...first, ...second];
    const text = args.length > 0 ? `(${args.map(({ text: one }) => one).join(', ')})` : '';
    return {
      text: `a${++number}: ${field.name}${text} ${inner.text}`,
      variables: [...args, inner].flatMap(({ variables }) => variables),
    };
  });
}

function selectionOf(type: GraphQLOutputType, drawing: Drawing, depth: number): fc.Arbitrary<Part> {
  const named = getNamedType(type);
  if (isUnionType(named) || isInterfaceType(named)) {
    const possible = drawing.schema.getPossibleTypes(named);
    return fc.constantFrom(...possible).chain((one) =>
      selectionOf(one, drawing, depth).map(({ text, variables }) => ({
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
    .chain((chosen) => fc.tuple(...chosen.map((field) => fieldOf(field, drawing, depth))))
    .map((parts) => ({
      text: `{ ${parts.map(({ text }) => text).join(' ')} }`,
      variables: parts.flatMap(({ variables }) => variables),
    }));
}

/** All callers; those that own records are drawn more often. */
const OFTEN: readonly CallerName[] = ['issue', 'verify', 'holder', 'operator'];
const callers = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...OFTEN) },
  { weight: 1, arbitrary: fc.constantFrom(...CALLERS) },
);

/** Operations of one kind, for example all queries. */
export function graphqlCases(schema: GraphQLSchema, kind: 'query' | 'mutation'): fc.Arbitrary<GraphqlCase> {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  if (!root) throw new Error(`no ${kind}`);
  const drawn = (slips: boolean) => selectionOf(root, { schema, slips, nounOf }, 0);
  const operation = fc
    .oneof({ weight: 3, arbitrary: drawn(false) }, { weight: 1, arbitrary: drawn(true) })
    .map(({ text, variables }) => {
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
    .tuple(callers, fc.oneof({ weight: 7, arbitrary: operation }, { weight: 1, arbitrary: broken }))
    .map(([caller, asked]) => ({ caller, ...asked }));
}
