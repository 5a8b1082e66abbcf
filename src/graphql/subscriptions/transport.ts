// What the two transports of subscriptions work with.
import type { FastifyBaseLogger } from 'fastify';
import type { Points } from '../../base/points.js';
import type { Clients } from '../../http/clients.js';
import type { GraphqlOptions } from '../server.js';
import type { Operations } from './operations.js';
import type { Renderer } from './render.js';
import type { Runner } from './runner.js';
import type { EventSource } from './topic.js';

export interface SubscriptionOptions extends GraphqlOptions {
  feed: EventSource;
  clients: Clients;
  /** Distinct operations that anonymous clients together may listen with. */
  anonymousSubscriptions: number;
  /** False while the store is known to be away. */
  isStoreThere(): boolean;
  /** How long a client waits for an operation to be answered or to begin. */
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
}

/** Routes are chosen by this besides method and path. */
export type TransportKind = 'websocket' | 'event-stream';
