// The price of GraphQL in points (base/callers/points.ts). An operation's maximum price is charged before it runs;
// unused points are refunded afterwards.
import { type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Charge } from '../../base/callers/points.js';
import type { Cost } from './cost.js';

/** Points for parsing, validating and preparing a document, which is done once. */
const READING_POINTS = 5;
const CHARACTERS_PER_POINT = 25;
/** Points of every operation. */
const OPERATION_POINTS = 2;
/**
 * Points of a mutation. Each value of its response costs one more point, because a hundred fields are a hundred
 * changes.
 */
const MUTATION_POINTS = 20;
/** Points of a subscription. The cost of its events is bounded in subscriptions/render-turns.ts. */
const SUBSCRIPTION_POINTS = 10;
const VALUES_PER_POINT = 20;
/** Introspection's values per point. Introspection is computed once for each document. */
const SCHEMA_VALUES_PER_POINT = 50;

const BYTES_PER_POINT = 1_024;
/** The price of a command to the store, and of each millisecond of its duration. */
const COMMAND_POINTS = 4;
const POINTS_PER_MS = 10;

/** The price of a new document. */
export const readingPoints = (text: string): number => READING_POINTS + text.length / CHARACTERS_PER_POINT;

/** The price of an operation before it runs. */
export function operationPoints({ operation }: OperationDefinitionNode, cost: Cost): number {
  if (operation === OperationTypeNode.SUBSCRIPTION) return SUBSCRIPTION_POINTS;
  if (operation === OperationTypeNode.MUTATION) return MUTATION_POINTS + cost.values;
  return OPERATION_POINTS + cost.values / VALUES_PER_POINT + cost.introspectionValues / SCHEMA_VALUES_PER_POINT;
}

/** One operation that has been paid for. */
export class PaidOperation {
  #used = OPERATION_POINTS;

  /** @throws DomainError RATE_LIMITED. */
  constructor(
    private readonly charge: Charge,
    private readonly points: number,
  ) {
    charge.take(points);
  }

  /** Adds a command of the operation, which took `ms` milliseconds. */
  readonly addCommand = (ms: number): void => {
    this.#used += COMMAND_POINTS + ms * POINTS_PER_MS;
  };

  /** Ends the operation and refunds its unused points. */
  refundUnused(responseBytes: number): void {
    const used = this.#used + responseBytes / BYTES_PER_POINT;
    if (used < this.points) this.charge.giveBack(this.points - used);
  }
}
