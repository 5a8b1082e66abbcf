// Which requests are being answered: what the log names when an error that nobody caught ends the process.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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
  /** Answers that wait behind others of their connection. */
  readonly #queued = new WeakMap<Socket, Set<ServerResponse>>();
  readonly #end: (this: ServerResponse) => void;

  constructor() {
    const [requests, queued] = [this.#requests, this.#queued];
    // One function for all requests: `this` is the answer that is over.
    this.#end = function end() {
      requests.delete(this);
      queued.get(this.req.socket)?.delete(this);
    };
  }

  /** From now until its answer is sent or its connection has ended. */
  add(request: FastifyRequest, { raw }: FastifyReply): void {
    this.#requests.set(raw, request);
    raw.on('close', this.#end);
    if (raw.socket === null) this.#follow(raw);
  }

  /** The newest 50, the newest first: the last that began is the likeliest cause of what just happened. */
  list(): RequestUnderWay[] {
    return [...this.#requests.values()]
      .slice(-MAX_LISTED)
      .reverse()
      .map(({ id, method, url }) => ({ reqId: id, method, path: url.split('?')[0] ?? '' }));
  }

  /** Node tells the answer that is being sent of the end of its connection, and not those that wait behind it. */
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
