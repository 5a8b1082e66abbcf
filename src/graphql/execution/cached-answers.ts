// The answer cache before GraphQL: anonymous reads of the catalog are answered by the text of their request, before Apollo hears of them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { after } from '../../base/maybe-promise.js';
import { answerOf, hasIt, isAnonymous, tag } from '../../http/cached-response.js';
import type { ResponseCache, ResponseFill } from '../../http/response-cache.js';
import type { Reads } from '../../store/reads.js';
import { rootFields } from '../documents/document-facts.js';
import { takesJson } from '../documents/request.js';

/** The part of a request's facts that is ours. */
export interface Filling {
  /** An answer that may be kept is being made. */
  fill?: ResponseFill;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

const fillingOf = (request: FastifyRequest): Filling | undefined => request.getDecorator<Filling | undefined>('facts');

/** A handler that gives kept answers, and lets the other one make those that are not there. */
export function giveKept(answers: ResponseCache | undefined, make: Handler): Handler {
  if (answers === undefined) return make;
  return (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return make(request, reply);
    return after(answerOf(answers, key), (found) => {
      if (!found) {
        const filling = fillingOf(request);
        if (filling) filling.fill = answers.begin(key);
        return make(request, reply);
      }
      tag(request, reply, found);
      if (hasIt(request, found)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(found.text);
    });
  };
}

/** `onSend`: keeps what was made, when it is whole. A client that has the very same from elsewhere is spared the body. */
export function keepSent(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const fill = fillingOf(request)?.fill;
  const kept = reply.statusCode === 200 && typeof payload === 'string' ? fill?.keep(payload) : undefined;
  if (kept) tag(request, reply, kept);
  else fill?.end();
  const known = kept !== undefined && hasIt(request, kept);
  if (known) void reply.code(304).removeHeader('content-length');
  done(null, known ? null : payload);
}

/** The request as the key of its answer; undefined when its answer is nobody else's business, or takes another form than JSON. */
function keyOf(request: FastifyRequest): string | undefined {
  if (!isAnonymous(request) || !takesJson(request)) return undefined;
  if (request.method === 'GET') return `GET ${request.url}`;
  const text = request.getDecorator<string | undefined>('bodyText');
  return text && `POST ${text}`;
}

/** Where an operation records what it reads; an answer that is not cacheable ends its filling. */
export function readsOf({ fill }: Filling, isCacheable: boolean): Reads | undefined {
  if (fill === undefined || isCacheable) return fill?.reads;
  fill.end();
  return undefined;
}

/** Whether an operation is a query of these root fields alone. */
export type IsCacheable = (document: DocumentNode, operationName?: string | null) => boolean;

/** Judges each operation of a document once. */
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
