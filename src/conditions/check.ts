// Checks a condition against a schema: its field must be a data point, and its literals must have that point's type.
import { type Family, typeInfoOf } from '../common/data-types.js';
import { readCondition } from './parse.js';
import { isRelativeDate } from './relative-date.js';
import { type Condition, ConditionSyntaxError, isIsoDate, type Literal, ORDERING } from './types.js';

/** A data point of the schema. families.ts lists the known types; other networks have other types. */
export interface CheckedPoint {
  name: string;
  type: string;
}

type LiteralKind = Exclude<Family, 'json'> | 'whole';

const FITS: Readonly<Record<LiteralKind, (value: Literal) => boolean>> = {
  whole: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && (isIsoDate(value) || isRelativeDate(value)),
};

const EXPECTED: Readonly<Record<LiteralKind, string>> = {
  whole: 'a whole number',
  number: 'a number',
  text: 'a "text"',
  boolean: 'true or false',
  date: 'a date or a date-time',
};

/**
 * Parses a condition and checks it against the data points of its schema. A date without quotes is a date literal and never a text.
 * @throws ConditionSyntaxError for text that does not parse, names a missing field, or has a literal of another type.
 */
export function checkedCondition(text: string, dataPoints: readonly CheckedPoint[]): Condition {
  const { condition, dates } = readCondition(text);
  const { type, family } = checkCondition(condition, dataPoints);
  const [date] = dates;
  if (date !== undefined && family === 'text')
    throw new ConditionSyntaxError(
      `"${condition.field}" is of type ${type}: ${EXPECTED.text} was expected, not the date ${date}; a text needs quotes`,
      0,
    );
  return condition;
}

/** Types whose values no literal can equal. */
const STRUCTURE = /\[\]$|^(?:array|object)$/i;

/**
 * Checks one condition against the data points of its schema. Lists and objects only have the operator `exists`.
 * @returns its data point, with the family of its values
 * @throws ConditionSyntaxError naming the missing field, or the literal of another type.
 */
function checkCondition(
  { field, operator, values }: Condition,
  dataPoints: readonly CheckedPoint[],
): CheckedPoint & { family: Family } {
  const point = dataPoints.find(({ name }) => name === field);
  if (!point) throw new ConditionSyntaxError(`the schema has no data point "${field}"`, 0);
  if (operator !== '$exists' && STRUCTURE.test(point.type)) {
    throw new ConditionSyntaxError(
      `"${field}" is of type ${point.type}, which is not a single value: only "exists" applies to it`,
      0,
    );
  }
  const { family, whole } = typeInfoOf(point.type);
  if (family === 'json') return { ...point, family };
  const kind = whole ? 'whole' : family;
  if (family === 'boolean' && ORDERING.has(operator)) {
    throw new ConditionSyntaxError(`"${field}" is true or false and has no order to compare by`, 0);
  }
  const odd = values.find((value) => !FITS[kind](value));
  if (odd !== undefined) {
    throw new ConditionSyntaxError(
      `"${field}" is of type ${point.type}: ${EXPECTED[kind]} was expected, not ${JSON.stringify(odd)}`,
      0,
    );
  }
  return { ...point, family };
}
