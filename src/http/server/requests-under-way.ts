// Requests in progress: the log names them when an uncaught error ends the process.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The log's description of a request, without its query, headers and body. */
export interface RequestUnderWay {
  reqId: string;
  method: string;
  /** Of the route, with names in place of values: paths of wallets have tokens. Empty: there is no such route. */
  path: string;
}

/** A list node with one request, linked to an older and a newer one. */
interface Link {
  request: FastifyRequest | undefined;
  older: Link;
  newer: Link;
}

const MAX_LISTED = 50;

/** An empty list: the node that links to the newest and the oldest request. */
function emptyList(): Link {
  const ends = { request: undefined } as Link;
  ends.older = ends;
  ends.newer = ends;
  return ends;
}

function remove(link: Link): void {
  link.older.newer = link.newer;
  link.newer.older = link.older;
  // A removed node may outlive a garbage collection. It must not keep its neighbours in memory.
  link.older = link;
  link.newer = link;
}

/**
 * A linked list. AsyncLocalStorage, which follows each request through its promises, would slow down every promise of
 * the process for one line of its last log. A Map that is filled and emptied copies its table repeatedly, and an old
 * table keeps its last requests in memory until the next full collection.
 */
export class RequestsUnderWay {
  readonly #ends = emptyList();
  /** Responses that wait for earlier ones of their connection. */
  readonly #queued = new WeakMap<Socket, Set<ServerResponse>>();

  /** @param onEnd called when a response has been sent or its connection has ended. */
  constructor(private readonly onEnd: (request: FastifyRequest, response: ServerResponse) => void) {}

  /** Adds a request, until its response is sent or its connection has ended. */
  add(request: FastifyRequest, { raw }: FastifyReply): void {
    const link: Link = { request, older: this.#ends.older, newer: this.#ends };
    link.older.newer = link;
    link.newer.older = link;
    const isQueued = raw.socket === null;
    raw.on('close', () => {
      if (link.request === undefined) return;
      link.request = undefined;
      remove(link);
      this.onEnd(request, raw);
      if (isQueued) this.#queued.get(raw.req.socket)?.delete(raw);
    });
    if (isQueued) this.#follow(raw);
  }

  /** The newest 50, newest first: the request that began last is the most likely cause of a crash. */
  list(): RequestUnderWay[] {
    const listed: RequestUnderWay[] = [];
    for (let { older } = this.#ends; older.request !== undefined && listed.length < MAX_LISTED; older = older.older) {
      const { id, method, routeOptions } = older.request;
      listed.push({ reqId: id, method, path: routeOptions.url ?? '' });
    }
    return listed;
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
