// The shape of one REST route. The server, the error paths (405, 404) and the OpenAPI document all derive from rows like this.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Caller, CredentialedKind, OperatorRole } from '../../base/callers/caller.js';
import type { PartnerOperation } from '../../base/callers/partner-operations.js';
import type { Reads } from '../../store/reads.js';
import type { Shape } from './shapes.js';

/** What a route returns: a plain object sent as JSON, unless `body` is a stream or text of `contentType`. */
export interface RouteAnswer {
  status?: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  contentType?: string;
}

/** A checked request: every part has passed its zod schema. */
export interface RouteInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  headers: Readonly<Record<string, string | undefined>>;
  caller: Caller;
  requestId: string;
  /** When the request arrived, milliseconds since the epoch. */
  now: number;
  /** The client's IP address, for limits. */
  address: string;
  /** Raw request stream, for routes with `rawBody` only. */
  stream?: Readable;
  /** For routes with `cacheable` only: the handler must record its dependencies here. */
  reads?: Reads;
}

/** The header fields that a route reads in addition to those that all routes read. */
export type HeaderName = 'idempotency-key' | 'if-match' | 'if-none-match' | 'last-event-id' | 'x-partner-id';

/**
 * One route. `auth` says who may call; 'public' ignores any token, unless the route reads it itself. `catalog: true` puts the answer into the contract's
 * envelope and closes the route where the catalog is off (contract §1, §2).
 */
export interface Route<P = unknown, Q = unknown, B = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Fastify path, from the root: `/v1/catalog/credentials/:id`. */
  path: string;
  summary: string;
  /** Who may call: anyone, or these kinds of callers. */
  auth: 'public' | CredentialedKind | readonly CredentialedKind[];
  /** Of a public route that reads credentials itself: who may call, for the OpenAPI document. */
  readsCredentials?: readonly (CredentialedKind | 'anyone')[];
  /** What a partner asks for; its token must have the operation's scope. */
  operation?: PartnerOperation;
  /** The least role of an operator's key. Default: `all` for what only operators write, else `read`. Services check it again. */
  role?: OperatorRole;
  catalog?: boolean;
  /** Whether the response may be cached: it is public, depends only on the catalog, and records its dependencies in `reads`. */
  cacheable?: boolean;
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  /** How the OpenAPI document describes a body that `body` cannot. */
  bodyAs?: z.ZodType;
  /** The body's member whose integers beyond 2^53 come as BigInts; elsewhere they are refused. */
  exactMember?: string;
  /** Header fields that the handler reads. */
  headers?: readonly HeaderName[];
  /** What it returns when it succeeds, by status; null: no body. Of a catalog route the envelope's `data`. */
  answers: Readonly<Record<number, Shape | z.ZodType | null>>;
  /** When it refuses, by status, in addition to what every route refuses (openapi/refusals.ts). */
  fails?: Readonly<Record<number, string>>;
  /** Bytes; default 256 KiB. */
  bodyLimit?: number;
  /** The handler reads `stream` itself (NDJSON import). */
  rawBody?: boolean;
  /** Media types of the answer; default application/json. Of a list, JSON is sent as the one that `Accept` prefers; 406 if it excludes all. */
  produces?: string | readonly string[];
  /** Points that it costs unless its response is cached (base/callers/points.ts); default 4 for a GET, 20 for other methods. */
  points?: number | ((input: RouteInput<P, Q, B>) => number);
  /** Seconds that the response may take longer than others. The request mostly waits, and holds up no other of its caller. */
  patience?: number;
  /** Handled at once and free of charge, however much its caller has used: for health checks. */
  neverWaits?: boolean;
  /** The response may never end, so HEAD does not run the handler. */
  endless?: boolean;
  handle(input: RouteInput<P, Q, B>): Promise<RouteAnswer>;
}

/** A route of any shape, as tables hold them. */
// biome-ignore lint/suspicious/noExplicitAny: the table mixes routes of different shapes; each handler is typed where it is made.
export type AnyRoute = Route<any, any, any>;

/** Ties the types of a route's schemas to its handler. */
export function route<P, Q, B>(definition: Route<P, Q, B>): AnyRoute {
  return definition;
}

/** The kinds of callers that a route is for; none of a public one. */
export const callersOf = ({ auth }: AnyRoute): readonly CredentialedKind[] =>
  auth === 'public' ? [] : typeof auth === 'string' ? [auth] : auth;

/** The least role of an operator's key for a route. */
export function roleOf({ auth, method, role }: AnyRoute): OperatorRole {
  return role ?? (auth === 'operator' && method !== 'GET' ? 'all' : 'read');
}
