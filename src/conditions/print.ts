// Prints a condition in one canonical spelling: parsing it returns the same condition.
import { SIGNS } from './parse.js';
import { isRelativeDate } from './relative-date.js';
import { type Condition, isIsoDate, type Literal } from './types.js';

const PLAIN_SEGMENT = /^[\p{L}_$@][\p{L}\p{N}_$@-]*$/u;
const SIGN_OF = new Map(
  Object.entries(SIGNS)
    .filter(([sign]) => sign !== '==')
    .map(([sign, operator]) => [operator, sign]),
);

const printField = (field: string): string =>
  field
    .split('.')
    .map((segment) => (PLAIN_SEGMENT.test(segment) ? segment : `\`${segment}\``))
    .join('.');

const printLiteral = (value: Literal): string =>
  typeof value === 'string' && !isIsoDate(value) && !isRelativeDate(value) ? JSON.stringify(value) : String(value);

/** The condition as text, as `parseCondition` reads it. */
export function printCondition({ field, operator, values }: Condition): string {
  const name = printField(field);
  const printed = values.map(printLiteral);
  const sign = SIGN_OF.get(operator);
  if (sign) return `${name} ${sign} ${printed[0]}`;
  if (operator === '$exists') return `${name} exists`;
  const not = operator === '$nin' || operator === '$nonbetween' ? 'not ' : '';
  if (operator === '$in' || operator === '$nin') return `${name} ${not}in [${printed.join(', ')}]`;
  return `${name} ${not}between ${printed.join(' and ')}`;
}
