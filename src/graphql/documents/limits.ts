// Limits of a document, checked before anything runs.
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { DomainError } from '../../base/errors.js';
import { costOf } from './cost.js';
import { isIntrospection, rootFields } from './document-facts.js';
import { operationPoints } from './price.js';

/** Lexical tokens of a document. */
export const MAX_TOKENS = 1_000;
/** How many fields of one name a document may have: validation compares fields of the same name with each other. */
export const MAX_SAME_NAME = 100;
/** Levels of fields below the operation. */
export const MAX_DEPTH = 12;
/** Levels below __schema and __type; the standard introspection query has 15. */
export const MAX_INTROSPECTION_DEPTH = 20;
/** Objects and values below __schema and __type, roughly; the standard introspection query counts as 90,000. */
export const MAX_INTROSPECTION_VALUES = 300_000;
/** Objects and values of a response, unless configured otherwise. */
export const MAX_VALUES = 50_000;

/** The limits of one schema's operations. */
export class Limits {
  /** `maxValues`: objects and values that a response may have. */
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly maxValues = MAX_VALUES,
  ) {}

  /**
   * The cost of an operation of a valid document, in points.
   * @throws DomainError QUERY_TOO_LARGE for one that is too deep or asks for too much.
   */
  check(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>> = {},
  ): number {
    const cost = costOf(this.schema, document, operation, variables);
    const { depth, values, introspectionDepth, introspectionValues } = cost;
    if (depth > MAX_DEPTH) throw tooLarge(`The query is ${depth} levels deep; at most ${MAX_DEPTH} are allowed.`);
    if (introspectionDepth > MAX_INTROSPECTION_DEPTH)
      throw tooLarge(
        `The introspection is ${introspectionDepth} levels deep; at most ${MAX_INTROSPECTION_DEPTH} are allowed.`,
      );
    if (introspectionValues > MAX_INTROSPECTION_VALUES)
      throw tooLarge(
        `The introspection asks for about ${Math.round(introspectionValues)} objects and values; at most ${MAX_INTROSPECTION_VALUES} are allowed.`,
      );
    // Introspection next to data is part of the response like any other field.
    const all =
      introspectionValues > 0 && !isIntrospection(rootFields(document, operation))
        ? values + introspectionValues
        : values;
    if (all > this.maxValues)
      throw tooLarge(
        `The query asks for up to ${Math.round(all)} objects and values; at most ${this.maxValues} are allowed: ask for smaller pages or fewer fields.`,
      );
    return operationPoints(operation, cost);
  }
}

/** @throws DomainError QUERY_TOO_LARGE for a document, valid or not, whose validation would take too long. */
export function checkNames({ definitions }: DocumentNode): void {
  const counts = new Map<string, number>();
  for (const definition of definitions) if ('selectionSet' in definition) countNames(definition.selectionSet, counts);
  for (const [name, count] of counts) {
    if (count > MAX_SAME_NAME)
      throw tooLarge(
        `The document has ${count} fields of the name ${JSON.stringify(name.slice(0, 100))}; at most ${MAX_SAME_NAME} are allowed.`,
      );
  }
}

function countNames({ selections }: SelectionSetNode, counts: Map<string, number>): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const name = (selection.alias ?? selection.name).value;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) countNames(selection.selectionSet, counts);
  }
}

function tooLarge(message: string): DomainError {
  return new DomainError('QUERY_TOO_LARGE', message);
}
