// Routes of protocols that others specify (OpenID4VCI, OpenID4VP, OAuth), outside /v1: errors as `{error, error_description}` (RFC 6749 §5.2), bodies
// as forms or JSON, any `Accept`, any origin, nothing cached.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS } from '../../base/callers/caller.js';
import { ERRORS } from '../../base/errors.js';
import { chargeBody, chargeCaller, chargeOf, chargeResponse } from '../callers/charges.js';
import { addErrorHeaders, logError, requestError } from '../responses/errors.js';
import { checkResponseSize } from '../responses/response-bytes.js';
import type { RouteAnswer } from '../routes/route.js';
import { errorDescription, ProtocolError } from './protocol-error.js';

export interface ProtocolRequest {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  /** Members of a form or of a JSON object; unknown ones are for the route to ignore. */
  body: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string | undefined>>;
  method: string;
  /** The path as it was requested. */
  path: string;
  address: string;
  requestId: string;
}

export interface ProtocolRoute {
  method: 'GET' | 'POST';
  path: string;
  /** How many points it costs. */
  points: number;
  /** A page for people: pages of other origins may not read it. */
  isPage?: boolean;
  handle(request: ProtocolRequest): Promise<RouteAnswer>;
}

const BODY_LIMIT = 65_536;
const JSON_TYPE = 'application/json';
const METHODS = 'GET, HEAD, POST, OPTIONS';
const HEADERS = 'authorization, content-type, accept, dpop, oauth-client-attestation, oauth-client-attestation-pop';
const EXPOSED = 'www-authenticate, dpop-nonce, retry-after, x-request-id';

/** Registers the routes, and OPTIONS for each path. @param maxBytes of a response */
export function registerProtocolRoutes(app: FastifyInstance, routes: readonly ProtocolRoute[], maxBytes: number): void {
  void app.register(async (scope) => {
    readForms(scope);
    scope.setErrorHandler(sendFailure);
    for (const path of new Set(routes.map((row) => row.path))) {
      const methods = routes.filter((row) => row.path === path).map(({ method }) => method);
      scope.options(path, (_request, reply) => open(reply).code(204).send());
      app.paths.add(path, [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'], sendFailure);
    }
    for (const row of routes) {
      const { method, path: url, points } = row;
      const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        if (row.isPage !== true) open(reply);
        chargeCaller(request, ANONYMOUS);
        chargeOf(request).take(points);
        return send(await row.handle(inputOf(request)), reply, maxBytes);
      };
      scope.route({ method, url, bodyLimit: BODY_LIMIT, handler });
    }
  });
}

/** Pages of any origin may call, except those for people: no cookie is read, and every right is a token in the request. */
function open(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': HEADERS,
    'access-control-expose-headers': EXPOSED,
    'cache-control': 'no-store',
  });
}

/** Forms and JSON objects; whatever else is an invalid request. */
function readForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const parse = (request: FastifyRequest, bytes: Buffer, read: (text: string) => unknown): unknown => {
    chargeBody(request, bytes);
    return read(bytes.toString('utf8'));
  };
  scope.addContentTypeParser<Buffer>(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => parse(request, bytes, formOf),
  );
  scope.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    parse(request, bytes, jsonOf),
  );
}

/** @throws ProtocolError invalid_request when a member comes twice (RFC 6749 §3.2). */
function formOf(text: string): Record<string, string> {
  const members = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (members.has(name)) throw new ProtocolError('invalid_request', `"${name.slice(0, 100)}" comes twice.`);
    members.set(name, value);
  }
  return Object.fromEntries(members);
}

function jsonOf(text: string): Record<string, unknown> {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolError('invalid_request', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProtocolError('invalid_request', 'The body must be a JSON object.');
  return value as Record<string, unknown>;
}

const inputOf = (request: FastifyRequest): ProtocolRequest => ({
  params: request.params as Record<string, string>,
  query: request.query as Record<string, unknown>,
  body: (request.body ?? {}) as Record<string, unknown>,
  headers: request.headers as Record<string, string | undefined>,
  method: request.method,
  path: request.url.split('?')[0] ?? '',
  address: request.facts.address,
  requestId: request.id,
});

function send(
  { status = 200, headers = {}, contentType = JSON_TYPE, body }: RouteAnswer,
  reply: FastifyReply,
  maxBytes: number,
): FastifyReply {
  const text = contentType === JSON_TYPE && status !== 204 ? JSON.stringify(body) : body;
  if (typeof text === 'string') {
    checkResponseSize(text, maxBytes);
    chargeResponse(reply.request, Buffer.byteLength(text));
  }
  void reply.code(status).headers(headers);
  if (status === 204) return reply.send();
  return reply.type(contentType).send(text);
}

/** The codes of OAuth for refusals that the gateway as a whole makes. */
const OAUTH_CODES: Readonly<Record<string, string>> = {
  limit: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
};

const errorOf = (error: string, text: string): string =>
  JSON.stringify({ error, error_description: errorDescription(text) });

function sendFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  open(reply);
  if (thrown instanceof ProtocolError) {
    request.log.debug({ reqId: request.id, code: thrown.code }, thrown.logged);
    if (thrown.challenge !== undefined) void reply.header('www-authenticate', thrown.challenge);
    void reply.code(thrown.status).type(JSON_TYPE);
    return reply.send(errorOf(thrown.code, thrown.message));
  }
  const error = requestError(thrown);
  logError(request, error);
  addErrorHeaders(error, reply);
  const code = OAUTH_CODES[ERRORS[error.code].category] ?? 'invalid_request';
  void reply.code(error.status).type(JSON_TYPE);
  return reply.send(errorOf(code, error.message));
}
