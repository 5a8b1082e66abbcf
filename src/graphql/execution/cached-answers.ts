// The answer cache before GraphQL: anonymous reads of the catalog are answered by the text of their request, before Apollo hears of them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { after } from '../../base/maybe-promise.js';
import type { Reads } from '../../catalog/cache/reads.js';
import { CATALOG_FIELDS } from '../../compose/schema.js';
import { answerOf, hasIt, isAnonymous, tag } from '../../http/cached-response.js';
import type { AnswerCache, Fill } from '../../http/response-cache.js';
import { rootFields } from '../documents/document-facts.js';
import { takesJson } from '../documents/request.js';

/** The part of a request's facts that is ours. */
export interface Filling {
  /** An answer that may be kept is being made. */
  fill?: Fill;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** The search index does not say what an answer is made of. */
const KEPT_FIELDS = new Set(['__typename', ...CATALOG_FIELDS.filter((name) => name !== 'search')]);

const fillingOf = (request: FastifyRequest): Filling | undefined => request.getDecorator<Filling | undefined>('facts');

/** A handler that gives kept answers, and lets the other one make those that are not there. */
export function giveKept(answers: AnswerCache | undefined, make: Handler): Handler {
  if (answers === undefined) return make;
  return (request, reply) => {
    const key = keyOf(request);
    if (key === undefined) return make(request, reply);
    return after(answerOf(answers, key), (found) => {
      if (!found) {
        Object.assign(fillingOf(request) ?? {}, { fill: answers.begin(key) });
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

/** Where to write down what an operation reads; its answer is not kept when it reads more than the catalog. */
export function readsOf({ fill }: Filling, document: DocumentNode, operationName?: string | null): Reads | undefined {
  if (fill === undefined || isCatalogRead(document, operationName)) return fill?.reads;
  fill.end();
  return undefined;
}

const JUDGED = new WeakMap<DocumentNode, Map<string, boolean>>();

function isCatalogRead(document: DocumentNode, operationName?: string | null): boolean {
  const judged = JUDGED.get(document) ?? new Map<string, boolean>();
  JUDGED.set(document, judged);
  const known = judged.get(operationName ?? '');
  if (known !== undefined) return known;
  const operation = getOperationAST(document, operationName);
  const is =
    operation?.operation === OperationTypeNode.QUERY &&
    rootFields(document, operation).every((name) => KEPT_FIELDS.has(name));
  judged.set(operationName ?? '', is);
  return is;
}
