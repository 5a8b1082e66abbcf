// The HTTP server itself: bounds, request ids, error form, orderly end. Routes and GraphQL register on it.
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';
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
    disableRequestLogging: true,
    genReqId: () => randomUUID(),
    trustProxy: (_address, hop) => hop < config.trustProxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
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
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(new DomainError('NOT_FOUND', 'There is nothing at this path.'), request, reply),
  );
  return app;
}
