// graphql-transport-ws (graphql-ws keeps the protocol) with our callers, our limits and our fan-out.
import { type ExecutionArgs, GraphQLError, type GraphQLSchema } from 'graphql';
import { type Context, makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import type { Caller } from '../../caller.js';
import { DomainError, toDomainError } from '../../errors.js';
import type { Clients } from './clients.js';
import type { Operation, Operations } from './operations.js';
import type { Renderer } from './render.js';
import type { Runner } from './runner.js';
import { CLOSE, type SocketClient } from './socket-client.js';

/** Operations of one socket at the same time. */
export const MAX_OPERATIONS = 500;

/** What comes with a socket. */
export interface Opened {
  client: SocketClient;
  /** Headers of the upgrade request: clients that are no browsers may show who they are there as well. */
  headers: Readonly<Record<string, unknown>>;
  /** Whether a page of the socket's origin may speak for this caller. */
  admits(caller: Caller): Promise<boolean>;
}

export interface SocketProtocolOptions {
  schema: GraphQLSchema;
  clients: Clients;
  operations: Operations;
  runner: Runner;
  renderer: Renderer;
}

type Params = Record<string, unknown>;
type SocketContext = Context<Params, Opened>;

/** What graphql-ws carries from `onSubscribe` to where the operation is run. */
interface SocketArgs extends ExecutionArgs {
  operation: Operation;
  client: SocketClient;
  id: string;
}

/** The protocol's server; each socket is `opened` on it. */
export function socketProtocol(options: SocketProtocolOptions): Server<Opened> {
  const { renderer } = options;
  return makeServer<Params, Opened>({
    onConnect: (context) => admit(context, options.clients),
    onSubscribe: (context, id, payload) => argsOf(context, id, payload, options),
    subscribe: (args) => start(args, options.runner) as never,
    execute: (args) => start(args, options.runner) as never,
    onNext: ({ extra }, _id, _payload, _args, result) => renderer.answer(result, extra.client.requestId),
    // What fails here is graphql-js's: nothing that comes formatted already.
    onError: ({ extra }, _id, _payload, errors) =>
      renderer.tell(errors as readonly GraphQLError[], extra.client.requestId),
  });
}

/** Finds out who the client is: false, which closes with 4403, when it may not be that. */
async function admit({ extra, connectionParams }: SocketContext, clients: Clients): Promise<boolean> {
  const { client, headers, admits } = extra;
  try {
    const identity = await clients.identify(headers, connectionParams ?? {});
    if (!(await admits(identity.caller))) return false;
    client.identity = identity;
    return true;
  } catch (error) {
    const { code } = toDomainError(error);
    if (code === 'FORBIDDEN') return false;
    client.close(code === 'STORE_UNAVAILABLE' ? CLOSE.tryAgainLater : CLOSE.internal, 'Try again later');
    throw error;
  }
}

function argsOf(
  { extra, subscriptions }: SocketContext,
  id: string,
  payload: SubscribePayload,
  { schema, operations }: SocketProtocolOptions,
): SocketArgs | readonly GraphQLError[] {
  if (Object.keys(subscriptions).length > MAX_OPERATIONS) return [tooMany()];
  const operation = operations.of(payload);
  if (Array.isArray(operation)) return operation;
  const { document, operationName, variables: variableValues } = operation as Operation;
  const args = { schema, document, operationName, variableValues, contextValue: undefined };
  return { ...args, operation: operation as Operation, client: extra.client, id };
}

function start(args: ExecutionArgs, runner: Runner) {
  const { operation, client, id } = args as SocketArgs;
  if (client.identity === undefined)
    throw new Error('graphql-ws has run an operation of a socket that is not acknowledged');
  const { caller } = client.identity;
  return runner.start(operation, { caller, requestId: client.requestId, outlet: client.outlet(id) });
}

function tooMany(): GraphQLError {
  const message = `A socket may have ${MAX_OPERATIONS} operations at the same time.`;
  return new GraphQLError(message, { originalError: new DomainError('RATE_LIMITED', message) });
}
