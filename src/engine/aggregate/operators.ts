// All expression operators in one table.
import { ARITHMETIC } from './expressions/arithmetic.js';
import { ARRAY } from './expressions/array.js';
import { ARRAY_LOOPS } from './expressions/array-loops.js';
import { COMPARISON } from './expressions/comparison.js';
import { CONDITIONAL } from './expressions/conditional.js';
import { CONVERT } from './expressions/convert.js';
import { DATE_MATH } from './expressions/date-math.js';
import { DATE_PARTS } from './expressions/date-parts.js';
import { DATE_TEXT } from './expressions/date-text.js';
import { MATH } from './expressions/math.js';
import { OBJECT } from './expressions/object.js';
import { REGEX } from './expressions/regex.js';
import { SET } from './expressions/set.js';
import { STRING } from './expressions/string.js';
import { TOTALS } from './expressions/totals.js';
import type { OperatorTable } from './operator.js';

/** Every operator this store has, by name. */
export const OPERATORS: OperatorTable = {
  ...ARITHMETIC,
  ...ARRAY,
  ...ARRAY_LOOPS,
  ...COMPARISON,
  ...CONDITIONAL,
  ...CONVERT,
  ...DATE_MATH,
  ...DATE_PARTS,
  ...DATE_TEXT,
  ...MATH,
  ...OBJECT,
  ...REGEX,
  ...SET,
  ...STRING,
  ...TOTALS,
};

/** Operators that MongoDB has and this store does not: refused with NotImplemented instead of "unrecognized". */
export const REFUSED_OPERATORS: ReadonlySet<string> = new Set([
  '$accumulator',
  '$encStrContains',
  '$encStrEndsWith',
  '$encStrNormalizedEq',
  '$encStrStartsWith',
  '$function',
  '$meta',
  '$toHashedIndexKey',
]);
