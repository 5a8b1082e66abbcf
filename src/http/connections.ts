// Bare connections below HTTP: each has an owner for its errors, and nothing is written out of turn to one that still owes answers.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The answer that a connection sends now, before all others; undefined when it owes none. Node keeps it on the socket. */
export function currentAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/**
 * Calls once every request that arrived whole on this connection is answered: requests may be pipelined, and answers leave in their order
 * (RFC 9112 §9.3.2). Never calls when the connection ends first.
 */
export function afterAnswers(socket: Socket, call: () => void): void {
  if (!socket.writable) return;
  const answer = currentAnswer(socket);
  if (answer?.req.complete) answer.once('close', () => afterAnswers(socket, call));
  else call();
}

/** Takes care of every connection of a server, whatever HTTP does with it later. */
export function ownConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket) => {
    // A connection whose upgrade was ignored comes twice.
    if (open.has(socket)) return;
    open.add(socket);
    // Node destroys a socket that fails. At an upgrade it takes its own listeners away, and an error without one ends the process.
    socket.on('error', () => {});
    socket.on('timeout', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  });
  // Connections that browsers and pools open ahead and have sent nothing on: Node does not count them as idle, and would wait for them.
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

/** Connections that sent something unreadable; the parser fails again with everything that follows. */
const unreadable = new WeakSet<Socket>();

/** What is not even HTTP never becomes a request; the answer is written to the bare connection, after those of the requests before it. */
export function answerUnreadable({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (unreadable.has(socket)) return;
  unreadable.add(socket);
  afterAnswers(socket, () => endUnreadable(String(code), socket));
}

function endUnreadable(code: string, socket: Socket): void {
  // An answer that has begun cannot be followed by another one.
  if (currentAnswer(socket)?.headersSent) return void socket.destroy();
  const [status, message] = UNREADABLE[code] ?? [400, 'The request is not HTTP that can be read.'];
  const body = JSON.stringify({ error: status, message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
