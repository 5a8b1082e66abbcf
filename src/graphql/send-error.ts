// The response of /graphql to a request that is refused before it runs.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { letPageRead } from '../http/callers/cors.js';
import { logError, requestError, addErrorHeaders } from '../http/responses/errors.js';
import { DocumentRefused } from './documents/documents.js';
import { ANSWER_TYPE_UTF8, GRAPHQL_ANSWER_TYPE, prefersGraphqlType } from './documents/request.js';
import { domainErrorOf, errorBody, formattedErrors } from './errors.js';

/** Codes of documents that do not parse or are not valid. */
const UNFIT_DOCUMENT: ReadonlySet<string> = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']);

/** Sends an error, in the form of GraphQL's responses. */
export function sendGraphqlError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Caches must not store this: the same GET may succeed tomorrow.
  void reply.header('cache-control', 'no-store');
  const refused = thrown instanceof DocumentRefused ? thrown.errors : undefined;
  const error = requestError(refused ? domainErrorOf(refused[0], refused[0]?.extensions.code) : thrown);
  logError(request, error);
  letPageRead(request, reply);
  addErrorHeaders(error, reply);
  const body = refused
    ? JSON.stringify({ errors: formattedErrors(refused, request.id) })
    : errorBody(error, request.id);
  request.facts.fill?.end();
  const isOwnType = prefersGraphqlType(request.headers.accept);
  // With application/json, a document that cannot run gets an ordinary response with status 200 (GraphQL over HTTP,
  // "application/json").
  const status = UNFIT_DOCUMENT.has(error.code) && !isOwnType ? 200 : error.status;
  return reply
    .code(status)
    .type(isOwnType ? `${GRAPHQL_ANSWER_TYPE}; charset=utf-8` : ANSWER_TYPE_UTF8)
    .send(body);
}
