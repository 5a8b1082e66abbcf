// The route of WebSockets: origin first, then the handshake, then the protocol.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { handleProtocols, type Server } from 'graphql-ws';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { checkOrigin, originAllowed, pageOf } from '../../rest/cors.js';
import { BODY_LIMIT, PATH, sendGraphqlError } from '../server.js';
import type { HeldConnection } from './held-connection.js';
import type { Transport } from './register.js';
import { CLOSE, SocketClient } from './socket-client.js';
import { type Opened, socketProtocol } from './socket-protocol.js';
import { routeUpgrades, upgradeOf } from './upgrade.js';

/** How long a client that was told goodbye may take to say so too. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Registers the route, and leads upgrades to it. */
export function registerSockets(app: FastifyInstance, transport: Transport): void {
  const protocol = socketProtocol(transport);
  // `closeTimeout` is newer than the types of `ws`.
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    // Answers are made once for everybody; compressing them for each would cost more than it saves.
    perMessageDeflate: false,
    maxPayload: BODY_LIMIT,
    closeTimeout: CLOSE_TIMEOUT_MS,
    handleProtocols,
  };
  const sockets = new WebSocketServer(options);
  routeUpgrades(app);
  app.route({
    method: 'GET',
    url: PATH,
    exposeHeadRoute: false,
    constraints: { asked: 'websocket' },
    errorHandler: sendGraphqlError,
    onRequest: (request, reply) => checkOrigin(transport.origins, request, reply),
    handler: (request, reply) => {
      const connection = upgradeOf(request.raw);
      if (connection !== undefined) accept(sockets, protocol, transport, { request, reply, connection });
    },
  });
}

interface Accepted {
  request: FastifyRequest;
  reply: FastifyReply;
  connection: HeldConnection;
}

function accept(
  sockets: WebSocketServer,
  protocol: Server<Opened>,
  transport: Transport,
  { request, reply, connection }: Accepted,
): void {
  reply.hijack();
  const socket = connection.release();
  reply.raw.detachSocket(socket);
  // To whoever waits for the end of the answer: the rest is not HTTP.
  reply.raw.emit('close');
  const { id } = request;
  const opened = openedBy(request, transport);
  sockets.handleUpgrade(request.raw, socket, Buffer.alloc(0), (webSocket) => {
    open(webSocket, protocol, { ...opened, client: new SocketClient(webSocket, socket, id) }, transport);
  });
  socket.resume();
}

/** What is kept of the request: not the request itself, which is large, and sockets are many. */
function openedBy(request: FastifyRequest, { origins }: Transport): Omit<Opened, 'client'> {
  const page = pageOf(request);
  const { authorization, 'x-partner-auth': partner, 'x-admin-api-key': operator } = request.headers;
  return {
    address: request.ip,
    headers: { authorization, 'x-partner-auth': partner, 'x-admin-api-key': operator },
    admits: (caller) => originAllowed(origins, page, caller),
  };
}

function open(socket: WebSocket, protocol: Server<Opened>, opened: Opened, { clients, log }: Transport): void {
  const { client } = opened;
  clients.add(client);
  // `ws` has closed it with the code that fits already.
  socket.on('error', () => {});
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => client.send(text),
      close: (code = CLOSE.internal, reason = '') => client.close(code, reason),
      onMessage: (call) => {
        socket.on('message', (message) => {
          call(textOf(message)).catch((error: unknown) => endFailed(client, error, log));
        });
      },
    },
    opened,
  );
  socket.once('close', (code, reason) => {
    clients.delete(client);
    void closed(code, reason.toString());
  });
}

/** What graphql-ws throws is either about the client's message, or ours to look into; `admit` has closed the socket with its own code. */
function endFailed(client: SocketClient, error: unknown, log: Transport['log']): void {
  const theirs = error instanceof Error && error.message.startsWith('Unexpected message');
  if (theirs) client.close(CLOSE.badRequest, 'Invalid message received');
  if (client.open) log.error({ err: error, reqId: client.requestId }, 'a message over a socket has failed');
  client.close(CLOSE.internal, 'Internal server error');
}

const textOf = (message: RawData): string =>
  (Array.isArray(message) ? Buffer.concat(message) : Buffer.from(message as Buffer)).toString();
