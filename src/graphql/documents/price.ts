// What GraphQL costs, in points (base/points.ts): taken before an operation runs, by what it asks for; given back by what it did not use.
import { type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Charge } from '../../base/points.js';
import type { Cost } from './cost.js';

/** Reading a document and making it ready to run, once. */
const READING_POINTS = 5;
const CHARACTERS_PER_POINT = 25;
/** Any operation. */
const OPERATION_POINTS = 2;
/** An operation that changes something, and each value of its answer: a hundred fields are a hundred changes. */
const MUTATION_POINTS = 20;
/** Joining those who listen; what events cost is bounded elsewhere (subscriptions/render-turns.ts). */
const SUBSCRIPTION_POINTS = 10;
const VALUES_PER_POINT = 20;
/** Of introspection, which is made once for each document. */
const SCHEMA_VALUES_PER_POINT = 50;

const BYTES_PER_POINT = 1_024;
/** A command to the store, and the time that it takes there. */
const COMMAND_POINTS = 4;
const POINTS_PER_MS = 10;

/** What a text costs that was not read before. */
export const readingPoints = (text: string): number => READING_POINTS + text.length / CHARACTERS_PER_POINT;

/** What an operation is taken for. */
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

  /** A command of it has been answered. */
  readonly addCommand = (ms: number): void => {
    this.#used += COMMAND_POINTS + ms * POINTS_PER_MS;
  };

  /** It has ended; what its answer was not worth is given back. */
  settle(answerBytes: number): void {
    const used = this.#used + answerBytes / BYTES_PER_POINT;
    if (used < this.points) this.charge.giveBack(this.points - used);
  }
}
