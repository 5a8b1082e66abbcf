// Operators that read or create arrays: elements, slices, ranges, searches.
import { compareValues, equalValues } from '../bson/compare.js';
import { integralValue } from '../bson/numbers.js';
import { getPath } from '../bson/paths.js';
import { type Doc, isDocument, isNumber, setOwn, typeName } from '../bson/types.js';
import { type ErrorName, fail, MongoError } from '../errors.js';
import type { RunningAccumulator } from './accumulators/accumulator.js';
import { countedArguments, extremes, firstN, lastN, positiveCount } from './accumulators/ranked.js';
import {
  type ExpressionOperator,
  fold,
  int,
  listOperator,
  namedArguments,
  namedOperator,
  nullish,
  type OperatorTable,
  unary,
  unaryOrNull,
} from './operator.js';
import { sortFieldsOf } from './sort-pattern.js';

type Code = ErrorName | number;

/** The value as an array, or the operator's error. */
export function arrayOf(value: unknown, code: Code, message: string): unknown[] {
  return Array.isArray(value) ? value : fail(code, `${message} ${typeName(value)}`);
}

/** A number that is a 32-bit integer; one error code for a value that is not a number, one for the rest. */
export function int32Of(value: unknown, what: string, codes: { type: Code; range: Code }): number {
  if (!isNumber(value)) fail(codes.type, `${what} must be a numeric value, but is of type: ${typeName(value)}`);
  const whole = integralValue(value);
  if (whole === undefined || whole > 0x7fffffffn || whole < -0x80000000n) {
    return fail(codes.range, `${what} can't be represented as a 32-bit integer: ${String(value)}`);
  }
  return Number(whole);
}

function elementAt([array, index]: unknown[]): unknown {
  if (nullish(array) || nullish(index)) return null;
  const list = arrayOf(array, 28689, "$arrayElemAt's first argument must be an array, but is");
  const at = int32Of(index, "$arrayElemAt's second argument", { type: 28690, range: 28691 });
  return list.at(at);
}

function end(name: string, at: 0 | -1): ExpressionOperator {
  return unaryOrNull(name, (value) => arrayOf(value, 28689, `${name}'s argument must be an array, but is`).at(at));
}

function concatenate(values: unknown[]): unknown {
  const all: unknown[] = [];
  for (const value of values) {
    if (nullish(value)) return null;
    for (const each of arrayOf(value, 28664, '$concatArrays only supports arrays, not')) all.push(each);
  }
  return all;
}

function startIndex(name: string, value: unknown, which: string): number {
  const whole = isNumber(value) ? integralValue(value) : undefined;
  if (whole === undefined)
    return fail(40096, `${name} requires an integral ${which} index, found a value of type: ${typeName(value)}`);
  if (whole < 0n) fail(40097, `${name} requires a nonnegative ${which} index, found: ${whole}`);
  return Number(whole);
}

/** The [start, end) of $indexOfArray, $indexOfBytes and $indexOfCP, cut to the length. */
export function searchRange(name: string, values: unknown[], length: number): { from: number; to: number } {
  const from = values.length > 2 ? startIndex(name, values[2], 'starting') : 0;
  const to = values.length > 3 ? startIndex(name, values[3], 'ending') : length;
  return { from, to: Math.min(to, length) };
}

function indexOfArray(values: unknown[]): unknown {
  const [array, member] = values;
  if (nullish(array)) return null;
  const list = arrayOf(array, 40090, '$indexOfArray requires an array as a first argument, found:');
  const { from, to } = searchRange('$indexOfArray', values, list.length);
  for (let i = from; i < to; i++) if (equalValues(list[i] ?? null, member)) return int(i);
  return int(-1);
}

const MAX_RANGE = 104_857_600 / 16;

function range(values: unknown[]): unknown {
  const from = int32Of(values[0], "$range's starting value", { type: 34443, range: 34444 });
  const to = int32Of(values[1], "$range's ending value", { type: 34445, range: 34446 });
  const step = values.length > 2 ? int32Of(values[2], "$range's step value", { type: 34447, range: 34448 }) : 1;
  if (step === 0) fail(34449, '$range requires a non-zero step value');
  if (Math.abs(to - from) / Math.abs(step) > MAX_RANGE)
    throw new MongoError(146, 'ExceededMemoryLimit', '$range would use too much memory and cannot spill to disk');
  const result: unknown[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) result.push(int(i));
  return result;
}

function slice(values: unknown[]): unknown {
  if (values.some(nullish)) return null;
  const list = arrayOf(values[0], 28724, 'First argument to $slice must be an array, but is of type:');
  const second = int32Of(values[1], 'Second argument to $slice', { type: 28725, range: 28726 });
  if (values.length === 2) return second >= 0 ? list.slice(0, second) : list.slice(second);
  const count = int32Of(values[2], 'Third argument to $slice', { type: 28727, range: 28728 });
  if (count <= 0) fail(28729, `Third argument to $slice must be positive: ${count}`);
  const start = second < 0 ? Math.max(0, list.length + second) : second;
  return list.slice(start, start + count);
}

