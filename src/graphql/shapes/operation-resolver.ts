// The fields of operations: a resolver class whose methods check the caller, then the input, and run the row.
import 'reflect-metadata';
import { Arg, Args, type ClassType, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import { z } from 'zod';
import { pageFirst } from '../../base/input.js';
import type { Caller } from '../../base/callers/caller.js';
import { requireCaller } from '../../base/callers/rights.js';
import { callersOf, type Listing, type Operation, permissionOf, roleOf } from '../../http/routes/operation.js';
import { argsType, type FieldType, fieldTypeOf, inputType, typeNameOf } from './from-zod.js';
import { parseArgs } from './parse-args.js';
import { connectionOf } from './relay.js';

type ResolverClass = new () => object;

interface Context {
  caller: Caller;
  address?: string;
  services: object;
}

/**
 * The resolver classes of a domain's operations. Create them when a module is loaded, because that also creates their
 * types.
 */
export function operationResolvers(operations: readonly Operation[]): ResolverClass[] {
  class Operations {}
  const pages = operations.flatMap((operation) => addField(Operations.prototype, operation));
  Resolver()(Operations);
  return [Operations, ...pages];
}

/** Adds the method of an operation. @returns the resolver classes that its type needs */
function addField(methods: object, operation: Operation): ResolverClass[] {
  const { kind, name, description, graphql: { extensions, argument } = {} } = operation;
  const { field, needs } = returnTypeOf(operation);
  const schema = inputOf(operation);
  const value = schema
    ? (args: unknown, context: Context) => run(operation, schema, args, context)
    : (context: Context) => run(operation, undefined, {}, context);
  const descriptor = { value, configurable: true, writable: true };
  Object.defineProperty(methods, name, descriptor);
  const isOneArgument = kind === 'mutation' || argument !== undefined;
  if (schema && !isOneArgument) {
    const Arguments = argsType(schema);
    Args(() => Arguments)(methods, name, 0);
  }
  if (schema && isOneArgument) {
    const Input = inputType(schema);
    Arg('input', () => Input, argument === undefined ? {} : { description: argument })(methods, name, 0);
  }
  Ctx()(methods, name, schema ? 1 : 0);
  if (extensions) Extensions({ ...extensions })(methods, name, descriptor);
  const { type, ...nullable } = field;
  const decorate = kind === 'query' ? Query : Mutation;
  decorate(() => type, { description, ...nullable })(methods, name, descriptor);
  return needs;
}

async function run(operation: Operation, schema: z.ZodObject | undefined, args: unknown, context: Context) {
  const { listing, graphql } = operation;
  const { caller, services, address } = context;
  requireCaller(caller, {
    kinds: callersOf(operation),
    permission: permissionOf(operation),
    role: roleOf(operation),
  });
  const input = schema ? pageOf(parseArgs(schema, args), listing) : {};
  const output = await operation.run(services, { caller, input, address });
  return graphql?.show ? graphql.show(output, input) : output;
}

/** The members of its input, and those that choose a page. */
function inputOf({ input, listing }: Operation): z.ZodObject | undefined {
  return listing ? (input ?? z.strictObject({})).extend(pageMembers(listing)) : input;
}

/** The arguments that choose a page. */
export function pageMembers({ most, size, cursorLength = 200 }: Omit<Listing, 'what'>) {
  const first = pageFirst({ usual: size, most });
  const after = z.string().min(1).max(cursorLength).optional().describe('Only entries after this cursor.');
  return { first, after };
}

/** The input, whose page is chosen by `first` in GraphQL. */
function pageOf(input: Record<string, unknown>, listing: Listing | undefined): Record<string, unknown> {
  const { first: limit, ...others } = input;
  return listing ? { ...others, limit } : input;
}

/** What its field returns, and the resolver classes that this type needs. */
function returnTypeOf({ name, output, listing, graphql }: Operation): { field: FieldType; needs: ResolverClass[] } {
  const returned = graphql?.payload ?? output;
  if (returned === undefined) throw new Error(`the operation ${name} needs an output, or a payload in GraphQL`);
  const field = fieldTypeOf(returned, 'object');
  if (!listing) return { field, needs: [] };
  const { Connection, ConnectionResolver } = connectionOf(
    typeNameOf(returned),
    listing.what,
    () => field.type as ClassType,
  );
  return { field: { type: Connection }, needs: [ConnectionResolver] };
}
