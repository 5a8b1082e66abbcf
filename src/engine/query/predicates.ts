// The predicates of a filter that the planner can use: every matching document satisfies them. Documents are still tested with the whole filter.
import { BRACKET, regexParts, typeBracket } from '../bson/compare.js';
import { isNaNValue } from '../bson/numbers.js';
import { arrayIndex, splitPath } from '../bson/paths.js';
import { type Doc, isDocument } from '../bson/types.js';
import { isDocumentFilter, isOperatorDocument, isTrue } from './field-tests.js';
import { regexPrefix } from '../regex/regex-prefix.js';

interface At {
  path: string;
  /**
   * Predicates on one path with the same symbol are satisfied by one and the same value (`$elemMatch: {$gt: 1, $lt: 5}`), so their ranges may be intersected.
   * Without it, predicates on a multikey path must not be intersected: different elements may satisfy them.
   */
  together?: symbol;
  /** Whether the bounds select exactly the matching index entries, so that documents need not be checked for this predicate. */
  exact: boolean;
}

/** The field equals one of the values (null stands for missing too; undefined for the key of an empty array). */
export interface PointPredicate extends At {
  kind: 'points';
  values: unknown[];
}

/** Within one type bracket (see BRACKET); an absent end is the bracket's end. */
export interface RangePredicate extends At {
  kind: 'range';
  bracket: number;
  low?: { value: unknown; inclusive: boolean };
  high?: { value: unknown; inclusive: boolean };
}

/** Strings that start with `prefix`, or the regular expression itself stored as a value. */
export interface PrefixPredicate extends At {
  kind: 'prefix';
  prefix: string;
  regex: unknown;
}

/** The field is present, or missing (null in an index). */
export interface ExistsPredicate extends At {
  kind: 'exists';
  present: boolean;
}

/** A predicate an index can be searched by. */
export type Predicate = PointPredicate | RangePredicate | PrefixPredicate | ExistsPredicate;

/** The usable part of a filter: all `predicates` hold, and at least one arm of each list in `ors`. */
export interface FilterPredicates {
  predicates: Predicate[];
  ors: FilterPredicates[][];
  /** Whether the predicates express the whole filter, so that nothing else has to be tested. */
  whole: boolean;
}

type Field = { path: string };

/** An index has an entry for each element of an array, so a whole array is found by its first element (an empty array is indexed as undefined). */
function points(field: Field, operands: unknown[]): PointPredicate {
  const arrays = operands.some(Array.isArray);
  const values = arrays
    ? operands.flatMap((value) => (Array.isArray(value) ? [value, value[0]] : [value]))
    : [...operands];
  const exact = !arrays && !operands.includes(null);
  return { kind: 'points', path: field.path, values, exact };
}

function range(field: Field, operator: string, value: unknown): Predicate | null {
  const bracket = typeBracket(value);
  const inclusive = operator === '$gte' || operator === '$lte';
  if (bracket === BRACKET.null) return inclusive ? points(field, [null]) : points(field, []);
  if (bracket === BRACKET.number && isNaNValue(value)) return points(field, inclusive ? [value] : []);
  if (bracket === BRACKET.minKey || bracket === BRACKET.maxKey || bracket === BRACKET.array) return null;
  const end = { value, inclusive };
  // NaN sorts below all numbers, but matches only operators with NaN, so a range without a lower bound is not exact.
  const exact = bracket !== BRACKET.number || operator.startsWith('$g');
  return operator.startsWith('$g')
    ? { kind: 'range', ...field, bracket, low: end, exact }
    : { kind: 'range', ...field, bracket, high: end, exact };
}

function isRegex(value: unknown): boolean {
  return typeBracket(value) === BRACKET.regex;
}

function prefixOf(field: Field, regex: unknown, pattern: string, options: string): PrefixPredicate | null {
  const prefix = regexPrefix(pattern, options);
  return prefix === '' ? null : { kind: 'prefix', ...field, prefix, regex, exact: false };
}

function regexPredicate(field: Field, operand: unknown, flags: unknown): PrefixPredicate | null {
  if (typeof operand === 'string') return prefixOf(field, undefined, operand, typeof flags === 'string' ? flags : '');
  if (!isRegex(operand)) return null;
  const { pattern, options } = regexParts(operand);
  return prefixOf(field, operand, pattern, typeof flags === 'string' ? flags : options);
}

