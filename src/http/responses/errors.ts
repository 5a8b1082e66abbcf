// Every route reports failures in the same form: `{error, message}`, or problem+json if the client asks for that (contract §1).
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, ERRORS, toDomainError } from '../../base/errors.js';
import { prefers } from '../requests/accept.js';
import { addPointHeaders } from '../callers/charges.js';
import { letPageRead } from '../callers/cors.js';

/** The media type of RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json';
const JSON_TYPE = 'application/json';

/** Our errors by Fastify's codes. */
const FASTIFY_ERRORS: Readonly<Record<string, () => DomainError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new DomainError('PAYLOAD_TOO_LARGE', 'The body is larger than this route takes.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The content-type of the body is not one that this route reads; send application/json.',
    ),
  FST_ERR_CTP_EMPTY_JSON_BODY: () =>
    new DomainError('BAD_USER_INPUT', 'The body is empty; it must be a JSON document.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new DomainError('BAD_USER_INPUT', 'The body is not as long as content-length says.'),
  FST_ERR_BAD_URL: () => new DomainError('BAD_USER_INPUT', 'The path is not a valid URL path.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new DomainError('BAD_USER_INPUT', 'A part of the path is too long.'),
};

/** Any value thrown while a request is handled, as one of our errors. */
export function requestError(thrown: unknown): DomainError {
  const { code, statusCode } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
    code?: string;
    statusCode?: number;
  };
  const ownError = FASTIFY_ERRORS[String(code)];
  if (ownError) return ownError();
  // The JSON parser's SyntaxError, also for __proto__, has status 400 and no code of ours.
  if (!(thrown instanceof DomainError) && statusCode === 400)
    return new DomainError('BAD_USER_INPUT', 'The request could not be read.');
  return toDomainError(thrown);
}

/** Logs a failure with its cause, at the level of its row in the error table. */
export function logError(request: FastifyRequest, { code, logged, cause }: DomainError): void {
  request.log[ERRORS[code].level]({ reqId: request.id, code, ...(cause === undefined ? {} : { err: cause }) }, logged);
}

/** Sets the header fields of a failure. */
export function addErrorHeaders({ data: { retryAfter, allow, challenge } }: DomainError, reply: FastifyReply): void {
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  if (allow !== undefined) void reply.header('allow', allow.join(', '));
  if (challenge) void reply.header('www-authenticate', `Bearer realm="${challenge.realm}", error="${challenge.error}"`);
}

/** Sends a failure and logs it at the level of its row; the cause is only logged. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = requestError(thrown);
  logError(request, error);
  addPointHeaders(request, reply);
  letPageRead(request, reply);
  addErrorHeaders(error, reply);
  void reply.code(error.status);
  if (prefers(request.headers.accept, PROBLEM_TYPE, JSON_TYPE)) {
    const problem = {
      type: 'about:blank',
      title: STATUS_CODES[error.status],
      status: error.status,
      detail: error.message,
    };
    return reply.type(PROBLEM_TYPE).send(JSON.stringify(problem));
  }
  return reply
    .type(`${JSON_TYPE}; charset=utf-8`)
    .send(JSON.stringify({ error: error.status, message: error.message }));
}
