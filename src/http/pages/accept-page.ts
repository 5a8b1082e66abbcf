// Which clients get the pages: browsers, and programs that do not prefer JSON, such as curl.
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../base/errors.js';
import { accepts, prefers } from '../requests/accept.js';

/** @throws DomainError NOT_ACCEPTABLE for a client that does not accept HTML, or prefers JSON to it. */
export function requirePage({ headers: { accept } }: FastifyRequest): void {
  if (accepts(accept, ['text/html']) && !prefers(accept, 'application/json', 'text/html')) return;
  throw new DomainError('NOT_ACCEPTABLE', 'At this path is a page for browsers: send accept: text/html.');
}