/**
 * Only arrays satisfy `$elemMatch`, so its predicates are not exact; predicates that missing fields satisfy are left
 * out.
 */
function elemMatch(field: Field, operand: unknown): Predicate[] {
  if (!isDocument(operand)) return [];
  const certain = (predicate: Predicate) => !admitsMissing(predicate);
  if (!isDocumentFilter(operand)) {
    const together = Symbol(field.path);
    const inner = operators(field, withoutElemMatch(operand)).filter(certain);
    return inner.map((predicate) => ({ ...predicate, together, exact: false }));
  }
  const inner = predicatesOf(operand).predicates.filter(certain);
  return inner.map((predicate) => ({ ...predicate, path: `${field.path}.${predicate.path}`, exact: false }));
}

/** Leaves out conditions on nested arrays: an index has entries for the elements of an array, not for those of an array inside it. */
function withoutElemMatch({ $elemMatch: _, $all: __, ...rest }: Doc): Doc {
  return rest;
}

function admitsMissing(predicate: Predicate): boolean {
  if (predicate.kind === 'exists') return true;
  return predicate.kind === 'points' && predicate.values.some((value) => value === null || value === undefined);
}

/** The predicates of `$all`'s entries that an index can find; with a regular expression among them, none is exact. */
function all(field: Field, operand: unknown): Predicate[] {
  if (!Array.isArray(operand)) return [];
  const predicates = operand.flatMap((entry): Predicate[] => {
    if (isDocument(entry) && Object.keys(entry)[0] === '$elemMatch') return elemMatch(field, entry.$elemMatch);
    return isRegex(entry) ? [] : [points(field, [entry])];
  });
  return operand.some(isRegex) ? predicates.map((predicate) => ({ ...predicate, exact: false })) : predicates;
}

function operators(field: Field, conditions: Doc): Predicate[] {
  return eachOperator(field, conditions).flat();
}

/** The predicates of each operator; none for an operator that cannot use an index. */
function eachOperator(field: Field, conditions: Doc): Predicate[][] {
  return Object.keys(conditions).map((operator) => {
    const predicate = operatorPredicate(field, operator, conditions[operator], conditions);
    if (predicate === null) return [];
    return Array.isArray(predicate) ? predicate : [predicate];
  });
}

function operatorPredicate(
  field: Field,
  operator: string,
  operand: unknown,
  siblings: Doc,
): Predicate | Predicate[] | null {
  switch (operator) {
    case '$eq':
      return points(field, [operand]);
    case '$in':
      return Array.isArray(operand) && !operand.some(isRegex) ? points(field, operand) : null;
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return range(field, operator, operand);
    case '$exists':
      return { kind: 'exists', ...field, present: isTrue(operand), exact: false };
    case '$regex':
      return regexPredicate(field, operand, siblings.$options);
    case '$elemMatch':
      return elemMatch(field, operand);
    case '$all':
      return all(field, operand);
    default:
      return null;
  }
}

function fieldPredicates(path: string, value: unknown): Predicate[][] {
  // "a.0" may mean a position or a field name, so such paths have no predicates.
  if (splitPath(path).some((part) => arrayIndex(part) !== undefined)) return [[]];
  if (isOperatorDocument(value)) return eachOperator({ path }, value);
  if (!isRegex(value)) return [[points({ path }, [value])]];
  const predicate = regexPredicate({ path }, value, undefined);
  return [predicate ? [predicate] : []];
}

/** Collects the indexable predicates of a (valid) filter: those of its AND, with nested `$and` opened, and the arms of each `$or`. */
export function predicatesOf(filter: Doc): FilterPredicates {
  const result: FilterPredicates = { predicates: [], ors: [], whole: true };
  for (const name of Object.keys(filter)) {
    const value = filter[name];
    if (name === '$and' || (name === '$or' && Array.isArray(value) && value.length === 1)) {
      for (const inner of (value as Doc[]).map(predicatesOf)) {
        result.predicates = result.predicates.concat(inner.predicates);
        result.ors = result.ors.concat(inner.ors);
        result.whole &&= inner.whole;
      }
    } else if (name === '$or') {
      result.ors.push((value as Doc[]).map(predicatesOf));
      result.whole = false;
    } else if (name.startsWith('$')) {
      result.whole = false;
    } else {
      const each = fieldPredicates(name, value);
      result.predicates = result.predicates.concat(...each);
      result.whole &&= each.every((predicates) => predicates.length > 0);
    }
  }
  return result;
}
