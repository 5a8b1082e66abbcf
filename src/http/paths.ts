// Requests that no route takes: 405 with `Allow` where other methods have the path, else 404. Fastify knows a path by method only, and
// a route for each of the thirty-odd methods that Node reads would cost more memory than all routes that there are.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../base/errors.js';
import { sendError } from './errors.js';

/** How a path's failures are sent. */
export type SendFailure = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

interface KnownPath {
  pattern: RegExp;
  allow: readonly string[];
  send: SendFailure;
}

export class Paths {
  readonly #known: KnownPath[] = [];

  /** Adds a path with all its methods; `path` as Fastify writes it, with parameters that end at a slash. */
  add(path: string, allow: readonly string[], send: SendFailure = sendError): void {
    const source = path.split(/:\w+/).map(escaped).join('[^/]+');
    this.#known.push({ pattern: new RegExp(`^${source}$`), allow, send });
  }

  /** Answers a request that has no route. */
  refuse(request: FastifyRequest, reply: FastifyReply): void {
    const [path = ''] = request.url.split('?', 1);
    const known = this.#known.find(({ pattern }) => pattern.test(path));
    if (known === undefined)
      return void sendError(new DomainError('NOT_FOUND', 'There is nothing at this path.'), request, reply);
    const { allow, send } = known;
    const sentence = `${request.method} is not a method of this path; it has ${allow.join(', ')}.`;
    send(new DomainError('METHOD_NOT_ALLOWED', sentence, { allow }), request, reply);
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
