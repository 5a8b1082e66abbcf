// The one executable schema, built from every domain's resolvers: Apollo, sockets and printing all use this object.
import 'reflect-metadata';
import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isAbstractType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { buildSchemaSync, getMetadataStorage, type NonEmptyArray } from 'type-graphql';
import { catalogClosed } from '../base/errors.js';
import { callDirectly } from '../graphql/execution/direct-resolvers.js';
import { DateTimeScalar } from '../graphql/shapes/scalars.js';
import { type GatewayContext, makeLoaders } from './context.js';
import type { ResolverClass } from './domain.js';
import { RESOLVERS } from './domains.js';

/** Root fields that refuse calls if the catalog is closed (contract §2): those of `byLoaders`. Its subscriptions check that themselves. */
export const CATALOG_FIELDS: readonly string[] = getMetadataStorage()
  .queries.filter(({ target }) => RESOLVERS.byLoaders.some((byLoaders) => byLoaders === target))
  .map(({ schemaName }) => schemaName);

/** Root fields whose responses may be cached. Search is excluded: its index does not record dependencies. */
export const CACHEABLE_FIELDS: ReadonlySet<string> = new Set(CATALOG_FIELDS.filter((name) => name !== 'search'));

/** type-graphql requires one, but our subscription fields have their own `subscribe`, so it is never used. */
const NO_PUB_SUB = {
  publish: () => {},
  subscribe: (): never => {
    throw new Error('subscription fields bring their own subscribe');
  },
};

const schemas = new Map<boolean, GraphQLSchema>();

/** The schema of this process's gateways, built once: everything that differs between gateways is in the context. */
export function gatewaySchema(catalogEnabled: boolean): GraphQLSchema {
  const schema = schemas.get(catalogEnabled) ?? buildGatewaySchema({ catalogEnabled });
  schemas.set(catalogEnabled, schema);
  return schema;
}

/** Builds the schema. If the catalog is closed, its root fields refuse; otherwise every call builds the same schema. */
export function buildGatewaySchema({ catalogEnabled = true } = {}): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: RESOLVERS.all as NonEmptyArray<ResolverClass>,
    orphanedTypes: [],
    scalarsMap: [{ type: Date, scalar: DateTimeScalar }],
    validate: false,
    // type-graphql would run the introspection query at every start; test/graphql/schema.test.ts validates the schema.
    skipCheck: true,
    pubSub: NO_PUB_SUB,
  });
  nameTypesSynchronously(schema);
  callDirectly(schema, RESOLVERS);
  runMutations(schema);
  describeInputs(schema);
  describeRoots(schema);
  if (!catalogEnabled) closeCatalog(schema);
  return schema;
}

/** type-graphql resolves abstract types asynchronously; our objects contain their type's name. */
function nameTypesSynchronously(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) type.resolveType = (value: { __typename: string }) => value.__typename;
  }
}

/** Runs mutation fields in order, each with new loaders, because each must see what the previous one wrote. */
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

/** Describes the argument `input` of every mutation (contract §11) in one place; its type has the details. */
function describeInputs(schema: GraphQLSchema): void {
  for (const { args } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    for (const argument of args) argument.description ??= 'The arguments of the mutation.';
  }
}

/** type-graphql creates the root types, without descriptions. */
function describeRoots(schema: GraphQLSchema): void {
  const descriptions = {
    Query: 'What can be read.',
    Mutation: 'What can be changed. The fields of one operation run in order.',
    Subscription: 'Events, as they happen; an operation has one field.',
  };
  for (const [name, description] of Object.entries(descriptions)) {
    const root = schema.getType(name);
    if (root) root.description = description;
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
