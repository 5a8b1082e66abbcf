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
  /** Points for its work, beside those of the route. */
  points?: number;
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

/** Header fields that only some routes read. */
export type HeaderName = 'idempotency-key' | 'if-match' | 'if-none-match' | 'last-event-id' | 'x-partner-id';

/**
 * One route. `auth` says who may call; 'public' ignores any token, unless the route reads it itself. `catalog: true`
 * wraps the response in the contract's envelope, and closes the route if the catalog is off (contract §1, §2).
 */
export interface Route<P = unknown, Q = unknown, B = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Fastify path, from the root: `/v1/catalog/credentials/:id`. */
  path: string;
  summary: string;
  /** Who may call: anyone, or these kinds of callers. */
  auth: 'public' | CredentialedKind | readonly CredentialedKind[];
  /** For a public route that reads credentials itself: who may call, for the OpenAPI document. */
  readsCredentials?: readonly (CredentialedKind | 'anyone')[];
  /** The partner operation that the route is: a partner's token must have its scope. */
  operation?: PartnerOperation;
  /**
   * The least role of an operator's key. Default: `all` for writes that only operators make, otherwise `read`. Services
   * check it again.
   */
  role?: OperatorRole;
  catalog?: boolean;
  /** Whether the response may be cached: it is public, depends only on the catalog, and records its dependencies in `reads`. */
  cacheable?: boolean;
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  /** The schema of the body in the OpenAPI document, if `body` cannot be shown. */
  bodyAs?: z.ZodType;
  /** The member of the body whose integers beyond 2^53 are read as BigInts; elsewhere such integers are refused. */
  exactMember?: string;
  /** Header fields that the handler reads. */
  headers?: readonly HeaderName[];
  /** The response body by status of success; null: no body. For a catalog route, the envelope's `data`. */
  answers: Readonly<Record<number, Shape | z.ZodType | null>>;
  /** Descriptions of refusals by status, in addition to those of every route (openapi/refusals.ts). */
  fails?: Readonly<Record<number, string>>;
  /** Bytes; default 256 KiB. */
  bodyLimit?: number;
  /** The handler reads `stream` itself (NDJSON import). */
  rawBody?: boolean;
  /**
   * Media types of the response; default application/json. If there are several, JSON is sent with the one that
   * `Accept` prefers; 406 if it excludes all.
   */
  produces?: string | readonly string[];
  /** Its points unless the response is cached (base/callers/points.ts); default 4 for a GET, 20 for other methods. */
  points?: number | ((input: RouteInput<P, Q, B>) => number);
  /**
   * How many seconds longer than others the response may take. Such a request mostly waits, and does not delay other
   * requests of its caller.
   */
  patience?: number;
  /** Handled at once and free of charge, even if its caller has no points left: for health checks. */
  neverWaits?: boolean;
  /** The response may never end, so HEAD does not run the handler. */
  endless?: boolean;
  /** Pages of every origin may read it: a public route that sends signed documents. */
  anyOrigin?: boolean;
  handle(input: RouteInput<P, Q, B>): Promise<RouteAnswer>;
}

/** A route of any types, for tables. */
// biome-ignore lint/suspicious/noExplicitAny: the table mixes routes of different shapes; each handler is typed where it is made.
export type AnyRoute = Route<any, any, any>;

/** Ties the types of a route's schemas to its handler. */
export function route<P, Q, B>(definition: Route<P, Q, B>): AnyRoute {
  return definition;
}

/** The kinds of callers that a route is for; empty for a public route. */
export const callersOf = ({ auth }: AnyRoute): readonly CredentialedKind[] =>
  auth === 'public' ? [] : typeof auth === 'string' ? [auth] : auth;

/** The least role that an operator's key needs for a route. */
export function roleOf({ auth, method, role }: AnyRoute): OperatorRole {
  return role ?? (auth === 'operator' && method !== 'GET' ? 'all' : 'read');
}
