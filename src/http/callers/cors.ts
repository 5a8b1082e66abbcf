// CORS (contract §1): which browser pages may call. Preflights succeed for every origin that anybody allows; the request itself is then
// checked for its caller. Requests without an Origin header do not come from a page and pass.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';

export interface OriginRules {
  /** CORS_ORIGINS and the origin of PUBLIC_URL. The request's own host does not count: the client chooses it. */
  origins: readonly string[];
  /** Whether an origin is one of pages on this machine that may call. */
  isLocal(origin: string): boolean;
  /** The allowed origins of all partners together. */
  partnerOrigins(): Promise<ReadonlySet<string>>;
  /** The allowed origins of one partner. */
  originsOfPartner(partnerId: string): Promise<readonly string[]>;
}

const METHODS = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
const REQUEST_HEADERS = [
  'content-type, accept, authorization, x-partner-auth, x-admin-api-key, idempotency-key',
  'if-match, if-none-match, cache-control, last-event-id, x-include, x-requested-with',
  'apollo-require-preflight, apollographql-client-name, apollographql-client-version, x-apollo-operation-name',
  // Traces: W3C Trace Context and Baggage, and Sentry's own.
  'traceparent, tracestate, baggage, sentry-trace',
].join(', ');
const EXPOSED = 'etag, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id, x-gateway-version';
const MAX_AGE_SECONDS = 600;

/**
 * Whether pages of this origin may call as this caller. Without an origin, the request does not come from a page.
 * Without a caller, it is enough if some caller may.
 */
export async function originAllowed(rules: OriginRules, origin: string | undefined, caller?: Caller): Promise<boolean> {
  if (origin === undefined || rules.origins.includes(origin) || rules.isLocal(origin)) return true;
  if (caller?.kind === 'partner') return (await rules.originsOfPartner(caller.partnerId)).includes(origin);
  return (await rules.partnerOrigins()).has(origin);
}

/** Checks a request's origin for its caller and sets the CORS headers. @throws DomainError FORBIDDEN. */
export async function checkOrigin(
  rules: OriginRules,
  request: FastifyRequest,
  reply: FastifyReply,
  caller?: Caller,
): Promise<void> {
  const { origin } = request.headers;
  void reply.header('vary', 'origin');
  if (origin !== undefined && !(await originAllowed(rules, origin, caller))) {
    throw new DomainError(
      'FORBIDDEN',
      'Pages of this origin may not call the gateway; an operator can allow it by CORS_ORIGINS or the partner’s allowedOrigins.',
    );
  }
  letPageRead(request, reply);
}

/**
 * Lets the page that called read the response. Pages of every origin may read refusals: without these headers a browser
 * shows only "blocked by CORS policy", and a refusal contains nothing but its sentence.
 */
export function letPageRead({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  if (origin === undefined) return;
  if (!reply.hasHeader('vary')) void reply.header('vary', 'origin');
  void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
}

/** Whether a request is a CORS preflight (Fetch, "CORS-preflight request"). */
export const isPreflight = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** Responds to OPTIONS: to preflights and, with `allow`, with the methods of the path. */
export function preflight(rules: OriginRules, allow?: readonly string[]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    await checkOrigin(rules, request, reply);
    if (allow !== undefined) void reply.header('allow', allow.join(', '));
    return reply
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': MAX_AGE_SECONDS,
      })
      .code(204)
      .send();
  };
}
