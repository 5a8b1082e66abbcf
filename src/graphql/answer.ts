// How a request to /graphql is answered: from the response cache, directly, or through Apollo, and before or after it is routed.
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { DocumentNode, ExecutionResult, FormattedExecutionResult } from 'graphql';
import { after, type MaybePromise } from '../base/concurrency/maybe-promise.js';
import type { Services } from '../compose/context.js';
import { acceptsPlainJson } from '../http/requests/accept.js';
import type { EarlyAnswer, EarlyRequest } from '../http/requests/early.js';
import type { AcceptedOperation, AcceptedOperations } from './documents/accepted-operations.js';
import type { Documents } from './documents/documents.js';
import { PaidOperation } from './documents/price.js';
import { ANSWER_TYPE_UTF8, replaceDocumentName } from './documents/request.js';
import type { ExecutionRequest } from './execution/executor.js';
import { textOf } from './execution/written-data.js';
import { factsOf, type GraphqlFacts } from './graphql-facts.js';

export const PATH = '/graphql';

/** Requests that were no hits of the response cache, by their path: without Apollo, or through it. A result with errors goes through it, too. */
export interface RequestCounts {
  direct: number;
  apollo: number;
}

export type RunOperation = (
  document: DocumentNode,
  operation: Omit<ExecutionRequest, 'context' | 'catalogVersion'>,
  facts: GraphqlFacts,
) => MaybePromise<ExecutionResult>;

/**
 * The operation of a request that needs no checks by Apollo. A new document is parsed and validated here.
 * @throws DocumentRefused, DomainError as `replaceDocumentName`.
 */
function directOperation(request: FastifyRequest, { accepted, documents }: AnswerParts): AcceptedOperation | undefined {
  const { body, facts } = request;
  const known = accepted.find(body, facts.bodyText);
  if (known) return known;
  replaceDocumentName(request, documents);
  return accepted.find(body, facts.bodyText);
}

/** Of responses to requests without an origin. */
const EARLY_HEADERS = ['vary', 'origin'];

/** The response to a query before it is routed; undefined unless it is cached, or complete at once. */
export function answerEarly(
  request: EarlyRequest,
  { run, accepted, services, counts }: Pick<AnswerParts, 'run' | 'accepted' | 'services' | 'counts'>,
): EarlyAnswer | undefined {
  const { id, raw, text, bucket } = request;
  const { answers } = services;
  const cached = answers?.hit(text);
  if (cached) {
    request.pay();
    return { body: cached.body, route: PATH, headers: EARLY_HEADERS };
  }
  const operation = accepted.find(accepted.bodyOf(text), text);
  // The router waits for the response to an equal request, and refuses callers without points.
  if (!operation || answers?.isFilling(text) || bucket.left < request.points + operation.points) return undefined;
  if (answers) answers.counts.misses += 1;
  const facts = request.begin();
  facts.fill = answers?.begin(text);
  const graphql = factsOf({ id, raw, facts }, services);
  graphql.paid = new PaidOperation(graphql.charge, operation.points);
  const running = run(operation.document, operation, graphql);
  // The router sends it when it is there, or lets Apollo format its errors.
  graphql.running = running;
  if (running instanceof Promise || running.errors) return undefined;
  counts.direct += 1;
  const body = lineOf(running);
  facts.fill?.keep(body);
  return { body, route: PATH, headers: EARLY_HEADERS };
}

/** What responding needs. */
export interface AnswerParts {
  run: RunOperation;
  accepted: AcceptedOperations;
  documents: Documents;
  apolloRoute: RouteHandlerMethod;
  services: Services;
  counts: RequestCounts;
}

/**
 * Responds to a request: directly if its operation is a query within the limits, otherwise through Apollo. If the
 * result has errors, it is passed to Apollo, which formats it.
 */
export function answer(request: FastifyRequest, reply: FastifyReply, parts: AnswerParts): unknown {
  const { run, apolloRoute, services } = parts;
  const begun = request.facts.graphql?.running;
  if (begun) return sendResult(begun, request, reply, parts);
  const operation =
    request.method === 'POST' && acceptsPlainJson(request) ? directOperation(request, parts) : undefined;
  if (!operation) return apolloRoute.call(request.server, request, reply);
  const facts = factsOf(request, services);
  // Paid for before, if it failed before it was routed.
  facts.paid ??= new PaidOperation(facts.charge, operation.points);
  return sendResult(run(operation.document, operation, facts), request, reply, parts);
}

function sendResult(
  running: MaybePromise<ExecutionResult>,
  request: FastifyRequest,
  reply: FastifyReply,
  { apolloRoute, services, counts }: AnswerParts,
): unknown {
  return after(running, (result) => {
    if (!result.errors) {
      counts.direct += 1;
      return reply.type(ANSWER_TYPE_UTF8).send(lineOf(result));
    }
    factsOf(request, services).result = result;
    return apolloRoute.call(request.server, request, reply);
  });
}

/** A response as it is sent. */
export const lineOf = (result: FormattedExecutionResult | ExecutionResult): string => `${textOf(result)}\n`;