/** The order of $sortArray: of whole values, or of documents by fields (arrays are not searched for the fields). */
function sortOrder(sortBy: unknown): (a: unknown, b: unknown) => number {
  if (isDocument(sortBy)) {
    const fields = sortFieldsOf(sortBy);
    const at = (value: unknown, parts: string[]): unknown =>
      (isDocument(value) ? getPath(value, parts) : undefined) ?? null;
    return (a, b) => {
      for (const { parts, direction } of fields) {
        const order = compareValues(at(a, parts), at(b, parts));
        if (order !== 0) return order * direction;
      }
      return 0;
    };
  }
  if (!isNumber(sortBy))
    return fail(
      2942507,
      'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
    );
  const direction = integralValue(sortBy);
  if (direction !== 1n && direction !== -1n) fail(2942506, 'The $sort element value must be either 1 or -1');
  return (a, b) => compareValues(a, b) * Number(direction);
}

const sortArray: ExpressionOperator = (operand, compiler) => {
  const args = namedArguments('$sortArray', operand, {
    required: ['input', 'sortBy'],
    notDocument: 2942500,
    unknown: 2942501,
    missing: { input: 2942502, sortBy: 2942503 },
  });
  const order = sortOrder(args.sortBy);
  const input = compiler.compile(args.input);
  return fold({
    run: (doc, vars) => {
      const value = input.run(doc, vars);
      if (nullish(value)) return null;
      const list = arrayOf(value, 2942504, 'The input argument to $sortArray must be an array, but was of type:');
      return [...list].sort(order);
    },
    constant: input.constant,
  });
};

function accumulated(name: string, start: (n: number) => RunningAccumulator): ExpressionOperator {
  return namedOperator(name, countedArguments(name), ({ n, input }) => {
    const state = start(positiveCount(name, n));
    for (const value of arrayOf(input, 5788200, 'Input must be an array, but is')) state.add(value);
    return state.result();
  });
}

function keyOf(key: unknown, code: number): string {
  if (typeof key !== 'string')
    return fail(code, `$arrayToObject requires keys of type string. Found key type: ${typeName(key)}`);
  return key.includes('\0') ? fail(4940400, 'Key field cannot contain an embedded null byte') : key;
}

function pairOf(element: unknown, pairs: boolean): [string, unknown] {
  if (pairs) {
    const pair = arrayOf(
      element,
      40396,
      '$arrayToObject requires a consistent input format. Array was detected, now found:',
    );
    if (pair.length !== 2)
      fail(40397, `$arrayToObject requires an array of size 2 arrays,found array of size: ${pair.length}`);
    return [keyOf(pair[0], 40395), pair[1]];
  }
  if (!isDocument(element))
    return fail(
      40391,
      `$arrayToObject requires a consistent input format. Object was detected, now found: ${typeName(element)}`,
    );
  const count = Object.keys(element).length;
  if (count !== 2)
    fail(40392, `$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:${count}`);
  if (element.k === undefined || element.v === undefined)
    fail(40393, "$arrayToObject requires an object with keys 'k' and 'v'.");
  return [keyOf(element.k, 40394), element.v];
}

function arrayToObject(value: unknown): unknown {
  const list = arrayOf(value, 40386, '$arrayToObject requires an array input, found:');
  const result: Doc = {};
  const pairs = Array.isArray(list[0]);
  if (list.length > 0 && !pairs && !isDocument(list[0]))
    fail(40398, `Unrecognised input type format for $arrayToObject: ${typeName(list[0])}`);
  for (const element of list) {
    const [key, item] = pairOf(element, pairs);
    setOwn(result, key, item);
  }
  return result;
}

function objectToArray(value: unknown): unknown {
  if (!isDocument(value)) return fail(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
  return Object.keys(value).map((k) => ({ k, v: value[k] }));
}

/** Array operators that evaluate all their arguments first. */
export const ARRAY: OperatorTable = {
  $arrayElemAt: listOperator('$arrayElemAt', [2, 2], elementAt),
  $arrayToObject: unaryOrNull('$arrayToObject', arrayToObject),
  $concatArrays: listOperator('$concatArrays', [0, Number.MAX_SAFE_INTEGER], concatenate),
  $first: end('$first', 0),
  $firstN: accumulated('$firstN', firstN),
  $in: listOperator('$in', [2, 2], ([value, array]) =>
    arrayOf(array, 40081, '$in requires an array as a second argument, found:').some((each) =>
      equalValues(each ?? null, value),
    ),
  ),
  $indexOfArray: listOperator('$indexOfArray', [2, 4], indexOfArray),
  $isArray: unary('$isArray', (value) => Array.isArray(value)),
  $last: end('$last', -1),
  $lastN: accumulated('$lastN', lastN),
  $maxN: accumulated('$maxN', (n) => extremes(n, -1)),
  $minN: accumulated('$minN', (n) => extremes(n, 1)),
  $objectToArray: unaryOrNull('$objectToArray', objectToArray),
  $range: listOperator('$range', [2, 3], range),
  $reverseArray: unaryOrNull('$reverseArray', (value) =>
    [...arrayOf(value, 34435, 'The argument to $reverseArray must be an array, but was of type:')].reverse(),
  ),
  $size: unary('$size', (value) =>
    int(arrayOf(value, 17124, 'The argument to $size must be an array, but was of type:').length),
  ),
  $slice: listOperator('$slice', [2, 3], slice),
  $sortArray: sortArray,
};
