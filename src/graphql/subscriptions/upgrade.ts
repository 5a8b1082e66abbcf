// Upgrade requests, led through the same routes and hooks as every other request: origins, the store's absence and unknown paths are
// answered alike. Requests before them on the same connection are answered first.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAnswers } from '../../http/connections.js';
import { HeldConnection } from './held-connection.js';

const upgrades = new WeakMap<IncomingMessage, HeldConnection>();

/** The connection of a request that asks for a WebSocket. */
export function upgradeOf(request: IncomingMessage): HeldConnection | undefined {
  return upgrades.get(request);
}

/** Leads upgrade requests of a server to its routes. */
export function routeUpgrades(app: FastifyInstance): void {
  const take = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const connection = new HeldConnection(socket, head);
    afterAnswers(socket, () => {
      if (request.method === 'CONNECT') return answer(app, request, socket);
      if (!asksForWebSocket(request)) return ignoreUpgrade(app.server, request, connection);
      // Whoever came too late finds another gateway; a socket that opens now nobody would send away.
      if (!app.server.listening) return void socket.destroy();
      upgrades.set(request, connection);
      answer(app, request, socket);
    });
  };
  app.server.on('upgrade', take);
  // We are no proxy, which an answer says better than an end.
  app.server.on('connect', take);
}

const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/** Answers by the routes; the connection ends with the answer, unless the route takes it over. */
function answer(app: FastifyInstance, request: IncomingMessage, socket: Socket): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.destroySoon());
  response.assignSocket(socket);
  app.routing(request, response);
}

/** Options of a connection that ask for the upgrade (RFC 9110 §7.8). */
const UPGRADE_OPTIONS = new Set(['upgrade', 'http2-settings']);

/**
 * Serves a request as if it had asked for no upgrade, which a server may always do: some clients offer HTTP/2 in every request, also with a
 * body. Node has stopped reading requests on this connection; it begins again with the request as it should have come.
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
  // Node adds these each time, and takes them away only with the connection.
  socket.removeAllListeners('pause').removeAllListeners('resume');
  server.emit('connection', socket);
  socket.resume();
}

/** A field of the head, as it would be without the wish for an upgrade; undefined: not at all. */
function withoutUpgrade(name: string, value: string): string | undefined {
  const field = name.toLowerCase();
  if (UPGRADE_OPTIONS.has(field)) return undefined;
  if (field !== 'connection') return `${name}: ${value}`;
  const options = value.split(',').filter((option) => !UPGRADE_OPTIONS.has(option.trim().toLowerCase()));
  return options.length === 0 ? undefined : `${name}: ${options.join(',')}`;
}
