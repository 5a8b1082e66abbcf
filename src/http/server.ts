// The HTTP server itself: bounds, request ids, error form, orderly end. Routes and GraphQL register on it.
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../base/config.js';
import { limitWait } from '../base/deadline.js';
import { type LogConfig, loggerOptions } from '../base/log.js';
import type { Charge, Points } from '../base/points.js';
import { chargeArrival } from './charges.js';
import { answerUnreadable, ownConnections } from './connections.js';
import { sendError } from './errors.js';
import { Paths } from './paths.js';
import { Refusals } from './refusals.js';
import { RequestsUnderWay } from './requests-under-way.js';

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
  export interface FastifyInstance {
    underWay: RequestsUnderWay;
    paths: Paths;
    points: Points;
  }
  export interface FastifyRequest {
    /** What it takes from its caller's points; undefined before it is known who calls, and where nothing is taken. */
    charge: Charge | undefined;
  }
  export interface FastifyContextConfig {
    /** The route reads its body as a stream, for as long as it comes. */
    streams?: boolean;
    /** Requests cost nothing. */
    free?: boolean;
    /** Bodies that the route was sent before, by their text. Nobody changes them. */
    bodies?: { bodyOf(text: string): object | undefined };
  }
}

/** A Fastify server with everything but routes. @param points what its callers may ask for. */
export function createHttpServer(
  config: LogConfig & Pick<Config, 'trustProxy' | 'requestTimeoutMs'>,
  points: Points,
): FastifyInstance {
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
  ownConnections(app);
  const underWay = new RequestsUnderWay();
  app.decorate('underWay', underWay);
  const paths = new Paths();
  app.decorate('paths', paths);
  app.decorate('points', points);
  const refusals = new Refusals();
  app.decorateRequest('charge', undefined);
  // Hooks of every request that have nothing to wait for: each promise here would be paid by all.
  app.addHook('onRequest', (request, reply, done) => {
    underWay.add(request, reply);
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    const refusal = chargeArrival(request, points);
    // Before the body is read, as every refusal that does not need it.
    if (refusal) return void (refusals.add(() => done(refusal)) || request.raw.destroy());
    if (request.is404) return paths.refuse(request, reply);
    if (!request.routeOptions.config.streams) limitTime(request, reply, config.requestTimeoutMs);
    done();
  });
  if (LOGS_ANSWERS.has(config.logLevel)) app.addHook('onResponse', logAnswer);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => paths.refuse(request, reply));
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

/** Most requests have arrived and are answered before the event loop turns, and need no timer. */
function limitTime(request: FastifyRequest, reply: FastifyReply, limitMs: number): void {
  setImmediate(() => {
    limitArrival(request);
    limitWait(reply, limitMs);
  });
}

/** Ends a request whose body does not arrive in time. */
function limitArrival({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.destroy(), BODY_TIMEOUT_MS);
  raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}
