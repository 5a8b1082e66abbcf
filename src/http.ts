// The HTTP server itself: bounds, request ids, error form, orderly end. Routes and GraphQL register on it.
import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify';
import type { Config } from './config.js';
import { DomainError } from './errors.js';
import { loggerOptions } from './log.js';
import { sendError } from './rest/errors.js';

/** Time for a whole request to arrive: the longest is an import. Milliseconds. */
const REQUEST_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** Longer than a balancer keeps its connections, so that it never writes into one that we just closed. */
const KEEP_ALIVE_MS = 75_000;
/** Ids of schemas are addresses, percent-encoded in a path. */
const MAX_PARAM_LENGTH = 2_000;

/** A Fastify server with everything but routes. */
export function createHttpServer(config: Pick<Config, 'logLevel' | 'trustProxy'>): FastifyInstance {
  const options: FastifyHttpOptions<Server> = {
    logger: loggerOptions(config.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerUnreadable,
    genReqId: () => randomUUID(),
    trustProxy: (_address, hop) => hop < config.trustProxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
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
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' });
  });
  app.addHook('onResponse', async ({ log, method, routeOptions }, { statusCode, elapsedTime }) => {
    log.debug({ method, route: routeOptions.url, status: statusCode, ms: Math.round(elapsedTime) }, 'answered');
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(new DomainError('NOT_FOUND', 'There is nothing at this path.'), request, reply),
  );
  return app;
}

const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

/** What is not even HTTP never becomes a request; the answer is written to the bare connection. */
function answerUnreadable({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = UNREADABLE[String(code)] ?? [400, 'The request is not HTTP that can be read.'];
  const body = JSON.stringify({ error: status, message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
