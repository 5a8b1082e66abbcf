// Checks a condition against a schema: its field must be a data point, its literals of that point's type.
import { type Condition, ConditionSyntaxError, isIsoDate, type Literal, type Operator } from './types.js';

/** What the check needs of a data point; types are free labels, those listed below are understood. */
export interface CheckedPoint {
  name: string;
  type: string;
}

type Family = 'whole' | 'number' | 'text' | 'boolean' | 'date';

const FAMILIES: Readonly<Record<string, Family>> = {
  integer: 'whole',
  int: 'whole',
  long: 'whole',
  number: 'number',
  float: 'number',
  double: 'number',
  decimal: 'number',
  string: 'text',
  text: 'text',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'date',
  'date-time': 'date',
  datetime: 'date',
};

const FITS: Readonly<Record<Family, (value: Literal) => boolean>> = {
  whole: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  text: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isIsoDate(value),
};

const EXPECTED: Readonly<Record<Family, string>> = {
  whole: 'a whole number',
  number: 'a number',
  text: 'a "text"',
  boolean: 'true or false',
  date: 'a date or a date-time',
};

const ORDERING: ReadonlySet<Operator> = new Set(['$lt', '$lte', '$gt', '$gte', '$between', '$nonbetween']);

/**
 * Checks one condition against the data points of the schema it is about; of a list, against what it holds.
 * @throws ConditionSyntaxError that names the missing field, or the literal of another type.
 */
export function checkCondition({ field, operator, values }: Condition, dataPoints: readonly CheckedPoint[]): void {
  const point = dataPoints.find(({ name }) => name === field);
  if (!point) throw new ConditionSyntaxError(`the schema has no data point "${field}"`, 0);
  const family = FAMILIES[point.type.toLowerCase().replace(/(\[\])+$/, '')];
  if (!family) return;
  if (family === 'boolean' && ORDERING.has(operator)) {
    throw new ConditionSyntaxError(`"${field}" is true or false and has no order to compare by`, 0);
  }
  const odd = values.find((value) => !FITS[family](value));
  if (odd !== undefined) {
    throw new ConditionSyntaxError(
      `"${field}" is of type ${point.type}: ${EXPECTED[family]} was expected, not ${JSON.stringify(odd)}`,
      0,
    );
  }
}
