// Bounds the connections of a server: their sum, so that descriptors are left for the store and for health checks, and the idle ones of each
// address, so that one client cannot take them all.
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../../base/callers/client-address.js';
import { DomainError } from '../../base/errors.js';
import { descriptorLimit, openDescriptors } from '../../base/monitoring/descriptors.js';
import type { Metrics } from '../../base/monitoring/metrics.js';
import type { ProblemReport } from '../../base/monitoring/problems.js';
import { currentAnswer } from './connections.js';

/** The part of the limit, and the most, that is left for the store, files, and calls to others. */
const RESERVED_PART = 0.25;
const MOST_RESERVED = 256;
/** Connections above the bound that are taken for one response each, which health checks get. */
const BEYOND = 16;
/** How long such a connection may wait for its request. Milliseconds. */
const BEYOND_MS = 5_000;
/** Idle connections of one address, unless fewer than twice as many are possible at all. */
const IDLE_OF_ADDRESS = 1_000;
/** When an address has too many, so many more are closed that they are not counted again soon. */
const KEPT_PART = 0.9;
/** The problem ends when fewer connections than this part are open. */
const CALM_PART = 0.9;
const FEW = 500;
const RETRY_AFTER_S = 5;

const FULL = 'descriptors-used';

/** The connections of one address. */
interface Peer {
  sockets: Set<Socket>;
  /** When the set is larger, the idle connections in it are counted. */
  countAbove: number;
}

/** Whether nothing is under way on a connection: no response, and no stream of an upgraded one, which has lost its parser. */
const isIdle = (socket: Socket): boolean =>
  currentAnswer(socket) === undefined && Boolean((socket as Socket & { parser?: object | null }).parser);

/** The bounds of one server. */
export class ConnectionLimits {
  /** How many connections are taken; infinite until the server listens, and without a limit of descriptors. */
  most = Number.POSITIVE_INFINITY;
  /** Refused connections, and idle ones that were closed for others of their address. */
  readonly counts = { refused: 0, idle: 0 };
  readonly #peers = new Map<string, Peer>();
  readonly #taken = new WeakSet<Socket>();
  readonly #beyond = new WeakSet<Socket>();
  #problems: ProblemReport | undefined;
  #isFull = false;

  constructor(
    private readonly app: FastifyInstance,
    private readonly isBehindProxy: boolean,
  ) {}

  /** Where a full process is reported. */
  report(problems: ProblemReport): void {
    this.#problems = problems;
  }

  /** The error for a request on a connection above the bound, unless it is always served. */
  refusal({ raw, facts }: FastifyRequest): DomainError | undefined {
    if (!this.#beyond.has(raw.socket) || facts.route.alwaysServed) return undefined;
    return new DomainError('OVERLOADED', 'The gateway has too many connections; try again shortly.', {
      retryAfter: RETRY_AFTER_S,
    });
  }

  /** Whether a connection ends after its next response. */
  isBeyond(socket: Socket): boolean {
    return this.#beyond.has(socket);
  }

  /** Sets the bound, when the store is open and no client is connected. */
  begin(): void {
    const limit = descriptorLimit();
    if (limit === Number.POSITIVE_INFINITY) return;
    const open = openDescriptors();
    this.most = Math.max(1, Math.floor(limit - open - Math.min(MOST_RESERVED, limit * RESERVED_PART)));
    const facts = { descriptors: limit, open, connections: this.most };
    if (this.most >= FEW) this.app.log.info(facts, 'the limit of descriptors bounds connections');
    else this.app.log.warn(facts, `this process can have ${this.most} connections: raise the limit (ulimit -n)`);
  }

  /** Takes a connection, or destroys it. */
  take(socket: Socket): void {
    // A connection whose upgrade was ignored is reported a second time.
    if (this.#taken.has(socket)) return;
    this.#taken.add(socket);
    const open = this.app.openConnections.size;
    if (open > this.most) this.#takeBeyond(socket, open);
    if (!socket.destroyed && !this.isBehindProxy) this.#takeOfAddress(socket);
    socket.once('close', () => this.#calmed());
  }

  #takeBeyond(socket: Socket, open: number): void {
    this.counts.refused += 1;
    this.#isFull = true;
    this.#problems?.raise(FULL);
    if (open > this.most + BEYOND) return void socket.destroy();
    this.#beyond.add(socket);
    const timer = setTimeout(() => currentAnswer(socket) ?? socket.destroy(), BEYOND_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #calmed(): void {
    if (!this.#isFull || this.app.openConnections.size > this.most * CALM_PART) return;
    this.#isFull = false;
    this.#problems?.clear(FULL);
  }

  #takeOfAddress(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '');
    const most = Math.min(IDLE_OF_ADDRESS, Math.ceil(this.most / 2));
    const peer = this.#peers.get(address) ?? { sockets: new Set(), countAbove: most };
    this.#peers.set(address, peer);
    peer.sockets.add(socket);
    socket.once('close', () => {
      peer.sockets.delete(socket);
      if (peer.sockets.size === 0) this.#peers.delete(address);
    });
    if (peer.sockets.size > peer.countAbove) this.#closeIdle(peer, socket, most);
  }

  /** Closes the oldest idle connections of an address with too many, but not the newest connection. */
  #closeIdle(peer: Peer, newest: Socket, most: number): void {
    const idle = [...peer.sockets].filter((socket) => socket !== newest && isIdle(socket));
    const surplus = idle.length < most ? [] : idle.slice(0, idle.length - Math.floor(most * KEPT_PART));
    this.counts.idle += surplus.length;
    for (const socket of surplus) socket.destroy();
    peer.countAbove = peer.sockets.size - surplus.length + (most - (idle.length - surplus.length));
  }
}

/** Bounds the connections of a server, which `ownConnections` knows. */
export function limitConnections(app: FastifyInstance, trustProxy: number, metrics: Metrics): ConnectionLimits {
  const limits = new ConnectionLimits(app, trustProxy > 0);
  app.server.once('listening', () => limits.begin());
  app.server.on('connection', (socket) => limits.take(socket));
  app.server.prependListener('request', (request, response) => {
    if (limits.isBeyond(request.socket)) response.shouldKeepAlive = false;
  });
  metrics.gauges('connections.state', 'Open connections, and how many are possible', 'process', () => ({
    open: app.openConnections.size,
    ...(limits.most === Number.POSITIVE_INFINITY ? {} : { most: limits.most }),
  }));
  metrics.gauges('connections_ended.reason', 'Connections that were ended because of their number', 'process', () => ({
    ...limits.counts,
  }));
  return limits;
}
