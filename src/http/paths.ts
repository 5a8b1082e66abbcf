// Requests without a route: 405 with `Allow` when the path has other methods, otherwise 404. Fastify looks paths up by method, and
// routes for all of the thirty-odd methods that Node accepts would take more memory than all real routes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../base/errors.js';
import { sendError } from './errors.js';

/** How a path sends its failures. */
export type SendFailure = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

interface KnownPath {
  pattern: RegExp;
  allow: readonly string[];
  send: SendFailure;
}

/** All paths with their methods. */
export class Paths {
  readonly #paths: KnownPath[] = [];

  /** Adds a path with all its methods. `path` is in Fastify's form; a parameter ends at a slash. */
  add(path: string, allow: readonly string[], send: SendFailure = sendError): void {
    const source = path.split(/:\w+/).map(escaped).join('[^/]+');
    this.#paths.push({ pattern: new RegExp(`^${source}$`), allow, send });
  }

  /** Answers a request without a route. */
  refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const match = this.#find(request);
    if (match === undefined)
      return sendError(new DomainError('NOT_FOUND', 'There is nothing at this path.'), request, reply);
    const { allow, send } = match;
    const sentence = `${request.method} is not a method of this path; it has ${allow.join(', ')}.`;
    send(new DomainError('METHOD_NOT_ALLOWED', sentence, { allow }), request, reply);
    return reply;
  }

  /** All methods of a request's path; undefined for a path that is not known. */
  methodsOf(request: FastifyRequest): readonly string[] | undefined {
    return this.#find(request)?.allow;
  }

  #find({ url }: FastifyRequest): KnownPath | undefined {
    const [path = ''] = url.split('?', 1);
    return this.#paths.find(({ pattern }) => pattern.test(path));
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
