// Apollo's plugins: limits, the request's id in errors, the log.
import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import type { FastifyBaseLogger } from 'fastify';
import { GraphQLError, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { DomainError, ERRORS } from '../base/errors.js';
import type { Limits } from './documents/limits.js';
import { PaidOperation } from './documents/price.js';
import { domainErrorOf } from './errors.js';
import type { GraphqlFacts } from './graphql-facts.js';

/** Refuses operations that are too large, and those of callers without points, before they run. */
export function limitsPlugin(limits: Limits): ApolloServerPlugin<GraphqlFacts> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, request, contextValue }) => {
        try {
          if (operation?.operation === 'subscription') throw needsStream();
          if (operation) pay(contextValue, operation, limits.check(document, operation, request.variables));
        } catch (error) {
          throw refusalOf(domainErrorOf(error));
        }
      },
    }),
  };
}

/**
 * Charges an operation's points, unless it has already run and Apollo only formats its errors. @throws DomainError
 * RATE_LIMITED.
 */
function pay(facts: GraphqlFacts, { operation }: OperationDefinitionNode, points: number): void {
  if (facts.result) return;
  if (operation === OperationTypeNode.QUERY) facts.paid = new PaidOperation(facts.charge, points);
  else facts.charge.take(points);
}

function refusalOf(refused: DomainError): GraphQLError {
  const { retryAfter } = refused.data;
  const headers = new HeaderMap(retryAfter === undefined ? [] : [['retry-after', String(retryAfter)]]);
  const http = { status: ERRORS[refused.code].status, headers };
  return new GraphQLError(refused.message, { originalError: refused, extensions: { http } });
}

function needsStream(): DomainError {
  const ways = 'ask for text/event-stream in the accept header, or open a WebSocket (graphql-transport-ws)';
  return new DomainError('NOT_ACCEPTABLE', `A subscription has many results: ${ways}.`);
}

/** Every error names the request, so that a person can ask about it. */
export function requestIdPlugin(): ApolloServerPlugin<GraphqlFacts> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response, contextValue }) => {
        if (response.body.kind !== 'single') return;
        for (const error of response.body.singleResult.errors ?? []) {
          Object.assign(error.extensions ?? {}, { requestId: contextValue.requestId });
        }
      },
    }),
  };
}

/** Logs failures of the gateway with their cause. Refusals are not logged. */
export function logPlugin(log: FastifyBaseLogger): ApolloServerPlugin<GraphqlFacts> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        for (const error of errors) {
          const { code, logged, cause } = domainErrorOf(error, error.extensions?.code);
          const { entry } = error.extensions ?? {};
          log[ERRORS[code].level](
            { reqId: contextValue?.requestId, code, entry, ...(cause === undefined ? {} : { err: cause }) },
            logged,
          );
        }
      },
    }),
  };
}
