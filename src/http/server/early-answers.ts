// Responds to anonymous reads before they are routed, if the response is cached or complete at once
// (docs/decisions/0062-anonymous-reads-are-not-routed.md). Everything else is left to the router: whatever has credentials, is refused, or
// has to be waited for.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ANONYMOUS } from '../../base/callers/caller.js';
import type { Points } from '../../base/callers/points.js';
import { utf8TextOf } from '../../base/json/unicode.js';
import { CREDENTIALS } from '../cache/cached-response.js';
import { type AnswerEarly, type EarlyAnswer, EarlyRequest, handOver } from '../requests/early.js';
import { hostFault } from '../requests/host.js';
import { addressOf } from '../requests/request-facts.js';
import { acceptsPlainJson } from '../requests/accept.js';

/** Bytes of the longest body that is read here. */
const MAX_BODY = 20_000;

interface Parts {
  points: Points;
  /** How many proxies are trusted. */
  trustProxy: number;
  /** Whether requests are served under the present load. */
  isServing(): boolean;
  observe(method: string, route: string, status: number, seconds: number): void;
}

/** Responds to requests of a server before its router. */
export class EarlyAnswers {
  /** By method. POST: of `path` alone. */
  readonly by: { GET?: AnswerEarly; POST?: AnswerEarly } = {};
  path = '';
  /** How many requests were answered here. */
  readonly counts = { GET: 0, POST: 0 };
  /** Whether the store is there. */
  isStoreAvailable: () => boolean = () => false;
  #isClosed = false;
  readonly #route: RequestListener;

  constructor(
    private readonly app: FastifyInstance,
    private readonly parts: Parts,
  ) {
    // The last one: others only look at a request before it is routed.
    const route = app.server.listeners('request').at(-1) as RequestListener | undefined;
    if (!route) throw new Error('the server has no router');
    this.#route = route;
    app.server.removeListener('request', route);
    app.server.on('request', this.#arrived);
    // Fastify closes each connection after its next response.
    app.addHook('preClose', async () => this.close());
  }

  /** Leaves every request to the router from now on: for hooks that have to see all of them. */
  close(): void {
    this.#isClosed = true;
  }

  readonly #arrived: RequestListener = (request, response) => {
    const { method, url } = request;
    const isRead = method === 'GET' || (method === 'POST' && url === this.path);
    // A response without a socket waits for an earlier one of its connection.
    if (this.#isClosed || !isRead || !isPlain(request) || response.socket === null) this.#route(request, response);
    // Most bodies arrive with the headers, and are complete by then.
    else if (method === 'POST') setImmediate(this.#withBody, request, response);
    else if (!this.#answer(request, response, '', 0)) this.#route(request, response);
  };

  readonly #withBody: RequestListener = (request, response) => {
    const isComplete = request.complete && !request.destroyed && request.readableLength <= MAX_BODY;
    const bytes = isComplete ? (request.read() as Buffer | null) : null;
    if (bytes !== null) {
      const text = utf8TextOf(bytes);
      if (text?.startsWith('{') && this.#answer(request, response, text, bytes.length)) return;
      request.unshift(bytes);
    }
    this.#route(request, response);
  };

  /** Sends the response, or returns false. */
  #answer(raw: IncomingMessage, response: ServerResponse, text: string, bytes: number): boolean {
    const { points, trustProxy, isServing } = this.parts;
    const answerEarly = raw.method === 'POST' ? this.by.POST : this.by.GET;
    const address = addressOf(raw, trustProxy);
    const bucket = points.of(ANONYMOUS, address);
    // Closed since the request arrived, perhaps: it waits a turn for its body.
    if (this.#isClosed || !answerEarly || !bucket || !this.isStoreAvailable() || !isServing()) return false;
    const request = new EarlyRequest(raw, address, bucket, text, bytes);
    // The router refuses callers without points.
    if (bucket.left < request.points) return false;
    let answer: EarlyAnswer | undefined;
    try {
      answer = answerEarly(request);
    } catch (error) {
      // Otherwise equal requests would wait for its response.
      request.facts?.fill?.end();
      this.app.log.error({ reqId: request.id, err: error }, 'a request could not be answered before it was routed');
    }
    if (answer) this.#send(request, response, answer);
    else if (request.facts) handOver(raw, request);
    return answer !== undefined;
  }

  #send(request: EarlyRequest, response: ServerResponse, { body, route, headers }: EarlyAnswer): void {
    const { id, raw, arrivedAt } = request;
    const length = Buffer.byteLength(body);
    response.writeHead(200, ['x-request-id', id, ...ALWAYS, ...headers, 'content-length', String(length)]);
    // Each character is a byte: Node then copies the text, and does not encode it.
    if (length === body.length) response.end(body, 'latin1');
    else response.end(body);
    this.counts[raw.method === 'POST' ? 'POST' : 'GET'] += 1;
    this.parts.observe(raw.method ?? '', route, 200, (performance.now() - arrivedAt) / 1_000);
  }
}

/** Headers of every response. */
const ALWAYS = ['x-content-type-options', 'nosniff', 'content-type', 'application/json; charset=utf-8'];

/** Headers that change who asks, what is sent, or how the body is read. */
const SPECIAL = ['origin', 'x-include', 'if-none-match', 'content-encoding', 'transfer-encoding', ...CREDENTIALS];

/** Whether a request is anonymous, and asks for JSON without conditions. All others are routed. */
function isPlain(request: IncomingMessage): boolean {
  const { headers, method } = request;
  if (SPECIAL.some((name) => headers[name] !== undefined) || !acceptsPlainJson(request)) return false;
  const isRead =
    method === 'POST' ? headers['content-type'] === 'application/json' : headers['content-length'] === undefined;
  return isRead && hostFault(request) === undefined;
}
