// The facts about a GraphQL request, beside those that every request has.
import type { FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import type { MaybePromise } from '../base/concurrency/maybe-promise.js';
import type { Charge } from '../base/callers/points.js';
import type { RequestFacts, Services } from '../compose/context.js';
import { chargeOf } from '../http/callers/charges.js';
import type { HttpFacts } from '../http/requests/request-facts.js';
import type { PaidOperation } from './documents/price.js';
import { type Wants, wantsOf } from './execution/extras.js';

/** The facts about a GraphQL request before it runs, and its result if it has already run. */
export interface GraphqlFacts extends RequestFacts {
  http: HttpFacts;
  /** The members of the response besides its data. */
  wants: Wants;
  charge: Charge;
  /** The running query, which has been paid for; its unused points are refunded. */
  paid?: PaidOperation;
  result?: ExecutionResult;
  /** The result of an operation that has begun before the request was routed. */
  running?: MaybePromise<ExecutionResult>;
}

declare module '../http/requests/request-facts.js' {
  interface HttpFacts {
    graphql?: GraphqlFacts;
  }
}

/** The facts of an admitted request, for its execution. A request whose response is cached needs none. */
export function factsOf(
  { id: requestId, raw, facts: http }: Pick<FastifyRequest, 'id' | 'raw' | 'facts'>,
  { commandGate }: Services,
): GraphqlFacts {
  if (http.graphql) return http.graphql;
  const { address, caller } = http;
  const asker = { caller, address, hasLeft: () => raw.socket.destroyed };
  const ask = commandGate.of(asker, (ms) => facts.paid?.addCommand(ms));
  const wants = wantsOf(raw.headers['x-include']);
  const facts: GraphqlFacts = { http, caller, requestId, address, ask, wants, charge: chargeOf({ facts: http }) };
  http.graphql = facts;
  return facts;
}
