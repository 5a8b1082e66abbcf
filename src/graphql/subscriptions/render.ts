// Executes an operation for events and serialises the result once for all members of a group.
import { randomUUID } from 'node:crypto';
import { handleWhenResult } from 'cockatiel';
import type { FastifyBaseLogger } from 'fastify';
import type { ExecutionResult, FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type Caller, inRequest } from '../../base/callers/caller.js';
import { DELAYS, retrying } from '../../base/concurrency/retry.js';
import { ERRORS } from '../../base/errors.js';
import type { GatewayContext, Loaders, RequestFacts, Services } from '../../compose/context.js';
import type { StampedEvent } from '../../store/event-port.js';
import { domainErrorOf, formattedErrors } from '../errors.js';
import type { Execute } from '../execution/executor.js';
import { textOf } from '../execution/written-data.js';
import { asGraphqlError, type Operation } from './operations.js';
import { Payload } from './payload.js';
import type { Topic } from './topic.js';

export interface RenderOptions {
  execute: Execute;
  services: Services;
  makeLoaders(facts: Pick<GatewayContext, 'ask'>): Loaders;
  log: Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error'>;
}

/** A group: the operation that runs for each of its events, its topic and its viewer. */
export interface Rendered {
  operation: Operation;
  topic: Topic;
  caller: Caller;
}

/** Retries while the store is unavailable, so that a short failure does not lose an event's result. */
const WHILE_UNAVAILABLE = retrying(
  DELAYS.eventResult,
  handleWhenResult((result) => (result as ExecutionResult).errors?.some(isUnavailable) ?? false),
);

/** Executes operations for events. */
export class Renderer {
  /** Operations executed for events since the process began. */
  executions = 0;

  constructor(private readonly options: RenderOptions) {}

  /**
   * The result for events that are delivered as one, computed with fresh loaders. Never rejects: failures become errors
   * of the result.
   */
  async payloadOf({ operation, topic, caller }: Rendered, events: readonly StampedEvent[]): Promise<Payload> {
    const requestId = randomUUID();
    const run = async (): Promise<ExecutionResult> => {
      this.executions += 1;
      await this.#checkRights(caller);
      return this.run(operation, { caller, requestId }, topic.toRoot(events));
    };
    const result = await WHILE_UNAVAILABLE.execute(() => run().catch(failed));
    const newest = events.at(-1);
    const isLast = newest !== undefined && (topic.isLast?.(newest) ?? false);
    return new Payload(textOf(this.answer(result, requestId)), newest?.seq ?? 0, isLast);
  }

  /** Executes an operation with its own context. */
  run({ document, operationName, variables }: Operation, facts: RequestFacts, rootValue?: object): ReturnType<Execute> {
    return this.options.execute(document, {
      operationName,
      variables,
      rootValue,
      context: this.context(facts),
    });
  }

  /** The context of resolvers, with fresh loaders. */
  context({ caller, requestId, address, ask }: RequestFacts): GatewayContext {
    const { services, makeLoaders } = this.options;
    return { caller: inRequest(caller, requestId), requestId, address, ask, services, loaders: makeLoaders({ ask }) };
  }

  /**
   * Checks that the caller still has its rights: a partner's may have changed since it connected. A holder's end only
   * with its session, which the log reports.
   * @throws DomainError FORBIDDEN.
   */
  async #checkRights(caller: Caller): Promise<void> {
    if (caller.kind === 'partner') await this.options.services.partners.requireRights(caller);
  }

  /** A result as clients see it. */
  answer({ data, errors }: ExecutionResult, requestId: string): FormattedExecutionResult {
    if (errors === undefined) return { data };
    return { ...(data === undefined ? {} : { data }), errors: this.tell(errors, requestId) };
  }

  /** Errors as clients see them, logged as over HTTP. */
  tell(errors: readonly GraphQLError[], requestId: string): GraphQLFormattedError[] {
    for (const error of errors) this.#logError(error, requestId);
    return formattedErrors(errors, requestId);
  }

  #logError(error: GraphQLError, requestId: string): void {
    const { code, logged, cause } = domainErrorOf(error, error.extensions.code);
    this.options.log[ERRORS[code].level](
      { reqId: requestId, code, entry: error.extensions.entry, ...(cause === undefined ? {} : { err: cause }) },
      logged,
    );
  }
}

/**
 * A short-lived cache of the results of replayed events: clients that reconnect at the same time request the same ones.
 */
export class RecentPayloads {
  readonly #payloads = new LRUCache<string, Promise<Payload>>({ max: 500, ttl: 2_000 });

  /** The result of a group for one event. */
  get(key: string, render: () => Promise<Payload>): Promise<Payload> {
    const cached = this.#payloads.get(key);
    if (cached !== undefined) return cached;
    const payload = render();
    this.#payloads.set(key, payload);
    return payload;
  }
}

const failed = (error: unknown): ExecutionResult => ({ errors: [asGraphqlError(error)] });

const isUnavailable = (error: GraphQLError): boolean => domainErrorOf(error).code === 'STORE_UNAVAILABLE';
