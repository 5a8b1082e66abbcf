// type-graphql copies arguments into class instances and checks them asynchronously, so every field with arguments waits for a promise.
// Our argument classes are plain shapes that graphql-js has already checked: queries and relations call their methods directly.
import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { isObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import type { GatewayContext } from '../../compose/context.js';
import { sizeFor } from './response-size.js';
import { entriesFor } from './failed-entries.js';

interface Classes {
  cacheable: readonly object[];
  byLoaders: readonly object[];
}

type Resolve = GraphQLFieldResolver<unknown, GatewayContext>;
type ResolverMethod = (...values: unknown[]) => unknown;
type Storage = ReturnType<typeof getMetadataStorage>;
type Handler = Storage['queries'][number] | Storage['fieldResolvers'][number];
type Param = NonNullable<Handler['params']>[number];
/** Picks one parameter of a method from the arguments that graphql-js passes to a resolver. */
type Take = (source: unknown, args: Record<string, unknown>, context: GatewayContext) => unknown;

/**
 * Replaces the resolvers of queries and of object fields that have a resolver class; mutations keep type-graphql's.
 * `cacheable`: classes whose methods return the same for every caller until the rows that they read change.
 * `byLoaders`: classes that read the store only through loaders, whose commands queue by themselves; methods of all
 * other classes are queued before they are called. Methods of both get a context that has no more than that
 * (`ReadContexts` in compose/context.ts).
 */
export function callDirectly(schema: GraphQLSchema, { cacheable, byLoaders }: Classes): void {
  const storage = getMetadataStorage();
  const instances = new Map<unknown, Record<string, ResolverMethod>>();
  const instanceOf = ({ target }: Handler) => {
    const Class = target as new () => Record<string, ResolverMethod>;
    const instance = instances.get(Class) ?? new Class();
    instances.set(Class, instance);
    return instance;
  };
  const query = schema.getQueryType()?.name ?? 'Query';
  const replaceOne = (typeName: string, handler: Handler) =>
    replace(schema, typeName, handler, instanceOf, readsOf(handler, { cacheable, byLoaders }));
  for (const handler of storage.queries) replaceOne(query, handler);
  for (const handler of storage.fieldResolvers) {
    if (handler.kind === 'external') replaceOne(typeNameOf(storage, handler), handler);
  }
}

/** What the methods of a class may use: rows of the catalog; loaders; everything. */
type Reading = 'cacheable' | 'byLoaders' | 'any';

function readsOf({ target }: Handler, { cacheable, byLoaders }: Classes): Reading {
  if (cacheable.includes(target)) return 'cacheable';
  return byLoaders.includes(target) ? 'byLoaders' : 'any';
}

/** The context for the methods of a class. */
const CONTEXTS: Readonly<Record<Reading, Take>> = {
  cacheable: (_source, _args, { loaders }) => loaders.contexts.cacheable,
  byLoaders: (_source, _args, { loaders }) => loaders.contexts.byLoaders,
  any: (_source, _args, context) => context,
};

function typeNameOf({ objectTypes }: Storage, { getObjectType }: Storage['fieldResolvers'][number]): string {
  const target = getObjectType?.();
  return objectTypes.find((type) => type.target === target)?.name ?? '';
}

function replace(
  schema: GraphQLSchema,
  typeName: string,
  handler: Handler,
  instanceOf: (handler: Handler) => Record<string, ResolverMethod>,
  reading: Reading,
): void {
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[handler.schemaName] : undefined;
  // The class is not used in this schema.
  if (!field) return;
  const takes = [...(handler.params ?? [])].sort((a, b) => a.index - b.index).map((param) => takeOf(param, reading));
  if (takes.some((take) => take === undefined) || handler.middlewares?.length || handler.roles) return;
  const instance = instanceOf(handler);
  const method = instance[handler.methodName]?.bind(instance);
  if (!method) return;
  const call = spelledOut(method, takes as Take[]);
  field.resolve = direct(reading === 'any' ? inTurn(call) : call, reading === 'cacheable') as typeof field.resolve;
}

/** The call, queued until its caller may send commands to the store. */
function inTurn(call: Take): Take {
  return (source, args, context) =>
    context.ask ? context.ask(async () => call(source, args, context)) : call(source, args, context);
}

/** The direct call of each resolver that is made here. */
const CALLS = new WeakMap<object, DirectCall>();

interface DirectCall {
  /** Returns the method's result unchanged: not a promise if nothing had to be awaited. */
  call: Take;
  /** Whether the result is the same for every caller until the catalog changes. */
  cacheable: boolean;
}

/** The direct call of a resolver that was made here. */
export function directCall(resolve: object): DirectCall | undefined {
  return CALLS.get(resolve);
}

/**
 * A resolver that calls a method. It always returns a promise: graphql-js drops the promises of a list when a later entry throws, and a
 * dropped promise that is rejected ends the process.
 */
function direct(call: Take, cacheable: boolean): Resolve {
  const resolve: Resolve = async (source, args, context, info) => {
    entriesFor(context)?.add(source, info);
    const value = await call(source, args, context);
    return sizeFor(context)?.counted(value, info) ?? value;
  };
  CALLS.set(resolve, { call, cacheable });
  return resolve;
}

/** Specialised for the usual numbers of parameters: creating an array for each call costs more than the call. */
function spelledOut(method: ResolverMethod, [first, second, third, ...more]: Take[]): Take {
  if (!first) return () => method();
  if (!second) return (source, args, context) => method(first(source, args, context));
  if (!third) return (source, args, context) => method(first(source, args, context), second(source, args, context));
  return (source, args, context) =>
    method(
      first(source, args, context),
      second(source, args, context),
      third(source, args, context),
      ...more.map((take) => take(source, args, context)),
    );
}

function takeOf(param: Param, reading: Reading): Take | undefined {
  if (param.kind === 'args') return (_, args) => args;
  if (param.kind === 'arg') return (_, args) => args[param.name];
  if (param.kind === 'context' && param.propertyName === undefined) return CONTEXTS[reading];
  if (param.kind === 'root' && param.propertyName === undefined) return (source) => source;
  return undefined;
}
