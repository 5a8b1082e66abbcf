// All expression operators in one table; whoever asks for an operator by name asks here.
import { ARITHMETIC } from './expressions/arithmetic.js';
import { COMPARISON } from './expressions/comparison.js';
import { CONDITIONAL } from './expressions/conditional.js';
import { MATH } from './expressions/math.js';
import type { OperatorTable } from './operator.js';

/** Every operator this store has, by name. */
export const OPERATORS: OperatorTable = {
  ...ARITHMETIC,
  ...COMPARISON,
  ...CONDITIONAL,
  ...MATH,
};

/** Operators MongoDB has and this store does not: refused with NotImplemented instead of "unrecognized". */
export const REFUSED_OPERATORS: ReadonlySet<string> = new Set([
  '$accumulator',
  '$function',
  '$meta',
  '$toHashedIndexKey',
  '$encStrContains',
]);
