// Upgrade requests pass the same routes and hooks as all other requests. The responses to a forbidden origin, an
// unavailable store or an unknown path are therefore the same. Earlier requests on the same connection get their
// responses first.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAnswers, endAndDiscard } from '../../http/server/connections.js';
import { HeldConnection } from './held-connection.js';

const upgrades = new WeakMap<IncomingMessage, HeldConnection>();

/** The connection of a request that asks for a WebSocket. */
export function upgradeOf(request: IncomingMessage): HeldConnection | undefined {
  return upgrades.get(request);
}

/** Routes upgrade requests of a server. */
export function routeUpgrades(app: FastifyInstance): void {
  const take = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const connection = new HeldConnection(socket, head);
    afterAnswers(socket, () => {
      if (request.method === 'CONNECT') return answer(app, request, connection);
      if (!asksForWebSocket(request)) return ignoreUpgrade(app.server, request, connection);
      // The server is closing: a socket opened now would not be closed. A client whose connection is destroyed tries
      // another gateway.
      if (!app.server.listening) return void socket.destroy();
      upgrades.set(request, connection);
      answer(app, request, connection);
    });
  };
  app.server.on('upgrade', take);
  // The gateway is not a proxy, and a response says so more clearly than a closed connection.
  app.server.on('connect', take);
}

const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/** Passes the request to the routes. The connection ends with the response, unless a route continues to use it. */
function answer(app: FastifyInstance, request: IncomingMessage, connection: HeldConnection): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.once('finish', () => endAndDiscard(connection.release()));
  response.assignSocket(connection.socket);
  app.routing(request, response);
}

/** Options of a connection that ask for the upgrade (RFC 9110 §7.8). */
const UPGRADE_OPTIONS = new Set(['upgrade', 'http2-settings']);

/**
 * Serves a request as if it had not asked for an upgrade, as RFC 9110 allows: some clients offer HTTP/2 in every request, even with a
 * body. Node has stopped parsing this connection; it starts again with the request without its upgrade.
 */
function ignoreUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  connection: HeldConnection,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const line = withoutUpgrade(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
    if (line !== undefined) lines.push(line);
  }
  const socket = connection.release();
  socket.unshift(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  // Node adds these listeners each time, and removes them only with the connection.
  socket.removeAllListeners('pause').removeAllListeners('resume');
  server.emit('connection', socket);
  socket.resume();
}

/** A header field without the upgrade; undefined when nothing is left of it. */
function withoutUpgrade(name: string, value: string): string | undefined {
  const field = name.toLowerCase();
  if (UPGRADE_OPTIONS.has(field)) return undefined;
  if (field !== 'connection') return `${name}: ${value}`;
  const options = value.split(',').filter((option) => !UPGRADE_OPTIONS.has(option.trim().toLowerCase()));
  return options.length === 0 ? undefined : `${name}: ${options.join(',')}`;
}
