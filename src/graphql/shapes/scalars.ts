// The scalars beyond GraphQL's own: DateTime, SafeInt for numbers above Int, and JSON for values that the contract leaves open.
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { INEXACT } from '../../base/json/exact-json.js';
import { isExact } from '../../common/exact-number.js';
import { NAMES_PROTOTYPE, namesPrototype } from '../../common/prototype-names.js';

const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

const EXPECTED = 'DateTime expects ISO 8601 with a time zone, such as 2024-05-01T12:00:00Z.';

/** @param nodes the literal, whose position the error then names. */
function parseMoment(value: unknown, nodes?: ValueNode): Date {
  const moment = typeof value === 'string' && MOMENT.test(value) && isDay(value) ? new Date(value) : undefined;
  if (moment === undefined || Number.isNaN(moment.getTime())) throw new GraphQLError(EXPECTED, { nodes });
  return moment;
}

/** Whether the day exists: Date turns the 30th of February into the 2nd of March. */
function isDay(moment: string): boolean {
  const day = moment.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** A time in ISO 8601. Output: UTC with milliseconds. Input: a time zone is required; a date alone is its first moment in UTC. */
export const DateTimeScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A time in ISO 8601, such as "2024-05-01T12:00:00.000Z". Responses are in UTC.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => (value instanceof Date ? value : parseMoment(value)).toISOString(),
  parseValue: (value) => parseMoment(value),
  parseLiteral: (node) => parseMoment(node.kind === Kind.STRING ? node.value : undefined, node),
});

/** @param nodes the literal, whose position the error then names. */
function checkSafeInt(value: unknown, nodes?: ValueNode): number {
  if (!Number.isSafeInteger(value))
    throw new GraphQLError('SafeInt expects a whole number from -9007199254740991 to 9007199254740991.', { nodes });
  return value as number;
}

/** A whole number that a double holds exactly: for sums and for numbers of a chain, which Int's 32 bits do not hold. In JSON it is a number. */
export const SafeIntScalar = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description: 'A whole number from -9007199254740991 to 9007199254740991 (2^53 - 1). In JSON it is a number.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  serialize: (value) => checkSafeInt(value),
  parseValue: (value) => checkSafeInt(value),
  parseLiteral: (node) => checkSafeInt(node.kind === Kind.INT ? Number(node.value) : undefined, node),
});

/**
 * @param nodes the literal, whose position the error then names.
 * @throws GraphQLError for a member that JSON bodies refuse, too.
 */
function checkNames(value: unknown, nodes?: ValueNode): unknown {
  if (namesPrototype(value)) throw new GraphQLError(`The value ${NAMES_PROTOTYPE}.`, { nodes });
  return value;
}

/** Any JSON value, unchanged. */
export const JsonScalar = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value: text, number, true, false, null, list or object.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  parseValue: (value) => checkNames(value),
  parseLiteral: (node, variables) => {
    checkNumbers(node);
    return checkNames(valueFromASTUntyped(node, variables), node);
  },
});

/** @throws GraphQLError for a number that a double cannot hold, as `readJson` does for variables. */
function checkNumbers(node: ValueNode): void {
  if (node.kind === Kind.LIST) for (const item of node.values) checkNumbers(item);
  else if (node.kind === Kind.OBJECT) for (const { value } of node.fields) checkNumbers(value);
  else if ((node.kind === Kind.INT || node.kind === Kind.FLOAT) && !isExact(node.value))
    throw new GraphQLError(`The value ${INEXACT}.`, { nodes: node });
}
