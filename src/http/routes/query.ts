// Query parameters of a route. Links to public data often have added parameters, such as cache busters and campaign
// marks, so public GETs ignore unknown parameters. Elsewhere an unknown parameter may be a misspelt filter and is
// refused (contract §1).
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInput } from '../../base/input.js';
import type { AnyRoute } from './route.js';

const NO_QUERY = z.strictObject({});

/** The checked query parameters of a request. @throws DomainError BAD_USER_INPUT naming the first wrong one. */
export function queryOf(row: AnyRoute, request: FastifyRequest): unknown {
  const query = hasForeign(row, request) ? Object.fromEntries(ownParameters(row, request)) : request.query;
  return parseInput(row.query ?? NO_QUERY, query, 'query parameter');
}

/** The address of a request without ignored parameters, so that all such requests share one cached response. */
export function ownAddress(row: AnyRoute, request: FastifyRequest): string {
  if (!hasForeign(row, request)) return request.url;
  const [path] = request.url.split('?', 1);
  const pairs = ownParameters(row, request).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return `${path}?${new URLSearchParams(pairs)}`;
}

/** Whether a request has parameters that are ignored. */
function hasForeign(row: AnyRoute, { query }: FastifyRequest): boolean {
  if (row.auth !== 'public' || row.method !== 'GET') return false;
  const names = namesOf(row);
  return Object.keys(Object(query)).some((name) => !Object.hasOwn(names, name));
}

function ownParameters(row: AnyRoute, { query }: FastifyRequest): [string, unknown][] {
  const names = namesOf(row);
  return Object.entries(Object(query)).filter(([name]) => Object.hasOwn(names, name));
}

/** The parameters of a route, by name. */
function namesOf({ path, query = NO_QUERY }: AnyRoute): object {
  if (query instanceof z.ZodObject) return query.shape;
  throw new Error(`the query of ${path} must be an object of zod, so that its parameters are known`);
}
