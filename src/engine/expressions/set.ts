// Set operators: arrays as sets by BSON equality. Where MongoDB leaves the order open, results are in BSON order.
import { compareValues } from '../bson/compare.js';
import { valueKey } from '../bson/sort-key.js';
import { typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { listOperator, nullish, type OperatorTable, truthy, unary } from './operator.js';
import { arrayOf } from './array.js';

const ANY = [0, Number.MAX_SAFE_INTEGER] as const;

/** Elements by key, each once. */
function setOf(list: readonly unknown[]): Map<string, unknown> {
  const set = new Map<string, unknown>();
  for (const value of list) {
    const key = valueKey(value ?? null);
    if (!set.has(key)) set.set(key, value ?? null);
  }
  return set;
}

function inOrder(values: Iterable<unknown>): unknown[] {
  return [...values].sort(compareValues);
}

function intersection(values: unknown[]): unknown {
  if (values.some(nullish)) return null;
  const sets = values.map((value) =>
    setOf(arrayOf(value, 17047, 'All operands of $setIntersection must be arrays. One argument is of type:')),
  );
  const [first = new Map<string, unknown>(), ...rest] = sets;
  const shared = [...first].filter(([key]) => rest.every((set) => set.has(key)));
  return inOrder(shared.map(([, value]) => value));
}

function union(values: unknown[]): unknown {
  if (values.some(nullish)) return null;
  const all = values.flatMap((value) =>
    arrayOf(value, 17043, 'All operands of $setUnion must be arrays. One argument is of type:'),
  );
  return inOrder(setOf(all).values());
}

function difference([a, b]: unknown[]): unknown {
  if (nullish(a) || nullish(b)) return null;
  const left = arrayOf(a, 17048, 'both operands of $setDifference must be arrays. First argument is of type:');
  const right = arrayOf(b, 17049, 'both operands of $setDifference must be arrays. Second argument is of type:');
  const without = setOf(right);
  return [...setOf(left)].filter(([key]) => !without.has(key)).map(([, value]) => value);
}

function subset([a, b]: unknown[]): boolean {
  const left = arrayOf(a, 17046, 'both operands of $setIsSubset must be arrays. First argument is of type:');
  const right = setOf(arrayOf(b, 17042, 'both operands of $setIsSubset must be arrays. Second argument is of type:'));
  return left.every((value) => right.has(valueKey(value ?? null)));
}

function equal(values: unknown[]): boolean {
  if (values.length < 2) fail(17045, `$setEquals needs at least two arguments had: ${values.length}`);
  const sets = values.map((value, i) => {
    if (!Array.isArray(value)) {
      return fail(
        17044,
        `All operands of $setEquals must be arrays. ${i + 1}-th argument is of type: ${typeName(value)}`,
      );
    }
    return setOf(value);
  });
  const [first = new Map<string, unknown>(), ...rest] = sets;
  return rest.every((set) => set.size === first.size && [...set.keys()].every((key) => first.has(key)));
}

/** Set operators. */
export const SET: OperatorTable = {
  $allElementsTrue: unary('$allElementsTrue', (value) =>
    arrayOf(value, 17040, "$allElementsTrue's argument must be an array, but is").every(truthy),
  ),
  $anyElementTrue: unary('$anyElementTrue', (value) =>
    arrayOf(value, 17041, "$anyElementTrue's argument must be an array, but is").some(truthy),
  ),
  $setDifference: listOperator('$setDifference', [2, 2], difference),
  $setEquals: listOperator('$setEquals', ANY, equal),
  $setIntersection: listOperator('$setIntersection', ANY, intersection),
  $setIsSubset: listOperator('$setIsSubset', [2, 2], subset),
  $setUnion: listOperator('$setUnion', ANY, union),
};
