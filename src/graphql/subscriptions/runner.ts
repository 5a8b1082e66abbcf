// Starts an operation for a client, over any transport: queries and mutations are executed, subscriptions join the fan-out.
import { createSourceEventStream, type ExecutionResult, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Caller } from '../../base/callers/caller.js';
import { beforeDeadline } from '../../http/server/deadline.js';
import type { Ask } from '../../store/command-gate.js';
import type { FanOut } from './fan-out.js';
import type { Outlet } from './member.js';
import { asGraphqlError, type Operation } from './operations.js';
import type { Renderer } from './render.js';
import { Subscription } from './subscription.js';
import type { EventSource, Topic } from './topic.js';

export interface RunnerOptions {
  schema: GraphQLSchema;
  feed: EventSource;
  fanOut: FanOut;
  renderer: Renderer;
  requestTimeoutMs: number;
}

/** The caller, and where the results of a subscription go. */
export interface Subscriber {
  caller: Caller;
  /** The client's IP address, for limits. */
  address: string;
  requestId: string;
  ask: Ask;
  outlet: Outlet;
}

/** Starts operations of clients. */
export class Runner {
  constructor(private readonly options: RunnerOptions) {}

  /** The result of a query or mutation, a subscription, or the errors that prevented it. Never rejects. */
  async start(operation: Operation, asker: Subscriber): Promise<ExecutionResult | Subscription> {
    const work = this.#begin(operation, asker);
    return beforeDeadline(work, this.options.requestTimeoutMs).catch((error: unknown) => {
      void work.then(endUnasked, () => {});
      return { errors: [asGraphqlError(error)] };
    });
  }

  async #begin(operation: Operation, asker: Subscriber): Promise<ExecutionResult | Subscription> {
    const { renderer } = this.options;
    if (operation.node.operation === OperationTypeNode.SUBSCRIPTION) return this.#subscribe(operation, asker);
    return renderer.run(operation, asker);
  }

  async #subscribe(
    operation: Operation,
    { caller, address, requestId, ask, outlet }: Subscriber,
  ): Promise<ExecutionResult | Subscription> {
    const { schema, feed, fanOut, renderer } = this.options;
    // The positions of the log are unknown until the feed has read them.
    await feed.ready;
    const source = await createSourceEventStream({
      schema,
      document: operation.document,
      operationName: operation.operationName,
      variableValues: operation.variables,
      contextValue: renderer.context({ caller, address, requestId, ask }),
    });
    if ('errors' in source) return source;
    // Every subscription field of the schema resolves to a topic.
    return fanOut.subscribe({ operation, topic: source as Topic, caller, outlet });
  }
}

/** Ends a subscription that started after a failure had been reported to the client. */
function endUnasked(started: ExecutionResult | Subscription): void {
  if (started instanceof Subscription) void started.return();
}
