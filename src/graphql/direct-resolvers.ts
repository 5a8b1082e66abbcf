// type-graphql copies arguments into class instances and checks them asynchronously: every field with arguments then waits for a promise.
// Our argument classes are plain shapes that graphql-js has already checked, so queries and relations call their methods directly.
import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { isObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import type { GatewayContext } from '../context.js';
import { type ArgumentsOf, GIVEN, type Variables } from './compiled-document.js';

type Resolve = GraphQLFieldResolver<unknown, GatewayContext>;
type Storage = ReturnType<typeof getMetadataStorage>;
type Handler = Storage['queries'][number] | Storage['fieldResolvers'][number];
type Param = NonNullable<Handler['params']>[number];
/** One parameter of a method, from what graphql-js gives a resolver. */
type Take = (source: unknown, args: Record<string, unknown>, context: GatewayContext) => unknown;

/** Replaces the resolvers of queries and of object fields that have a resolver class; mutations keep type-graphql's. */
export function callDirectly(schema: GraphQLSchema): void {
  const storage = getMetadataStorage();
  const instances = new Map<unknown, Record<string, (...values: unknown[]) => unknown>>();
  const instanceOf = ({ target }: Handler) => {
    const Class = target as new () => Record<string, (...values: unknown[]) => unknown>;
    const instance = instances.get(Class) ?? new Class();
    instances.set(Class, instance);
    return instance;
  };
  const query = schema.getQueryType()?.name ?? 'Query';
  for (const handler of storage.queries) replace(schema, query, handler, instanceOf);
  for (const handler of storage.fieldResolvers) {
    if (handler.kind === 'external') replace(schema, typeNameOf(storage, handler), handler, instanceOf);
  }
  takeCompiledArguments(schema);
}

function typeNameOf({ objectTypes }: Storage, { getObjectType }: Storage['fieldResolvers'][number]): string {
  const target = getObjectType?.();
  return objectTypes.find((type) => type.target === target)?.name ?? '';
}

function replace(
  schema: GraphQLSchema,
  typeName: string,
  handler: Handler,
  instanceOf: (handler: Handler) => Record<string, (...values: unknown[]) => unknown>,
): void {
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[handler.schemaName] : undefined;
  // A class that this schema does not use.
  if (!field) return;
  const takes = [...(handler.params ?? [])].sort((a, b) => a.index - b.index).map(takeOf);
  if (takes.some((take) => take === undefined) || handler.middlewares?.length || handler.roles) return;
  const instance = instanceOf(handler);
  const method = instance[handler.methodName]?.bind(instance);
  if (method) field.resolve = direct(method, takes as Take[]) as typeof field.resolve;
}

/** Spelled out for the usual numbers of parameters: building an array of them for each call costs more than the call. */
function direct(method: (...values: unknown[]) => unknown, [first, second, third, ...more]: Take[]): Resolve {
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

function takeOf(param: Param): Take | undefined {
  if (param.kind === 'args') return (_, args) => args;
  if (param.kind === 'arg') return (_, args) => args[param.name];
  if (param.kind === 'context' && param.propertyName === undefined) return (_source, _args, context) => context;
  if (param.kind === 'root' && param.propertyName === undefined) return (source) => source;
  return undefined;
}

/** Lets the resolvers of fields with arguments run in compiled operations, which do not make arguments themselves. */
function takeCompiledArguments(schema: GraphQLSchema): void {
  const mutation = schema.getMutationType();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type === mutation || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve, args } = field;
      if (!resolve || args.length === 0) continue;
      const taking: Resolve = (source, given, context, info) => {
        const { argumentsOf } = info as { argumentsOf?: ArgumentsOf };
        const made = argumentsOf ? argumentsOf(info.variableValues[GIVEN] as Variables) : given;
        return resolve(source, made, context, info);
      };
      field.resolve = taking as typeof resolve;
    }
  }
}
