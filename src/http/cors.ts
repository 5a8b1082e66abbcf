// CORS (contract §1): which browser pages may call. Preflights are answered for every origin that anybody allows; the real call is then
// judged by who makes it. Requests without an Origin header do not come from a page and pass.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../base/caller.js';
import { DomainError } from '../base/errors.js';

export interface OriginRules {
  /** CORS_ORIGINS, and our own by PUBLIC_URL: the address that a request came to is the client's to choose. */
  origins: readonly string[];
  /** Every partner's allowed origins together. */
  partnerOrigins(): Promise<ReadonlySet<string>>;
  /** One partner's. */
  originsOfPartner(partnerId: string): Promise<readonly string[]>;
}

const METHODS = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
const REQUEST_HEADERS =
  'content-type, accept, authorization, x-partner-auth, x-admin-api-key, idempotency-key, if-match, if-none-match, last-event-id, x-include, apollo-require-preflight, apollographql-client-name, apollographql-client-version';
const EXPOSED = 'etag, ratelimit, ratelimit-policy, retry-after, x-request-id';
const MAX_AGE_SECONDS = 600;

/** Whether pages of this origin (undefined: no page calls) may call for this caller; for whoever it may be when there is none yet. */
export async function originAllowed(rules: OriginRules, origin: string | undefined, caller?: Caller): Promise<boolean> {
  if (origin === undefined || rules.origins.includes(origin)) return true;
  if (caller?.kind === 'partner') return (await rules.originsOfPartner(caller.partnerId)).includes(origin);
  return (await rules.partnerOrigins()).has(origin);
}

/** Checks the origin of a call by its caller and says so to the browser. @throws DomainError FORBIDDEN. */
export async function checkOrigin(
  rules: OriginRules,
  request: FastifyRequest,
  reply: FastifyReply,
  caller?: Caller,
): Promise<void> {
  const { origin } = request.headers;
  void reply.header('vary', 'origin');
  if (origin === undefined) return;
  if (!(await originAllowed(rules, origin, caller))) {
    throw new DomainError(
      'FORBIDDEN',
      'Pages of this origin may not call the gateway; an operator can allow it by CORS_ORIGINS or the partner’s allowedOrigins.',
    );
  }
  void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
}

/** Answers OPTIONS: preflights, and with `allow` what the path has. */
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
