// The response cache in front of GraphQL: anonymous reads of the catalog are found by the text of their request, before Apollo runs.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { after } from '../../base/maybe-promise.js';
import { answerOf, hasIt, isAnonymous, tag } from '../../http/cached-response.js';
import type { ResponseCache, ResponseFill } from '../../http/response-cache.js';
import type { Reads } from '../../store/reads.js';
import { rootFields } from '../documents/document-facts.js';
import { takesJson } from '../documents/request.js';

/** The cache entry of a request, one of its facts. */
export interface Filling {
  /** Set while the response is computed, if it may be cached. */
  fill?: ResponseFill;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

const fillingOf = (request: FastifyRequest): Filling | undefined => request.getDecorator<Filling | undefined>('facts');

/** A handler that sends cached responses, and calls the other one on a miss. */
export function giveKept(answers: ResponseCache | undefined, make: Handler): Handler {
  if (answers === undefined) return make;
  return (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return make(request, reply);
    return after(answerOf(answers, key), (entry) => {
      if (!entry) {
        const filling = fillingOf(request);
        if (filling) filling.fill = answers.begin(key);
        return make(request, reply);
      }
      tag(request, reply, entry);
      if (hasIt(request, entry)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(entry.text);
    });
  };
}

/** `onSend`: stores a complete response. A client that already has the same one gets no body. */
export function keepSent(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const fill = fillingOf(request)?.fill;
  const entry = reply.statusCode === 200 && typeof payload === 'string' ? fill?.keep(payload) : undefined;
  if (entry) tag(request, reply, entry);
  else fill?.end();
  const notModified = entry !== undefined && hasIt(request, entry);
  if (notModified) void reply.code(304).removeHeader('content-length');
  done(null, notModified ? null : payload);
}

/** The request as a cache key; undefined when its response is private or is not JSON. */
function keyOf(request: FastifyRequest): string | undefined {
  if (!isAnonymous(request) || !takesJson(request)) return undefined;
  if (request.method === 'GET') return `GET ${request.url}`;
  const text = request.getDecorator<string | undefined>('bodyText');
  return text && `POST ${text}`;
}

/** The recorder for an operation's dependencies. An operation that is not cacheable cancels the fill. */
export function readsOf({ fill }: Filling, isCacheable: boolean): Reads | undefined {
  if (fill === undefined || isCacheable) return fill?.reads;
  fill.end();
  return undefined;
}

/** Whether an operation is a query of only these root fields. */
export type IsCacheable = (document: DocumentNode, operationName?: string | null) => boolean;

/** Checks each operation of a document once. */
export function cacheableBy(fields: ReadonlySet<string>): IsCacheable {
  const judgements = new WeakMap<DocumentNode, Map<string, boolean>>();
  return (document, operationName) => {
    const judged = judgements.get(document) ?? new Map<string, boolean>();
    judgements.set(document, judged);
    const name = operationName ?? '';
    const is = judged.get(name) ?? isQueryOf(fields, document, operationName);
    judged.set(name, is);
    return is;
  };
}

function isQueryOf(fields: ReadonlySet<string>, document: DocumentNode, operationName?: string | null): boolean {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return false;
  return rootFields(document, operation).every((field) => field === '__typename' || fields.has(field));
}
