// The HTTP server: limits, request ids, the form of errors, graceful shutdown. Routes and GraphQL register on it.
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../../base/config/config.js';
import { limitWait } from './deadline.js';
import { badInput } from '../../base/errors.js';
import { type LogConfig, loggerOptions } from '../../base/monitoring/log.js';
import type { Observe } from '../../base/monitoring/durations.js';
import type { Metrics } from '../../base/monitoring/metrics.js';
import type { Points } from '../../base/callers/points.js';
import { chargeArrival } from '../callers/charges.js';
import { type ConnectionLimits, limitConnections } from './connection-limits.js';
import { answerUnreadable, ownConnections } from './connections.js';
import { sendError } from '../responses/errors.js';
import { shedLoad } from './load-shedding.js';
import { Paths } from '../routes/paths.js';
import { Refusals } from '../callers/refusals.js';
import { queryFault } from '../requests/request-url.js';
import { hostFault } from '../requests/host.js';
import { type HttpFacts, newFacts } from '../requests/request-facts.js';
import { begunRequest } from '../requests/early.js';
import { EarlyAnswers } from './early-answers.js';
import { RequestsUnderWay } from './requests-under-way.js';

/** How long a body may take to arrive, except on routes that read it as a stream (imports). Milliseconds. */
const BODY_TIMEOUT_MS = 60_000;
/** How long a connection may be idle in both directions. */
const IDLE_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** Longer than balancers keep idle connections, so that they never use one that was just closed here. Milliseconds. */
const KEEP_ALIVE_MS = 75_000;
/** Ids of schemas are URLs, percent-encoded in a path. */
const MAX_PARAM_LENGTH = 2_000;

const noSchemas = (): never => {
  throw new Error('routes have no schema of Fastify: zod checks what they are given');
};

declare module 'fastify' {
  export interface FastifyInstance {
    underWay: RequestsUnderWay;
    paths: Paths;
    points: Points;
    early: EarlyAnswers;
    connectionLimits: ConnectionLimits;
  }
  export interface FastifyContextConfig {
    /** The route reads its body as a stream, without a time limit. */
    streams?: boolean;
    /** Requests cost nothing. */
    free?: boolean;
    /** How many milliseconds longer than others a response may take. */
    patienceMs?: number;
    /** Parsed bodies of earlier requests to the route, by text. They are immutable. */
    bodies?: { bodyOf(text: string, request: FastifyRequest): object | undefined };
    /** The member of the body whose integers beyond 2^53 are read as BigInts. */
    exactMember?: string;
  }
}

function optionsOf(config: LogConfig & Pick<Config, 'trustProxy'>): FastifyHttpOptions<Server> {
  return {
    logger: loggerOptions(config),
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerUnreadable,
    genReqId: (raw) => begunRequest(raw)?.id ?? randomUUID(),
    // A logger for each request would be created and almost never used; log lines contain the request's id instead.
    childLoggerFactory: (log) => log,
    trustProxy: config.trustProxy > 0 && ((_address, hop) => hop < config.trustProxy),
    connectionTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // Requests that arrive on open connections during the shutdown are handled as usual.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Without this, Fastify would load its own compilers at every start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, request, reply) => {
      // Set here, because the hooks have not run.
      request.facts = factsOf(request);
      sendError(error, request, reply);
    },
  };
}

/** A Fastify server with everything except routes. @param points the points of its callers. */
export function createHttpServer(
  config: LogConfig & Pick<Config, 'maxLoopDelayMs' | 'trustProxy' | 'requestTimeoutMs'>,
  points: Points,
  metrics: Metrics,
): FastifyInstance {
  const app = Fastify(optionsOf(config));
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  // Otherwise Node would drop headers after the thousandth. Their total size is limited.
  app.server.maxHeadersCount = 0;
  ownConnections(app);
  const connectionLimits = limitConnections(app, config.trustProxy, metrics);
  app.decorate('connectionLimits', connectionLimits);
  const observe = requestObserver(metrics);
  const underWay = new RequestsUnderWay(({ method, facts }, { statusCode }) =>
    observe(method, facts.route.url ?? UNKNOWN_ROUTE, statusCode, (performance.now() - facts.arrivedAt) / 1_000),
  );
  app.decorate('underWay', underWay);
  const paths = new Paths();
  app.decorate('paths', paths);
  app.decorate('points', points);
  const refusals = new Refusals();
  const shedding = shedLoad(app, config.maxLoopDelayMs, metrics);
  const { trustProxy } = config;
  const early = new EarlyAnswers(app, { points, trustProxy, isServing: () => shedding.isServing, observe });
  app.decorate('early', early);
  metrics.gauges('unrouted_requests.method', 'Requests that were answered before the router', 'process', () => ({
    ...early.counts,
  }));
  app.decorateRequest('facts');
  // Hooks of every request are synchronous, because a promise here would slow down every request.
  app.addHook('onRequest', (request, reply, done) => {
    request.facts = factsOf(request);
    underWay.add(request, reply);
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    const refusal = connectionLimits.refusal(request) ?? shedding.refusal(request) ?? chargeArrival(request, points);
    // Refused before the body is read, like all refusals that do not need it.
    if (refusal) return void (refusals.add(() => done(refusal)) || request.raw.destroy());
    const wrongHost = hostFault(request.raw);
    if (wrongHost) return done(badInput(wrongHost, 'host'));
    if (request.is404) return paths.refuse(request, reply);
    const fault = queryFault(request.url);
    if (fault) return done(fault);
    if (!request.facts.route.streams) limitTime(request, reply, config.requestTimeoutMs);
    done();
  });
  if (LOGS_ANSWERS.has(config.logLevel)) {
    app.addHook('onResponse', logAnswer);
    early.close();
  }
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => paths.refuse(request, reply));
  return app;
}

/** Counts and times requests by their route. */
function requestObserver(metrics: Metrics): (method: string, route: string, status: number, seconds: number) => void {
  const times = metrics.responseTimes('request_seconds', 'Requests by route, and seconds until they were answered');
  const observers = new Map<string, Observe>();
  return (method, route, status, seconds) => {
    const key = `${method} ${status} ${route}`;
    const observe = observers.get(key) ?? times.observer({ method, route, status });
    observers.set(key, observe);
    observe(seconds);
  };
}

const UNKNOWN_ROUTE = '(none)';

/** The facts of a request, which may have begun before it was routed. */
function factsOf(request: FastifyRequest): HttpFacts {
  const facts = begunRequest(request.raw)?.facts ?? newFacts(request);
  facts.route = request.routeOptions.config ?? {};
  return facts;
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

/** Most responses are sent within one turn of the event loop and need no timer. */
function limitTime(request: FastifyRequest, reply: FastifyReply, limitMs: number): void {
  setImmediate(() => {
    limitArrival(request);
    limitWait(reply, limitMs + (request.facts.route.patienceMs ?? 0));
  });
}

/** Ends a request whose body does not arrive in time. */
function limitArrival({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.destroy(), BODY_TIMEOUT_MS);
  raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}
