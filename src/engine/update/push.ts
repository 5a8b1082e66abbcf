// $push with $each, $position, $sort and $slice.
import { compareValues, identicalValues } from '../bson/compare.js';
import { integralValue } from '../bson/numbers.js';
import { getPath, splitPath } from '../bson/paths.js';
import { showId } from '../bson/show.js';
import { type Doc, isDocument, isNumber, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { KEEP, type Moment, type UpdateOperation } from './operation.js';

type Compare = (a: unknown, b: unknown) => number;

interface Clauses {
  values: unknown[];
  position: number | undefined;
  sort: Compare | undefined;
  slice: number | undefined;
}

function integerClause(clauses: Doc, name: '$slice' | '$position'): number | undefined {
  const value = clauses[name];
  if (value === undefined) return undefined;
  const whole = isNumber(value) ? integralValue(value) : undefined;
  if (whole === undefined) {
    fail('BadValue', `The value for ${name} must be an integer value but was given type: ${typeName(value)}`);
  }
  return Number(whole);
}

function direction(value: unknown): 1 | -1 {
  const whole = isNumber(value) ? integralValue(value) : undefined;
  if (whole === 1n) return 1;
  if (whole === -1n) return -1;
  return fail(
    'BadValue',
    'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
  );
}

function sortClause(sort: unknown): Compare | undefined {
  if (sort === undefined) return undefined;
  if (!isDocument(sort)) {
    const sign = direction(sort);
    return (a, b) => compareValues(a, b) * sign;
  }
  const fields = Object.keys(sort).map((path) => {
    if (path === '' || splitPath(path).includes('')) {
      fail('BadValue', `The $sort field is a dotted field but has an empty part: ${path}`);
    }
    return { parts: splitPath(path), sign: direction(sort[path]) };
  });
  if (fields.length === 0) fail('BadValue', 'The $sort pattern is empty when it should be a set of fields.');
  const read = (value: unknown, parts: string[]) => (isDocument(value) ? (getPath(value, parts) ?? null) : null);
  return (a, b) => {
    for (const { parts, sign } of fields) {
      const order = compareValues(read(a, parts), read(b, parts));
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

const CLAUSES = ['$each', '$position', '$slice', '$sort'];

function readClauses(operand: unknown): Clauses {
  if (!isDocument(operand) || operand.$each === undefined) {
    return { values: [operand], position: undefined, sort: undefined, slice: undefined };
  }
  for (const name of Object.keys(operand)) {
    if (!CLAUSES.includes(name)) fail('BadValue', `Unrecognized clause in $push: ${name}`);
  }
  const values = operand.$each;
  if (!Array.isArray(values)) {
    fail('BadValue', `The argument to $each in $push must be an array but it was of type: ${typeName(values)}`);
  }
  return {
    values,
    position: integerClause(operand, '$position'),
    sort: sortClause(operand.$sort),
    slice: integerClause(operand, '$slice'),
  };
}

function pushed(old: unknown[], clauses: Clauses): unknown[] {
  const at = clauses.position ?? old.length;
  const result = [...old.slice(0, at), ...clauses.values, ...old.slice(at)];
  // Array.prototype.sort is stable. It would move undefined to the end, which never occurs in an array.
  if (clauses.sort) result.sort(clauses.sort);
  if (clauses.slice === undefined) return result;
  if (clauses.slice === 0) return [];
  return clauses.slice > 0 ? result.slice(0, clauses.slice) : result.slice(clauses.slice);
}

function notArray(old: unknown, { path, doc }: Moment): never {
  const field = path.slice(path.lastIndexOf('.') + 1);
  return fail(
    'BadValue',
    `The field '${field}' must be an array but is of type ${typeName(old)} in document ${showId(doc)}`,
  );
}

/** `$push`: a value, or {$each, $position, $sort, $slice} applied in that order. */
export function push(operand: unknown): UpdateOperation {
  const clauses = readClauses(operand);
  const appends = clauses.position === undefined && !clauses.sort && clauses.slice === undefined;
  return {
    creates: true,
    appends,
    run: (old, moment) => {
      if (old !== undefined && !Array.isArray(old)) notArray(old, moment);
      const result = pushed(old ?? [], clauses);
      return old !== undefined && identicalValues(old, result) ? KEEP : result;
    },
  };
}
