// The route of event streams: the checks of other HTTP requests, then one operation whose results are sent as events.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OperationTypeNode } from 'graphql';
import { DomainError } from '../../base/errors.js';
import { chargeCaller, chargeOf, identified } from '../../http/callers/charges.js';
import { checkOrigin } from '../../http/callers/cors.js';
import { addVersionHeader } from '../../http/responses/version.js';
import { PaidOperation } from '../documents/price.js';
import { operationRequestOf } from '../documents/request.js';
import { sendGraphqlError } from '../send-error.js';
import { BODY_LIMIT, PATH } from '../server.js';
import { EventStream } from './event-stream.js';
import { asGraphqlError, type Operation, refundQuery } from './operations.js';
import { Subscription } from './subscription.js';
import type { Transport } from './transport.js';

/** The price of a connection that stays open. */
const STREAM_POINTS = 10;

/** Registers the route. */
export function registerEventStreams(app: FastifyInstance, transport: Transport): void {
  const { origins, clients } = transport;
  app.route({
    method: ['GET', 'POST'],
    url: PATH,
    exposeHeadRoute: false,
    bodyLimit: BODY_LIMIT,
    constraints: { asked: 'event-stream' },
    errorHandler: sendGraphqlError,
    onRequest: async (request, reply) => {
      await checkOrigin(origins, request, reply);
      const { server, facts, headers } = request;
      const { caller } = await identified(server.points, facts.address, headers, () => clients.identify(headers));
      chargeCaller(request, caller);
      chargeOf(request).take(STREAM_POINTS);
      if (caller.kind === 'partner') await checkOrigin(origins, request, reply, caller);
      addVersionHeader(reply, caller);
      request.facts.caller = caller;
    },
    handler: (request, reply) => stream(request, reply, transport),
  });
}

/** @throws DomainError METHOD_NOT_ALLOWED for a mutation by GET, RATE_LIMITED for a caller with too many streams or without points. */
async function stream(request: FastifyRequest, reply: FastifyReply, transport: Transport): Promise<FastifyReply> {
  const { clients, operations, renderer } = transport;
  const { facts, headers } = request;
  const operation = operations.of(operationRequestOf(request), facts.charge);
  if (isOperation(operation)) checkMethod(request, operation);
  const paid = isOperation(operation) ? new PaidOperation(chargeOf(request), operation.points) : undefined;
  const identity = clients.identityOf(facts.caller, headers);
  const seat = clients.seat(identity, facts.address);
  const events = new EventStream(reply, identity);
  clients.add(events, seat);
  events.onClosed(() => clients.delete(events));
  if (isOperation(operation)) await perform({ operation, paid }, events, request, transport);
  else events.next({ errors: renderer.tell(operation, request.id) });
  events.complete();
  return reply;
}

interface Performed {
  operation: Operation;
  paid: PaidOperation | undefined;
}

/** Resolves when the operation has ended. */
async function perform(
  { operation, paid }: Performed,
  events: EventStream,
  request: FastifyRequest,
  transport: Transport,
): Promise<void> {
  const { id: requestId, facts } = request;
  const { address } = facts;
  const { runner, renderer, services } = transport;
  const { caller } = events.identity;
  const ask = services.commandGate.of({ caller, address, hasLeft: () => !events.open }, paid?.addCommand);
  const started = await runner.start(operation, { caller, address, requestId, ask, outlet: events });
  if (!(started instanceof Subscription)) {
    refundQuery(operation, paid, started);
    return events.next(renderer.answer(started, requestId));
  }
  if (!events.open) return void started.return();
  events.onClosed(() => void started.return());
  try {
    await started.next();
  } catch (error) {
    events.next({ errors: renderer.tell([asGraphqlError(error)], requestId) });
  }
}

function checkMethod({ method }: FastifyRequest, { node }: Operation): void {
  if (method === 'GET' && node.operation === OperationTypeNode.MUTATION)
    throw new DomainError('METHOD_NOT_ALLOWED', 'GET does not change anything; send mutations by POST.', {
      allow: ['POST'],
    });
}

const isOperation = (result: Operation | readonly unknown[]): result is Operation => !Array.isArray(result);
