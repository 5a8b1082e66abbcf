// The routes of operations: maps the parts of a request to the input's members, and the output to a response.
import { z } from 'zod';
import { wholeNumber } from '../../base/input.js';
import { callersOf, type Operation, permissionOf, roleOf } from './operation.js';
import { type AnyRoute, type HeaderName, type RouteAnswer, type RouteInput, route } from './route.js';
import { cursorPage, itemsOf } from './shapes.js';

type Request = RouteInput<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, unknown>;
type Parts = Pick<AnyRoute, 'params' | 'query' | 'body' | 'bodyAs' | 'headers'> & { input(request: Request): unknown };

/** The routes of the operations that have one. */
export const operationRoutes = <S>(operations: readonly Operation[], services: S): AnyRoute[] =>
  operations.filter(hasRoute).map((operation) => routeOf(operation, services));

type WithRoute = Operation & Required<Pick<Operation, 'rest'>>;
const hasRoute = (operation: Operation): operation is WithRoute => operation.rest !== undefined;

function routeOf<S>(operation: WithRoute, services: S): AnyRoute {
  const { rest, points, patience } = operation;
  const permission = permissionOf(operation);
  const { members: _members, headers: _headers, request: _request, status: _status, respond: _respond, ...row } = rest;
  const [kind = 'public', ...others] = callersOf(operation);
  const { input, ...parts } = partsOf(operation);
  return route({
    answers: { [statusOf(operation)]: bodyOf(operation) },
    ...row,
    ...parts,
    auth: others.length === 0 ? kind : callersOf(operation),
    role: roleOf(operation),
    ...(permission === undefined ? {} : { operation: permission }),
    ...(points === undefined ? {} : { points }),
    ...(patience === undefined ? {} : { patience }),
    async handle(request: Request) {
      const given = input(request);
      const { caller, address } = request;
      return answerOf(operation, await operation.run(services, { caller, input: given, address }), given);
    },
  });
}

const statusOf = ({ rest, output }: WithRoute): number => rest.status ?? (output === undefined ? 204 : 200);

/** The schema of its response's body. */
function bodyOf({ output, listing }: Operation): AnyRoute['answers'][number] {
  if (output === undefined) return null;
  if (listing) return cursorPage(output);
  return output instanceof z.ZodArray ? itemsOf(output.element as z.ZodType) : output;
}

function answerOf(operation: WithRoute, output: unknown, input: unknown): RouteAnswer {
  const status = statusOf(operation);
  if (operation.rest.respond) return { status, ...operation.rest.respond(output, input) };
  if (operation.listing) return { status, body: pageOf(output as Page) };
  return { status, body: Array.isArray(output) ? { items: output } : output };
}

interface Page {
  nodes: readonly unknown[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

const pageOf = ({ nodes: items, pageInfo: { hasNextPage: hasMore, endCursor } }: Page) => ({
  items,
  hasMore,
  ...(hasMore ? { nextCursor: endCursor } : {}),
});

/** The schemas of a request's parts, and the function that makes the input from these parts. */
function partsOf({ rest, input = z.strictObject({}), listing }: WithRoute): Parts {
  const { method, path, members = {}, headers = {}, request } = rest;
  if (request) return request;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, members[name] ?? name] as const);
  const inHeaders = Object.entries(headers) as [HeaderName, string][];
  const others = without(
    input,
    [...inPath, ...inHeaders].map(([, member]) => member),
  );
  const rests = listing ? others.extend(pageQuery(listing)) : others;
  const part = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
  const params = inPath.map(([name, member]) => [name, input.shape[member]] as const);
  return {
    ...(params.length === 0 ? {} : { params: z.object(Object.fromEntries(params)) }),
    ...(inHeaders.length === 0 ? {} : { headers: inHeaders.map(([name]) => name) }),
    ...(Object.keys(rests.shape).length === 0 ? {} : { [part]: rests }),
    input: (given) => ({
      ...Object(given[part]),
      ...Object.fromEntries(inPath.map(([name, member]) => [member, given.params[name]])),
      ...Object.fromEntries(inHeaders.map(([name, member]) => [member, given.headers[name]])),
    }),
  };
}

/** The schema without some members. Without members to remove, the schema itself with its refinements. */
function without(schema: z.ZodObject, members: readonly string[]): z.ZodObject {
  if (members.length === 0) return schema;
  // zod's type of a mask wants names that are known before the program runs.
  return schema.omit(Object.fromEntries(members.map((member) => [member, true])) as never);
}

const pageQuery = ({ most, size, cursorLength = 200 }: NonNullable<Operation['listing']>) => ({
  after: z.string().min(1).max(cursorLength).optional(),
  limit: wholeNumber(1, most).default(size),
});
