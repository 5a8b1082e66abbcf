// Handles connections below HTTP: each has a handler for its errors, and nothing is written before the responses that must precede it.
import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** The response that a connection sends next; undefined if there is none. Node stores it on the socket. */
export function currentAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/**
 * Calls `call` once every request that arrived completely on this connection has its response. Requests may be pipelined; responses are sent in order
 * (RFC 9112 §9.3.2). Never calls if the connection ends first.
 */
export function afterAnswers(socket: Socket, call: () => void): void {
  if (!socket.writable) return;
  const answer = currentAnswer(socket);
  if (answer?.req.complete) answer.once('close', () => afterAnswers(socket, call));
  else call();
}

/** How long bytes of a refused client are still read and discarded. Milliseconds. */
const DISCARD_MS = 2_000;

/**
 * Ends a connection after its last response, and discards what the client still sends. A connection that is closed with unread bytes is
 * reset, and the client may lose the response (RFC 9112 §9.6).
 */
export function endAndDiscard(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), DISCARD_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end();
  socket.resume();
}

declare module 'fastify' {
  interface FastifyInstance {
    openConnections: ReadonlySet<Socket>;
  }
}

/**
 * Whether the server is at work for the client of an idle connection: there is something to read of its request, or the
 * request is complete, and everything that was written has been taken. A window of an import, and the counters at its
 * end, may take longer than a connection may be idle.
 */
function isServed(socket: Socket): boolean {
  const { req } = currentAnswer(socket) ?? {};
  return req !== undefined && (req.complete || req.readableLength > 0) && socket.writableLength === 0;
}

/** Handles errors and the shutdown of every connection of a server. */
export function ownConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.decorate('openConnections', open);
  app.server.on('connection', (socket) => {
    // A connection whose upgrade was ignored is reported a second time.
    if (open.has(socket)) return;
    open.add(socket);
    // Node destroys a failed socket. At an upgrade it removes its listeners, and an error without a listener ends the process.
    socket.on('error', () => {});
    socket.on('timeout', () => {
      if (isServed(socket)) socket.setTimeout(socket.timeout ?? 0);
      else socket.destroy();
    });
    socket.once('close', () => open.delete(socket));
  });
  // Without a listener here, Node would end every idle connection by itself.
  app.server.on('timeout', () => {});
  // Browsers and pools open connections ahead of requests. Node does not count unused ones as idle, and would wait for them.
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

/** How long open connections may still be used before the server stops. Milliseconds. */
const DRAIN_MS = 1_000;

/**
 * Accepts no more connections, and closes each open one after its next response. Resolves when all connections have
 * ended, or after a while. (A balancer cannot repeat a POST that it has sent on a connection that is being closed, but
 * when a new connection is refused, it uses another gateway.)
 */
export async function drainConnections({ server, openConnections }: FastifyInstance): Promise<void> {
  const isLast = (response: ServerResponse | undefined) => {
    if (response && !response.headersSent) response.shouldKeepAlive = false;
  };
  server.prependListener('request', (_request, response) => isLast(response));
  for (const socket of openConnections) isLast(currentAnswer(socket));
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(server, 'close', { signal });
  // An HTTP server's own `close` ends idle connections at once.
  Server.prototype.close.call(server);
  await Promise.race([ended, delay(DRAIN_MS, undefined, { signal })]).finally(() => waiting.abort());
}

const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  HPE_INVALID_METHOD: [
    400,
    'The method of the request is not one of HTTP that is known here; methods are written in capitals.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

/** Connections that sent something unreadable; the parser fails again for everything after it. */
const unreadable = new WeakSet<Socket>();

/**
 * Responds to bytes that are not HTTP, which never become a request. The response is written to the connection, after
 * the responses to earlier requests.
 */
export function answerUnreadable({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (unreadable.has(socket)) return;
  unreadable.add(socket);
  afterAnswers(socket, () => endUnreadable(String(code), socket));
}

function endUnreadable(code: string, socket: Socket): void {
  // A response that has begun cannot be followed by another.
  if (currentAnswer(socket)?.headersSent) return void socket.destroy();
  const [status, message] = UNREADABLE[code] ?? [400, 'The request is not HTTP that can be read.'];
  const body = JSON.stringify({ error: status, message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
