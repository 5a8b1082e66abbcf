// The one executable schema, built from every domain's resolvers: Apollo, sockets and printing all use this object.
import 'reflect-metadata';
import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isAbstractType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { catalogClosed } from '../base/errors.js';
import { callDirectly } from '../graphql/execution/direct-resolvers.js';
import { DateTimeScalar } from '../graphql/shapes/scalars.js';
import { type GatewayContext, makeLoaders } from './context.js';
import { RESOLVERS, type ResolverClass } from './domains.js';

/** Root fields that close with the catalog (contract §2); its subscriptions refuse by themselves. */
export const CATALOG_FIELDS: readonly string[] = [
  'credential',
  'credentials',
  'issuer',
  'issuers',
  'node',
  'program',
  'programs',
  'schema',
  'schemas',
  'search',
  'verifier',
  'verifiers',
];

/** Root fields whose answers may be cached. The search index does not say what an answer is made of. */
export const CACHEABLE_FIELDS: ReadonlySet<string> = new Set(CATALOG_FIELDS.filter((name) => name !== 'search'));

/** type-graphql insists on one; our subscription fields have a `subscribe` each and never come here. */
const NO_PUB_SUB = {
  publish: () => {},
  subscribe: (): never => {
    throw new Error('subscription fields bring their own subscribe');
  },
};

/** Builds the schema; every call makes the same, but that a closed catalog refuses its root fields. */
export function buildGatewaySchema({ catalogEnabled = true } = {}): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: RESOLVERS.all as NonEmptyArray<ResolverClass>,
    orphanedTypes: [],
    scalarsMap: [{ type: Date, scalar: DateTimeScalar }],
    validate: false,
    pubSub: NO_PUB_SUB,
  });
  nameTypesSynchronously(schema);
  callDirectly(schema, RESOLVERS);
  runMutations(schema);
  describeInputs(schema);
  if (!catalogEnabled) closeCatalog(schema);
  return schema;
}

/** type-graphql resolves abstract types asynchronously; our objects carry their type's name. */
function nameTypesSynchronously(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) type.resolveType = (value: { __typename: string }) => value.__typename;
  }
}

/** Mutation fields run one after the other, each when it is its caller's turn: each must see what the one before it wrote. */
function runMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (!resolve) continue;
    const renewed: GraphQLFieldResolver<unknown, GatewayContext> = (source, args, context, info) => {
      context.loaders = makeLoaders(context.services, { ask: context.ask });
      const run = async () => resolve(source, args, context, info);
      return context.ask ? context.ask(run) : run();
    };
    field.resolve = renewed as typeof resolve;
  }
}

/** Every mutation takes one `input` (contract §11), which is described by its type; said once here and not at each. */
function describeInputs(schema: GraphQLSchema): void {
  for (const { args } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    for (const argument of args) argument.description ??= 'All that the mutation takes.';
  }
}

function closeCatalog(schema: GraphQLSchema): void {
  const fields = schema.getQueryType()?.getFields() ?? {};
  for (const name of CATALOG_FIELDS) {
    const field = fields[name];
    if (!field) throw new Error(`the catalog has no root field ${name}`);
    field.resolve = () => {
      throw catalogClosed();
    };
  }
}

/** The schema as text, sorted, as it is committed in schema.graphql. */
export function printGatewaySchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
