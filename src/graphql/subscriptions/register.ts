// Subscriptions on `/graphql`, the path of queries: WebSockets (graphql-transport-ws) and server-sent events
// (graphql-sse). They are two further routes of this path, chosen by the request's headers, so hooks, origins and error
// forms apply as to every route.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Turns } from '../../base/concurrency/turns.js';
import { names, prefers } from '../../http/requests/accept.js';
import { ANSWER_TYPE } from '../documents/request.js';
import { registerEventStreams } from './event-stream-route.js';
import { FanOut } from './fan-out.js';
import { Operations } from './operations.js';
import { Renderer } from './render.js';
import { Runner } from './runner.js';
import { registerSockets } from './socket-route.js';
import type { SubscriptionOptions, Transport, TransportKind } from './transport.js';
import { upgradeOf } from './upgrade.js';

const EVENT_STREAM_TYPE = 'text/event-stream';

/**
 * Registers both transports. Returns the fan-out, which has the counters. Call `chooseByTransport` before any route is
 * registered.
 */
export function registerSubscriptions(app: FastifyInstance, options: SubscriptionOptions): FanOut {
  const {
    schema,
    documents,
    limits,
    execute,
    services,
    makeLoaders,
    feed,
    clients,
    anonymousSubscriptions,
    requestTimeoutMs,
  } = options;
  const operations = new Operations(documents, limits);
  const renderer = new Renderer({ execute, services, makeLoaders, log: app.log });
  const fanOut = new FanOut(feed, renderer, anonymousSubscriptions);
  const runner = new Runner({ schema, feed, fanOut, renderer, requestTimeoutMs });
  const { log, points } = app;
  const transport: Transport = { ...options, operations, runner, renderer, log, points, turns: new Turns() };
  registerSockets(app, transport);
  registerEventStreams(app, transport);
  // The server waits for connections to end, and these end only when they are closed here.
  app.addHook('preClose', async () => {
    fanOut.stop();
    await clients.end();
  });
  return fanOut;
}

type Strategy = Parameters<FastifyInstance['addConstraintStrategy']>[0];
type RouteHandler = Parameters<ReturnType<Strategy['storage']>['set']>[1];

/**
 * Lets the router choose routes by transport. Call it early: the router is rebuilt for it, with all routes that exist
 * by then.
 */
export function chooseByTransport(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: 'asked',
    storage: () => {
      const handlers = new Map<unknown, RouteHandler>();
      return {
        get: (kind) => handlers.get(kind) ?? null,
        set: (kind, handler) => void handlers.set(kind, handler),
      };
    },
    validate: () => {},
    deriveConstraint: askedBy,
  });
}

/**
 * The transport that a request asks for; undefined if it asks for an ordinary response. Clients that also accept JSON
 * get JSON.
 */
function askedBy(request: IncomingMessage): TransportKind | undefined {
  if (upgradeOf(request) !== undefined) return 'websocket';
  const { accept } = request.headers;
  const isStream = prefers(accept, EVENT_STREAM_TYPE, ANSWER_TYPE) && !names(accept, 'json');
  return isStream ? 'event-stream' : undefined;
}
