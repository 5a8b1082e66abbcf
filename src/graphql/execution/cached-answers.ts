// The response cache in front of GraphQL: anonymous reads of the catalog are found by the text of their request, before Apollo runs.
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { getOperationAST, OperationTypeNode } from 'graphql';
import { after } from '../../base/concurrency/maybe-promise.js';
import { hasIt, isAnonymous, tag } from '../../http/cache/cached-response.js';
import { acceptsPlainJson } from '../../http/requests/accept.js';
import type { ResponseCache, ResponseFill } from '../../http/cache/response-cache.js';
import type { Reads } from '../../store/reads.js';
import type { AcceptedOperations } from '../documents/accepted-operations.js';
import type { PreparedDocument } from '../documents/prepared-document.js';

type RequestHandler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** A handler that sends cached responses. On a miss it calls the other handler. */
export function sendCached(answers: ResponseCache | undefined, handle: RequestHandler): RequestHandler {
  if (answers === undefined) return handle;
  return (request, reply) => {
    const key = keyOf(request);
    if (key === undefined || request.facts.graphql?.running) return handle(request, reply);
    const { cached = answers.find(key) } = request.facts;
    return after(cached ?? answers.join(key), (entry) => {
      if (!entry) {
        request.facts.fill = answers.begin(key);
        return handle(request, reply);
      }
      tag(request, reply, entry);
      if (hasIt(request, entry)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(entry.body);
    });
  };
}

/** Parsed bodies by their text, so that a request with a cached response is not parsed again. */
export function bodiesOf(
  answers: ResponseCache | undefined,
  accepted: AcceptedOperations,
): FastifyContextConfig['bodies'] {
  if (answers === undefined) return accepted;
  return {
    bodyOf: (text, request) => {
      const key = keyOf(request);
      if (key !== undefined && !request.facts.graphql?.running) request.facts.cached = answers.find(key) ?? null;
      return request.facts.cached ? UNREAD : accepted.bodyOf(text);
    },
  };
}

const UNREAD = Object.freeze({});

/** `onSend`: stores a complete response. A client that already has the same response gets no body. */
export function storeSent(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const { fill } = request.facts;
  const entry = reply.statusCode === 200 && typeof payload === 'string' ? fill?.keep(payload) : undefined;
  if (entry) tag(request, reply, entry);
  else fill?.end();
  const notModified = entry !== undefined && hasIt(request, entry);
  if (notModified) void reply.code(304).removeHeader('content-length');
  done(null, notModified ? null : payload);
}

/** The request as a cache key; undefined when its response is private or is not JSON. */
function keyOf(request: FastifyRequest): string | undefined {
  if (!isAnonymous(request) || !acceptsPlainJson(request)) return undefined;
  if (request.method !== 'POST') return `GET ${request.url}`;
  const { bodyText } = request.facts;
  // The text is the key itself, because its hash is computed once. Keys of other requests begin with other characters.
  return bodyText?.startsWith('{') ? bodyText : undefined;
}

/** The recorder for an operation's dependencies. The fill of an operation that is not cacheable ends here. */
export function recorderOf(fill: ResponseFill | undefined, isCacheable: () => boolean): Reads | undefined {
  if (fill === undefined || isCacheable()) return fill?.reads;
  fill.end();
  return undefined;
}

/** Whether an operation is a query of only these root fields. */
export function isQueryOf(
  fields: ReadonlySet<string>,
  prepared: PreparedDocument,
  operationName?: string | null,
): boolean {
  const operation = prepared.document && getOperationAST(prepared.document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return false;
  return prepared.rootFields(operation).every((field) => field === '__typename' || fields.has(field));
}
