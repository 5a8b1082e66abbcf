// The HTTP server itself: bounds, request ids, error form, orderly end. Routes and GraphQL register on it.
import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from './config.js';
import { DomainError } from './errors.js';
import { type LogConfig, loggerOptions } from './log.js';
import { sendError } from './rest/errors.js';

/** Time for a body to arrive, but for routes that stream (imports last as long as they last). Milliseconds. */
const BODY_TIMEOUT_MS = 60_000;
/** A connection on which nothing moves, either way. */
const IDLE_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** Longer than a balancer keeps its connections, so that it never writes into one that we just closed. */
const KEEP_ALIVE_MS = 75_000;
/** Ids of schemas are addresses, percent-encoded in a path. */
const MAX_PARAM_LENGTH = 2_000;

declare module 'fastify' {
  export interface FastifyContextConfig {
    /** The route reads its body as a stream, for as long as it comes. */
    streams?: boolean;
    /** Bodies that the route was sent before, by their text. Nobody changes them. */
    bodies?: { bodyOf(text: string): object | undefined };
  }
}

/** A Fastify server with everything but routes. */
export function createHttpServer(config: LogConfig & Pick<Config, 'trustProxy'>): FastifyInstance {
  const options: FastifyHttpOptions<Server> = {
    logger: loggerOptions(config),
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerUnreadable,
    genReqId: () => randomUUID(),
    // A logger for each request would be made, and almost never asked; lines name their request themselves.
    childLoggerFactory: (log) => log,
    trustProxy: (_address, hop) => hop < config.trustProxy,
    connectionTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // What still arrives on an open connection while we end is answered as ever.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply as never);
    },
  };
  const app = Fastify(options);
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  endSilentConnections(app);
  // Hooks of every request that have nothing to wait for: each promise here would be paid by all.
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    limitArrival(request);
    done(null, payload);
  });
  if (LOGS_ANSWERS.has(config.logLevel)) app.addHook('onResponse', logAnswer);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(new DomainError('NOT_FOUND', 'There is nothing at this path.'), request, reply),
  );
  return app;
}

const LOGS_ANSWERS: ReadonlySet<string> = new Set(['debug', 'trace']);

function logAnswer(
  { id, log, method, routeOptions }: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
  done: () => void,
): void {
  const ms = Math.round(elapsedTime);
  log.debug({ reqId: id, method, route: routeOptions.url, status: statusCode, ms }, 'answered');
  done();
}

/** Connections that browsers and pools open ahead and have sent nothing on: Node does not count them as idle, and would wait for them. */
function endSilentConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

/** Ends a request whose body does not arrive in time. Most arrive with their headers and need no timer. */
function limitArrival({ raw, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.streams) return;
  setImmediate(() => {
    if (raw.complete || raw.destroyed) return;
    const timer = setTimeout(() => raw.destroy(), BODY_TIMEOUT_MS);
    raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  });
}

const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

/** What is not even HTTP never becomes a request; the answer is written to the bare connection. */
function answerUnreadable({ code }: Error & { code?: string }, socket: Socket): void {
  // An answer that has begun cannot be followed by another one.
  const begun = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  if (code === 'ECONNRESET' || !socket.writable || begun) return void socket.destroy();
  const [status, message] = UNREADABLE[String(code)] ?? [400, 'The request is not HTTP that can be read.'];
  const body = JSON.stringify({ error: status, message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
