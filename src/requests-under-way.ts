// Which requests are being answered: what the log names when an error that nobody caught ends the process.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What the log says of a request: never its query, headers or body. */
export interface RequestUnderWay {
  reqId: string;
  method: string;
  path: string;
}

const MAX_LISTED = 50;

/**
 * A set, and no context that follows each request through its promises (AsyncLocalStorage): that would slow down every promise of the
 * process for the sake of one line of its last log.
 */
export class RequestsUnderWay {
  readonly #requests = new Map<ServerResponse, FastifyRequest>();
  readonly #end: (this: ServerResponse) => void;

  constructor() {
    const requests = this.#requests;
    // One function for all requests: it is told by `this` which one is over.
    this.#end = function end() {
      requests.delete(this);
    };
  }

  /** From now until its answer is sent or its connection has ended. */
  add(request: FastifyRequest, { raw }: FastifyReply): void {
    this.#requests.set(raw, request);
    raw.on('close', this.#end);
  }

  /** The newest 50, the newest first: the last that began is the likeliest cause of what just happened. */
  list(): RequestUnderWay[] {
    return [...this.#requests.values()]
      .slice(-MAX_LISTED)
      .reverse()
      .map(({ id, method, url }) => ({ reqId: id, method, path: url.split('?')[0] ?? '' }));
  }
}
