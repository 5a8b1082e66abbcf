// The response cache over HTTP: which requests may use it, and how a response is sent, with its entity tag or as 304.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MaybePromise } from '../../base/concurrency/maybe-promise.js';
import type { CachedResponse, ResponseCache } from './response-cache.js';

/** Headers with credentials. Requests with one of these bypass the cache. */
export const CREDENTIALS = ['authorization', 'x-partner-auth', 'x-admin-api-key'] as const;
/** The headers on which a response depends, for caches between the gateway and the client (RFC 9110 §12.5.5). */
const VARY = ['origin', 'accept', 'x-include', ...CREDENTIALS].join(', ');

/** Whether a request has no credentials and no header that changes the response. */
export function isAnonymous({ headers }: FastifyRequest): boolean {
  return headers['x-include'] === undefined && CREDENTIALS.every((name) => headers[name] === undefined);
}

/** The cached response to a request, or the one that is being computed for an equal request. */
export function answerOf(answers: ResponseCache, key: string): MaybePromise<CachedResponse | undefined> {
  return answers.find(key) ?? answers.join(key);
}

/** Allows caches to store the response to a GET if they revalidate it each time. */
export function tag({ method }: FastifyRequest, reply: FastifyReply, entry: CachedResponse): void {
  if (method === 'POST') return;
  for (const [name, value] of tagHeaders(entry)) void reply.header(name, value);
}

/** The headers of a cached response. */
export const tagHeaders = ({ etag }: CachedResponse): [string, string][] => [
  ['etag', etag],
  ['cache-control', 'no-cache'],
  ['vary', VARY],
];

/** Whether the client already has this response (If-None-Match, RFC 9110 §13.1.2). */
export function hasIt({ method, headers }: FastifyRequest, { etag }: CachedResponse): boolean {
  const tags = headers['if-none-match'];
  if (tags === undefined || method === 'POST') return false;
  return tags.trim() === '*' || tags.split(',').some((text) => text.trim().replace(/^W\//, '') === etag.slice(2));
}
