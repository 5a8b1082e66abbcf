// GraphQL's view of the error table: every error gets a code, a category and an HTTP status, and no internal details.
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { DomainError, ERRORS, type ErrorCode, toDomainError } from '../base/errors.js';
import { MAX_TOKENS } from './documents/limits.js';
import { refusalOf } from './messages.js';

/** Our error codes by Apollo's. */
const APOLLO_CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'GRAPHQL_PARSE_FAILED',
  GRAPHQL_VALIDATION_FAILED: 'GRAPHQL_VALIDATION_FAILED',
  BAD_USER_INPUT: 'BAD_USER_INPUT',
  BAD_REQUEST: 'BAD_USER_INPUT',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
};

/** The error's DomainError: the resolver's own, or graphql's refusal of the document or its variables. */
export function domainErrorOf(error: unknown, code?: unknown): DomainError {
  const original = unwrapResolverError(error);
  if (!(original instanceof GraphQLError)) return toDomainError(original);
  if (isOutputFailure(error, original)) return toDomainError(original);
  if (original.originalError instanceof DomainError) return original.originalError;
  // graphql-js has no code for this error, only a message.
  if (original.message.includes('Parsing aborted'))
    return new DomainError('QUERY_TOO_LARGE', `The document has more than ${MAX_TOKENS} tokens.`);
  // The only refusal for which Apollo sets a status: a mutation by GET.
  if ((original.extensions.http as { status?: number } | undefined)?.status === 405)
    return new DomainError('METHOD_NOT_ALLOWED', original.message);
  const ownCode = APOLLO_CODES[String(code)] ?? (isInputRefusal(original) ? 'BAD_USER_INPUT' : undefined);
  if (ownCode === undefined) return toDomainError(original);
  const { message, field } = refusalOf(original);
  return new DomainError(ownCode, message, field ? { field } : {});
}

/**
 * Whether a resolver returned a value that its scalar cannot serialise. Literals of arguments fail in the same way, but
 * these errors have nodes.
 */
function isOutputFailure(error: unknown, original: GraphQLError): boolean {
  return (
    error instanceof GraphQLError && error !== original && error.path !== undefined && original.nodes === undefined
  );
}

/** Whether graphql-js refused a variable, or a scalar's literal: that happens before any resolver runs. */
function isInputRefusal({ nodes, path, originalError }: GraphQLError): boolean {
  const node = nodes?.[0];
  if (node?.kind === Kind.VARIABLE_DEFINITION) return true;
  return originalError === undefined && path === undefined;
}

/** The extensions of an error (contract §11); the request's id is added where it is available. */
export function extensionsOf({ code, data }: DomainError): Record<string, unknown> {
  const { category, status } = ERRORS[code];
  return {
    code,
    category,
    httpStatus: status,
    ...(data.field === undefined ? {} : { field: data.field }),
    ...(data.retryAfter === undefined ? {} : { retryAfter: data.retryAfter }),
    ...(data.oldest === undefined ? {} : { oldest: data.oldest }),
  };
}

/** Apollo's `formatError`. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const domainError = domainErrorOf(error, formatted.extensions?.code);
  const { locations, path } = formatted;
  const entry = formatted.extensions?.entry;
  return {
    message: domainError.message,
    ...(locations ? { locations } : {}),
    ...(path ? { path } : {}),
    extensions: { ...extensionsOf(domainError), ...(entry === undefined ? {} : { entry }) },
  };
}

/** Errors as clients see them over HTTP (contract §11), with the request's id. */
export function formattedErrors(errors: readonly GraphQLError[], requestId: string): GraphQLFormattedError[] {
  return errors.map((error) => {
    const formatted = formatError(error.toJSON(), error);
    return { ...formatted, extensions: { ...formatted.extensions, requestId } };
  });
}

/** The GraphQL form of a failure before execution (body, token, origin). */
export function errorBody(error: DomainError, requestId: string): string {
  return JSON.stringify({ errors: [{ message: error.message, extensions: { ...extensionsOf(error), requestId } }] });
}
