// Requests without a route: 405 with `Allow` when the path has other methods, otherwise 404. Fastify looks up paths per
// method, and routes for each of the thirty-odd methods that Node accepts would need more memory than all real routes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../base/errors.js';
import { sendError } from '../responses/errors.js';

/** How a path sends its failures. */
export type SendFailure = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

interface KnownPath {
  /**
   * Which segments have a parameter, as text. Sorted by it, paths whose first parameter is further right come first, as
   * Fastify prefers them.
   */
  shape: string;
  pattern: RegExp;
  allow: readonly string[];
  send: SendFailure;
}

/** A path segment that is a URL without percent-encoding. Some proxies merge its two slashes into one. */
const URL_SEGMENT = /^[^?]*\/[a-z][a-z0-9+.-]*:\//i;
const ENCODED_IDS = 'an id that is a URL must be percent-encoded in a path, as https%3A%2F%2Fexample.org%2Fa.';

/** All paths with their methods. */
export class Paths {
  readonly #paths: KnownPath[] = [];

  /** Adds a path with all its methods. `path` is in Fastify's form; a parameter ends at a slash. */
  add(path: string, allow: readonly string[], send: SendFailure = sendError): void {
    this.#paths.push({ shape: shapeOf(path), pattern: patternOf(path), allow, send });
  }

  /** Responds to a request without a route. */
  refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const match = this.#find(request);
    if (match === undefined) {
      const advice = URL_SEGMENT.test(request.url) ? `; ${ENCODED_IDS}` : '.';
      return sendError(new DomainError('NOT_FOUND', `There is nothing at this path${advice}`), request, reply);
    }
    const { allow, send } = match;
    const sentence = `${request.method} is not a method of this path; it has ${allow.join(', ')}.`;
    send(new DomainError('METHOD_NOT_ALLOWED', sentence, { allow }), request, reply);
    return reply;
  }

  /** All methods of a request's path; undefined for an unknown path. */
  methodsOf(request: FastifyRequest): readonly string[] | undefined {
    return this.#find(request)?.allow;
  }

  #find({ url }: FastifyRequest): KnownPath | undefined {
    const [path = ''] = url.split('?', 1);
    const matches = this.#paths.filter(({ pattern }) => pattern.test(path));
    return matches.reduce<KnownPath | undefined>(
      (best, match) => (best && best.shape <= match.shape ? best : match),
      undefined,
    );
  }
}

const shapeOf = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment.includes(':') ? '1' : '0'))
    .join('');

/** Matches the requests of a path. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.split(/:\w+/).map(escaped).join('[^/]+')}$`);

/**
 * For each path, the methods with which its requests would match a neighbour, because the neighbour's parameter also
 * matches this path's words: `GET` of `/v1/things/check`, beside `POST /v1/things/check` and `GET /v1/things/:id`.
 */
export function neighbourMethods<M>(methodsByPath: ReadonlyMap<string, readonly M[]>): Map<string, M[]> {
  const paths = [...methodsByPath].map(([path, methods]) => {
    return { path, methods, shape: shapeOf(path), pattern: patternOf(path) };
  });
  return new Map(
    paths.map(({ path, methods: own, shape }) => {
      const neighbours = paths.filter((other) => shape < other.shape && other.pattern.test(path));
      const methods = new Set(neighbours.flatMap((other) => other.methods));
      return [path, [...methods].filter((method) => !own.includes(method))];
    }),
  );
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
