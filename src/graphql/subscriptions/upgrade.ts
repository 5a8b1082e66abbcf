// Upgrade requests, led through the same routes and hooks as every other request: origins, the store's absence and unknown paths are
// answered alike.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** What a request that asks for a WebSocket came with. */
export interface Upgrade {
  socket: Socket;
  /** What the client sent behind its request. */
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** The upgrade that a request asks for, if it does. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request);
}

/** Leads upgrade requests of a server to its routes. */
export function routeUpgrades(app: FastifyInstance): void {
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Nobody else listens for errors of this connection any more.
    socket.on('error', () => socket.destroy());
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') return ignoreUpgrade(app.server, request, socket, head);
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.once('finish', () => socket.destroySoon());
    response.assignSocket(socket);
    app.routing(request, response);
  });
}

/** Hop-by-hop fields that ask for the upgrade (RFC 9110 §7.8). */
const UPGRADE_FIELDS = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Serves a request as if it had asked for no upgrade, which a server may always do: some clients offer HTTP/2 in every request, also with a
 * body. Node has stopped reading requests on this connection; it begins again with the request as it should have come.
 */
function ignoreUpgrade(
  server: Server,
  { method, url, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!UPGRADE_FIELDS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
