// Requests in progress: the log names them when an uncaught error ends the process.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The log's description of a request, without its query, headers and body. */
export interface RequestUnderWay {
  reqId: string;
  method: string;
  path: string;
}

const MAX_LISTED = 50;

/**
 * A set instead of a context that follows each request through its promises (AsyncLocalStorage), which would slow down every promise of
 * the process for one line of its last log.
 */
export class RequestsUnderWay {
  readonly #requests = new Map<ServerResponse, FastifyRequest>();
  /** Responses that wait for earlier ones of their connection. */
  readonly #queued = new WeakMap<Socket, Set<ServerResponse>>();
  readonly #end: (this: ServerResponse) => void;

  /** @param onEnd called when a response was sent or its connection has ended. */
  constructor(onEnd: (request: FastifyRequest, response: ServerResponse) => void) {
    const [requests, queued] = [this.#requests, this.#queued];
    // One function for all requests: `this` is the finished response.
    this.#end = function end() {
      const request = requests.get(this);
      if (request !== undefined) onEnd(request, this);
      requests.delete(this);
      queued.get(this.req.socket)?.delete(this);
    };
  }

  /** Adds a request, until its response is sent or its connection has ended. */
  add(request: FastifyRequest, { raw }: FastifyReply): void {
    this.#requests.set(raw, request);
    raw.on('close', this.#end);
    if (raw.socket === null) this.#follow(raw);
  }

  /** The newest 50, newest first: the last one to begin is the most likely cause of a crash. */
  list(): RequestUnderWay[] {
    return [...this.#requests.values()]
      .slice(-MAX_LISTED)
      .reverse()
      .map(({ id, method, url }) => ({ reqId: id, method, path: url.split('?')[0] ?? '' }));
  }

  /** Node reports the end of a connection only to the response that is being sent, not to those that wait for it. */
  #follow(answer: ServerResponse): void {
    const { socket } = answer.req;
    const queued = this.#queued.get(socket);
    if (queued) return void queued.add(answer);
    const answers = new Set([answer]);
    this.#queued.set(socket, answers);
    socket.once('close', () => {
      for (const unsent of answers) {
        unsent.destroy();
        unsent.emit('close');
      }
    });
  }
}
