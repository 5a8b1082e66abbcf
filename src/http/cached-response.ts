// The answer cache over HTTP: whose answers it may hold, and how one is sent, with its entity tag or as "not modified".
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MaybePromise } from '../base/maybe-promise.js';
import type { CachedResponse, ResponseCache } from './response-cache.js';

/** Whoever shows one of these is somebody: nothing is kept for them, nor given to them. */
export const CREDENTIALS = ['authorization', 'x-partner-auth', 'x-admin-api-key'] as const;
/** What the answer at an address depends on, for caches between us and the client (RFC 9110 §12.5.5). */
const VARY = ['origin', 'accept', 'x-include', ...CREDENTIALS].join(', ');

/** Whether a request shows nothing that says who calls, and asks for nothing beside the answer. */
export function isAnonymous({ headers }: FastifyRequest): boolean {
  return headers['x-include'] === undefined && CREDENTIALS.every((name) => headers[name] === undefined);
}

/** The kept answer to a request, or the one that is just being made for the same request of somebody else. */
export function answerOf(answers: ResponseCache, key: string): MaybePromise<CachedResponse | undefined> {
  return answers.find(key) ?? answers.join(key);
}

/** Says what caches may do with the answer to a GET: keep it, and ask whether it is still true each time. */
export function tag({ method }: FastifyRequest, reply: FastifyReply, { etag }: CachedResponse): void {
  if (method === 'POST') return;
  void reply.header('etag', etag).header('cache-control', 'no-cache').header('vary', VARY);
}

/** Whether the client has this answer already (If-None-Match, RFC 9110 §13.1.2). */
export function hasIt({ method, headers }: FastifyRequest, { etag }: CachedResponse): boolean {
  const known = headers['if-none-match'];
  if (known === undefined || method === 'POST') return false;
  return known.trim() === '*' || known.split(',').some((given) => given.trim().replace(/^W\//, '') === etag.slice(2));
}
