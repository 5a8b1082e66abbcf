// What both transports of subscriptions share.
import type { FastifyBaseLogger } from 'fastify';
import type { Points } from '../../base/callers/points.js';
import type { Turns } from '../../base/concurrency/turns.js';
import type { Clients } from '../../http/callers/clients.js';
import type { GraphqlOptions } from '../server.js';
import type { Operations } from './operations.js';
import type { Renderer } from './render.js';
import type { Runner } from './runner.js';
import type { EventSource } from './topic.js';

export interface SubscriptionOptions extends GraphqlOptions {
  feed: EventSource;
  clients: Clients;
  /** How many distinct operations all anonymous clients together may subscribe to. */
  anonymousSubscriptions: number;
  /** False while the store is unavailable. */
  isStoreThere(): boolean;
  /** How long a client waits for the result of an operation, or for its start. */
  requestTimeoutMs: number;
}

/** What both transports work with. */
export interface Transport extends SubscriptionOptions {
  operations: Operations;
  runner: Runner;
  renderer: Renderer;
  log: FastifyBaseLogger;
  /** What callers may ask for. */
  points: Points;
  /** The order in which the messages of all sockets are handled. */
  turns: Turns;
}

/** Routes are chosen by this, besides method and path. */
export type TransportKind = 'websocket' | 'event-stream';
