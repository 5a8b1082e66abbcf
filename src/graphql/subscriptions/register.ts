// Subscriptions on `/graphql`, beside queries: WebSockets (graphql-transport-ws) and server-sent events (graphql-sse). Two more routes of
// the same path, chosen by what the request asks for, so that hooks, origins and error forms are those of every route.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { registerEventStreams } from './event-stream-route.js';
import { FanOut } from './fan-out.js';
import { Operations } from './operations.js';
import { Renderer } from './render.js';
import { Runner } from './runner.js';
import { registerSockets } from './socket-route.js';
import type { SubscriptionOptions, Transport, TransportKind } from './transport.js';
import { upgradeOf } from './upgrade.js';

/** Registers both transports; answers the fan-out, which counts what happens. */
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
  const transport: Transport = { ...options, operations, runner, renderer, log: app.log, points: app.points };
  chooseByTransport(app);
  registerSockets(app, transport);
  registerEventStreams(app, transport);
  // Before the server waits for its connections to end: these do not end by themselves.
  app.addHook('preClose', async () => {
    fanOut.stop();
    await clients.end();
  });
  return fanOut;
}

function chooseByTransport(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: 'asked',
    storage: () => {
      const handlers = new Map<unknown, never>();
      return {
        get: (asked) => handlers.get(asked) ?? null,
        set: (asked, handler) => void handlers.set(asked, handler as never),
      };
    },
    validate: () => {},
    deriveConstraint: askedBy,
  });
}

/** What a request asks for; undefined: an ordinary answer. Clients that take JSON as well get JSON. */
function askedBy(request: IncomingMessage): TransportKind | undefined {
  if (upgradeOf(request) !== undefined) return 'websocket';
  const { accept } = request.headers;
  return accept?.includes('text/event-stream') && !accept.includes('json') ? 'event-stream' : undefined;
}
