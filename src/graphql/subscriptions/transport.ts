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
  isStoreAvailable(): boolean;
  /** How long a client waits for the result of an operation, or for its start. */
  requestTimeoutMs: number;
}

/** The parts that both transports use. */
export interface Transport extends SubscriptionOptions {
  operations: Operations;
  runner: Runner;
  renderer: Renderer;
  log: FastifyBaseLogger;
  /** The points of callers. */
  points: Points;
  /** The order in which the messages of all sockets are handled. */
  turns: Turns;
}

/** Kinds of transport, by which routes are chosen in addition to method and path. */
export type TransportKind = 'websocket' | 'event-stream';
