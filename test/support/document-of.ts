// Creates GraphQL documents from the schema that ask a root field for everything below it.
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

const SCALARS: Readonly<Record<string, unknown>> = {
  String: 'x',
  ID: 'x',
  Int: 1,
  SafeInt: 1,
  Float: 1,
  Boolean: false,
  JSON: {},
  DateTime: '2030-01-01T00:00:00Z',
};

/** The smallest value of an input type. */
export function inputOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return inputOf(type.ofType);
  if (isListType(type)) return [inputOf(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return SCALARS[type.name];
  const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
  return Object.fromEntries(required.map((field) => [field.name, inputOf(field.type)]));
}

/** Levels of objects below the root field. */
const DEPTH = 2;

/** All fields of a type that need no arguments. No object type is repeated below itself. */
function selectionOf(schema: GraphQLSchema, type: GraphQLOutputType, above: readonly string[], alias = ''): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (isAbstractType(named)) {
    // Interfaces and unions count as a level: a document with all of their types must stay within the limit.
    const below = [...above, named.name];
    const parts = schema
      .getPossibleTypes(named)
      .map((of) => `... on ${of.name} ${selectionOf(schema, of, below, `${of.name}_`)}`);
    return `{ __typename ${parts.join(' ')} }`;
  }
  if (!isObjectType(named) || above.length > DEPTH) return '{ __typename }';
  const fields = Object.values(named.getFields()).filter(
    (field) => !field.args.some((arg) => isNonNullType(arg.type)) && !above.includes(getNamedType(field.type).name),
  );
  const below = [...above, named.name];
  const texts = fields.map(
    ({ name, args, type: of }) =>
      `${alias === '' ? '' : `${alias}${name}: `}${name}${onlyOne(args)} ${selectionOf(schema, of, below)}`,
  );
  return `{ __typename ${texts.join(' ')} }`;
}

const onlyOne = (args: readonly GraphQLArgument[]): string =>
  args.some(({ name }) => name === 'first') ? '(first: 1)' : '';

/** One operation with one root field, and its variables: the required arguments, or those in `given`. */
export function documentOf(
  schema: GraphQLSchema,
  operation: 'query' | 'mutation' | 'subscription',
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): { query: string; variables: Record<string, unknown> } {
  const root = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  const field = root[operation]?.getFields()[name];
  if (!field) throw new Error(`there is no ${operation} ${name}`);
  const args = field.args.filter((arg) => isNonNullType(arg.type) || arg.name in given);
  const variables = Object.fromEntries(args.map((arg) => [arg.name, given[arg.name] ?? inputOf(arg.type)]));
  const declared = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const list = (text: string) => (text === '' ? '' : `(${text})`);
  return {
    query: `${operation} ${list(declared)} { ${name}${list(passed)} ${selectionOf(schema, field.type, [])} }`,
    variables,
  };
}
