// All expression operators in one table.
import { ARITHMETIC } from './arithmetic.js';
import { ARRAY } from './array.js';
import { ARRAY_LOOPS } from './array-loops.js';
import { COMPARISON } from './comparison.js';
import { CONDITIONAL } from './conditional.js';
import { CONVERT } from './convert.js';
import { DATE_MATH } from './date-math.js';
import { DATE_PARTS } from './date-parts.js';
import { DATE_TEXT } from './date-text.js';
import { MATH } from './math.js';
import { OBJECT } from './object.js';
import { REGEX } from './regex.js';
import { SET } from './set.js';
import { STRING } from './string.js';
import { TOTALS } from './totals.js';
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
