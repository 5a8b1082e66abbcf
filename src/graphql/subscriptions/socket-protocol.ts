// graphql-transport-ws (the library graphql-ws implements the protocol) with our callers, limits and fan-out.
import { type ExecutionArgs, GraphQLError, type GraphQLSchema } from 'graphql';
import { type Context, makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import { ANONYMOUS, type Caller } from '../../base/callers/caller.js';
import { beforeDeadline } from '../../http/server/deadline.js';
import { DomainError, toDomainError } from '../../base/errors.js';
import type { Charge, Points } from '../../base/callers/points.js';
import type { Services } from '../../compose/context.js';
import type { Headers } from '../../http/callers/authenticate.js';
import { identified } from '../../http/callers/charges.js';
import type { Clients } from '../../http/callers/clients.js';
import { PaidOperation } from '../documents/price.js';
import { asGraphqlError, type Operation, type Operations, refundQuery } from './operations.js';
import type { Renderer } from './render.js';
import type { Runner } from './runner.js';
import { CLOSE, type SocketClient, TRY_AGAIN_LATER } from './socket-client.js';
import { Subscription } from './subscription.js';

/** The facts about a socket when it opens. */
export interface Opened {
  client: SocketClient;
  /** The client's IP address. */
  address: string;
  /** Headers of the upgrade request: clients other than browsers may send credentials there too. */
  headers: Readonly<Record<string, unknown>>;
  /** Whether the socket's origin is allowed for this caller. */
  admits(caller: Caller): Promise<boolean>;
}

export interface SocketProtocolOptions {
  schema: GraphQLSchema;
  clients: Clients;
  services: Pick<Services, 'commandGate'>;
  operations: Operations;
  runner: Runner;
  renderer: Renderer;
  requestTimeoutMs: number;
  points: Points;
}

type InitPayload = Record<string, unknown>;
type SocketContext = Context<InitPayload, Opened>;

/** The arguments that graphql-ws passes from `onSubscribe` to the execution. */
interface SocketArgs extends ExecutionArgs {
  operation: Operation;
  charge: Charge;
  client: SocketClient;
  address: string;
  id: string;
}

/** The protocol's server; each socket is opened with `opened`. */
export function socketProtocol(options: SocketProtocolOptions): Server<Opened> {
  const { renderer } = options;
  return makeServer<InitPayload, Opened>({
    onConnect: (context) => admit(context, options),
    onSubscribe: (context, id, payload) => argsOf(context, id, payload, options),
    subscribe: (args) => start(args, options),
    execute: (args) => start(args, options),
    onNext: ({ extra }, _id, _payload, _args, result) => renderer.answer(result, extra.client.requestId),
    // Errors here are graphql-js's own objects, never formatted ones.
    onError: ({ extra }, _id, _payload, errors) =>
      renderer.tell(errors as readonly GraphQLError[], extra.client.requestId),
  });
}

/** Finds the caller. False when it may not connect or has too many sockets; the socket then closes, with 4403 unless already closed. */
async function admit(
  { extra, connectionParams }: SocketContext,
  { clients, requestTimeoutMs, points }: SocketProtocolOptions,
): Promise<boolean> {
  const { client, headers, address, admits } = extra;
  try {
    const credentials = { ...headers, ...connectionParams } as Headers;
    const identify = () => beforeDeadline(clients.identify(headers, connectionParams ?? {}), requestTimeoutMs);
    const identity = await identified(points, address, credentials, identify);
    if (!(await beforeDeadline(admits(identity.caller), requestTimeoutMs))) return false;
    if (!client.open) return false;
    clients.add(client, clients.seat(identity, address));
    client.identity = identity;
    return true;
  } catch (error) {
    const { code } = toDomainError(error);
    if (code === 'FORBIDDEN') return false;
    if (code === 'RATE_LIMITED') {
      client.close(CLOSE.tooMany, 'Too many sockets');
      return false;
    }
    client.close(code === 'STORE_UNAVAILABLE' ? CLOSE.tryAgainLater : CLOSE.internal, TRY_AGAIN_LATER);
    throw error;
  }
}

function argsOf(
  { extra, subscriptions }: SocketContext,
  id: string,
  payload: SubscribePayload,
  { schema, clients, operations, points }: SocketProtocolOptions,
): SocketArgs | readonly GraphQLError[] {
  const { client, address } = extra;
  if (client.refusal) return [asGraphqlError(client.refusal)];
  const caller = client.identity?.caller ?? ANONYMOUS;
  const max = clients.operationsOf(caller);
  if (Object.keys(subscriptions).length > max) return [tooMany(max)];
  const charge = points.chargeTo(caller, address);
  const operation = operations.of(payload, charge);
  if (Array.isArray(operation)) return operation;
  const { document, operationName, variables: variableValues } = operation as Operation;
  const args = { schema, document, operationName, variableValues, contextValue: undefined };
  return { ...args, operation: operation as Operation, charge, client, address, id };
}

/** Runs an operation as the client's current caller. Never rejects. */
async function start(args: ExecutionArgs, { clients, runner, services: { commandGate } }: SocketProtocolOptions) {
  const { operation, charge, client, address, id } = args as SocketArgs;
  try {
    const paid = new PaidOperation(charge, operation.points);
    const caller = await clients.callerOf(client);
    const ask = commandGate.of({ caller, address, hasLeft: () => !client.open }, paid.addCommand);
    const { requestId } = client;
    const started = await runner.start(operation, { caller, address, requestId, ask, outlet: client.outlet(id) });
    if (!(started instanceof Subscription)) refundQuery(operation, paid, started);
    return started;
  } catch (error) {
    return { errors: [asGraphqlError(error)] };
  }
}

function tooMany(max: number): GraphQLError {
  const message = `A socket may have ${max} operations at the same time.`;
  return new GraphQLError(message, { originalError: new DomainError('RATE_LIMITED', message) });
}
