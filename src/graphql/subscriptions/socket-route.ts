// The route of WebSockets: the origin is checked first, then the handshake, then the protocol runs.
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { handleProtocols, type Server } from 'graphql-ws';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { beforeDeadline } from '../../http/server/deadline.js';
import { DomainError, toDomainError } from '../../base/errors.js';
import { markNumbers, mayBeInexact, unmarkNumbers } from '../../base/json/exact-json.js';
import { chargeOf } from '../../http/callers/charges.js';
import { checkOrigin, originAllowed } from '../../http/callers/cors.js';
import { sendGraphqlError } from '../send-error.js';
import { BODY_LIMIT, PATH } from '../server.js';
import type { HeldConnection } from './held-connection.js';
import { Inbox } from './inbox.js';
import { CLOSE, SocketClient, TRY_AGAIN_LATER } from './socket-client.js';
import { type Opened, socketProtocol } from './socket-protocol.js';
import type { Transport } from './transport.js';
import { routeUpgrades, upgradeOf } from './upgrade.js';

/** How long a client may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 10_000;
/** Points of a handshake. */
const SOCKET_POINTS = 10;

/** Whether a request is for the route of WebSockets. */
export function isSocketRequest({ raw, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === PATH && upgradeOf(raw) !== undefined;
}

/** Registers the route, and routes upgrades to it. */
export function registerSockets(app: FastifyInstance, transport: Transport): void {
  const protocol = socketProtocol(transport);
  // `closeTimeout` is newer than the types of `ws`.
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    // Results are serialised once for everybody; compressing them for each client would cost more than it saves.
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
    onRequest: async (request, reply) => {
      chargeOf(request).take(SOCKET_POINTS);
      await judge(request, reply, transport);
    },
    handler: (request, reply) => {
      const connection = upgradeOf(request.raw);
      if (connection === undefined) return;
      const mayOpen = transport.isStoreAvailable() && !unjudged.has(request);
      const opening = mayOpen ? openingOf(request, protocol, transport) : sendAway;
      accept(sockets, { request, reply, connection }, opening);
    },
  });
}

/** Requests from pages whose origin could not be checked. */
const unjudged = new WeakSet<FastifyRequest>();

/** Browsers hide why a handshake was refused. So while the store is unavailable, the socket is opened and closed with a code that says so. */
async function judge(request: FastifyRequest, reply: FastifyReply, transport: Transport): Promise<void> {
  const { origins, isStoreAvailable, requestTimeoutMs } = transport;
  if (!isStoreAvailable()) return;
  try {
    await beforeDeadline(checkOrigin(origins, request, reply), requestTimeoutMs);
  } catch (error) {
    if (toDomainError(error).code !== 'STORE_UNAVAILABLE') throw error;
    unjudged.add(request);
  }
}

function sendAway(socket: WebSocket): void {
  socket.on('error', () => {});
  socket.close(CLOSE.tryAgainLater, TRY_AGAIN_LATER);
}

interface Accepted {
  request: FastifyRequest;
  reply: FastifyReply;
  connection: HeldConnection;
}

type Opening = (webSocket: WebSocket, connection: Duplex) => void;

function accept(sockets: WebSocketServer, { request, reply, connection }: Accepted, opening: Opening): void {
  reply.hijack();
  const socket = connection.release();
  reply.raw.detachSocket(socket);
  // Emitted so that readers of this response know that it has ended: what follows on the connection is not HTTP.
  reply.raw.emit('close');
  sockets.handleUpgrade(request.raw, socket, Buffer.alloc(0), (webSocket) => opening(webSocket, socket));
  socket.resume();
}

function openingOf(request: FastifyRequest, protocol: Server<Opened>, transport: Transport): Opening {
  const { id } = request;
  const opened = openedBy(request, transport);
  return (webSocket, connection) =>
    open(webSocket, protocol, { ...opened, client: new SocketClient(webSocket, connection, id) }, transport);
}

/** The members of the request that a socket stores. The whole request is large, and there are many sockets. */
function openedBy(request: FastifyRequest, { origins }: Transport): Omit<Opened, 'client'> {
  const { origin, authorization, 'x-partner-auth': partner, 'x-admin-api-key': operator } = request.headers;
  return {
    address: request.facts.address,
    headers: { authorization, 'x-partner-auth': partner, 'x-admin-api-key': operator },
    admits: (caller) => originAllowed(origins, origin, caller),
  };
}

function open(socket: WebSocket, protocol: Server<Opened>, opened: Opened, transport: Transport): void {
  const { client, address } = opened;
  const { clients, log, points, turns } = transport;
  const bucket = () =>
    client.identity ? points.of(client.identity.caller, address) : points.ofWrongCredentials(address);
  clients.add(client);
  // `ws` has already closed it with the right code.
  socket.on('error', () => {});
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => client.send(text),
      close: (code = CLOSE.internal, reason = '') => client.close(code, reason),
      onMessage: (call) => {
        const handle = (text: string): void => {
          // Set before the call: graphql-ws parses the text (with inexact numbers) and calls `onSubscribe`, which reads
          // the refusal.
          client.refusal = refusalOf(text);
          void call(text).catch((error: unknown) => endFailed(client, error, log));
        };
        const inbox = new Inbox({ socket, turns, bucketOf: bucket, handle });
        client.onBeat = () => inbox.beat();
        socket.on('message', (message) => inbox.push(textOf(message)));
        socket.once('close', () => inbox.close());
      },
    },
    opened,
  );
  socket.once('close', (code, reason) => {
    clients.delete(client);
    void closed(code, reason.toString());
  });
}

/**
 * Closes a socket after an error of graphql-ws: a fault of the client's message, or one of ours, which is logged. If
 * `admit` has closed the socket, its code stays.
 */
function endFailed(client: SocketClient, error: unknown, log: Transport['log']): void {
  const theirs = error instanceof Error && error.message.startsWith('Unexpected message');
  if (theirs) client.close(CLOSE.badRequest, 'Invalid message received');
  if (client.open) log.error({ err: error, reqId: client.requestId }, 'a message over a socket has failed');
  client.close(CLOSE.internal, 'Internal server error');
}

/** Why the operation in a message is refused: a number that a double cannot hold. */
function refusalOf(text: string): DomainError | undefined {
  if (!mayBeInexact(text)) return undefined;
  try {
    JSON.parse(text);
    unmarkNumbers((JSON.parse(markNumbers(text)) as { payload?: unknown } | null)?.payload);
    return undefined;
  } catch (error) {
    // graphql-ws closes the socket after a message that is not JSON.
    return error instanceof DomainError ? error : undefined;
  }
}

const textOf = (message: RawData): string =>
  (Array.isArray(message) ? Buffer.concat(message) : Buffer.from(message as Buffer)).toString();
