// The outer form of a GraphQL request, checked before Apollo sees it, so that every refusal has our form and names its field.
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badInput, DomainError } from '../../base/errors.js';
import { readJson } from '../../base/json/exact-json.js';
import { parseInput } from '../../base/input.js';
import { checkNesting } from '../../base/json/nesting.js';
import { checkUnicode } from '../../base/json/unicode.js';
import { prefers } from '../../http/requests/accept.js';
import { checkMeant, type DocumentReference, DocumentRefused, type Documents } from './documents.js';

/** A client's request, over any transport. */
export interface OperationRequest extends DocumentReference {
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

/** The response's media type unless the client prefers GraphQL's own. */
export const ANSWER_TYPE = 'application/json';
export const ANSWER_TYPE_UTF8 = `${ANSWER_TYPE}; charset=utf-8`;
/** GraphQL's own media type, whose statuses show whether an operation ran (GraphQL over HTTP, "Media types"). */
export const GRAPHQL_ANSWER_TYPE = 'application/graphql-response+json';

/** Whether a client prefers GraphQL's own media type. */
export const prefersGraphqlType = (accept: string | undefined): boolean =>
  prefers(accept, GRAPHQL_ANSWER_TYPE, ANSWER_TYPE);

const object = z.looseObject({});

const jsonObject = z.string().transform((text, issue) => {
  try {
    const value = object.parse(readJson(text));
    checkNesting(value, 'A value');
    checkUnicode(value);
    return value;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    issue.addIssue({ code: 'custom', message: 'must be a JSON object' });
    return z.NEVER;
  }
});

/** The body of a POST. Clients add their own fields, which are ignored. */
const posted = z.looseObject({
  query: z.string().optional(),
  variables: object.nullish(),
  operationName: z.string().nullish(),
  extensions: object.nullish(),
});

/** The query string of a GET. */
const got = z.looseObject({
  query: z.string().optional(),
  variables: jsonObject.optional(),
  operationName: z.string().optional(),
  extensions: jsonObject.optional(),
});

/**
 * The operation that a request asks for.
 * @throws DomainError BAD_USER_INPUT naming the first invalid field, UNSUPPORTED_MEDIA_TYPE for NDJSON, which only imports use.
 */
export function operationRequestOf(request: FastifyRequest): OperationRequest {
  if (request.body instanceof Readable)
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'This route reads application/json; the content-type says otherwise.',
    );
  if (Array.isArray(request.body)) throw badInput('Batches are not supported; send one operation per request.');
  const input =
    request.method !== 'POST'
      ? parseInput(got, { ...(request.query as object) }, 'query parameter')
      : parseInput(posted, request.body);
  checkMeant(input);
  return input;
}

/** Whether a request may name its document instead of sending it. */
export function isNamed({ method, query, body }: FastifyRequest): boolean {
  const input = method === 'POST' ? body : query;
  if (typeof input !== 'object' || input === null) return false;
  return !('query' in input) || input.query === '' || 'extensions' in input;
}

/**
 * Replaces a document's name in the request by its text: later steps use only texts, and find this one already parsed.
 */
export function replaceDocumentName(request: FastifyRequest, documents: Documents): void {
  const { operationName, variables, ...reference } = operationRequestOf(request);
  const { text: query, errors } = documents.find(reference, request.facts.charge);
  if (errors.length > 0) throw new DocumentRefused(errors);
  const plain = { query, ...(operationName ? { operationName } : {}), ...(variables ? { variables } : {}) };
  if (request.method === 'POST') request.body = plain;
  // Apollo parses the URL itself.
  else request.raw.url = `?${new URLSearchParams({ ...plain, variables: JSON.stringify(variables ?? {}) })}`;
}
