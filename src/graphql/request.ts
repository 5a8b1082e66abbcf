// The outer form of a GraphQL request, checked before Apollo sees it, so that every refusal has our form and names its field.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badInput } from '../errors.js';
import { parseInput } from '../input.js';

/** What is answered unless the client prefers GraphQL's own media type. */
export const ANSWER_TYPE = 'application/json';

/** Whether nothing but plain JSON can be what the client prefers. */
export function takesJson({ headers: { accept } }: FastifyRequest): boolean {
  return accept === undefined || accept === '*/*' || accept === ANSWER_TYPE;
}

const query = z.string().min(1, 'must be a GraphQL document');
const object = z.looseObject({});

const jsonObject = z.string().transform((text, issue) => {
  try {
    return object.parse(JSON.parse(text));
  } catch {
    issue.addIssue({ code: 'custom', message: 'must be a JSON object' });
    return z.NEVER;
  }
});

/** What a POST holds. Clients add fields of their own (`id`, `doc_id`), which are ignored. */
const posted = z.looseObject({
  query,
  variables: object.nullish(),
  operationName: z.string().nullish(),
  extensions: object.nullish(),
});

/** What a GET's query string holds. */
const got = z.looseObject({
  query,
  variables: jsonObject.optional(),
  operationName: z.string().optional(),
  extensions: jsonObject.optional(),
});

/** @throws DomainError BAD_USER_INPUT that names the first field that does not fit. */
export function checkGraphqlRequest(request: FastifyRequest): void {
  if (request.method === 'GET') return void parseInput(got, { ...(request.query as object) });
  if (Array.isArray(request.body)) throw badInput('Batches are not taken; send one operation a request.');
  parseInput(posted, request.body);
}
