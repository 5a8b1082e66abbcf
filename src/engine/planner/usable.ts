// Whether a sparse or partial index holds every document that a filter can match.
import { compareValues, equalValues } from '../bson/compare.js';
import { type Doc, isDocument } from '../bson/types.js';
import { type Predicate, predicatesOf } from '../query/predicates.js';
import type { IndexInfo } from '../store/catalog.js';

/** True when documents that are missing from the index cannot change the result. */
export function isUsable(index: IndexInfo, filter: Doc, predicates: Predicate[]): boolean {
  if (index.partial && !impliesAll(index.partial, filter, predicates)) return false;
  return !index.sparse || predicates.some((each) => index.fields.some((f) => f.path === each.path) && needsField(each));
}

/** Whether only documents that have the field satisfy the predicate. */
function needsField(predicate: Predicate): boolean {
  if (predicate.kind === 'points') return predicate.values.every((value) => value !== null && value !== undefined);
  return predicate.kind !== 'exists' || predicate.present;
}

function impliesAll(partial: Doc, filter: Doc, predicates: Predicate[]): boolean {
  return Object.entries(partial).every(([name, condition]) => {
    if (name === '$and' && Array.isArray(condition)) {
      return condition.every((each) => isDocument(each) && impliesAll(each, filter, predicates));
    }
    return literally(filter, name, condition) || impliesCondition(name, condition, predicates);
  });
}

/** The filter contains the same predicate. */
function literally(filter: Doc, path: string, condition: unknown): boolean {
  return Object.entries(filter).some(([name, value]) => {
    if (name === '$and' && Array.isArray(value))
      return value.some((each) => isDocument(each) && literally(each, path, condition));
    return name === path && equalValues(value, condition);
  });
}

function impliesCondition(path: string, condition: unknown, predicates: Predicate[]): boolean {
  const operators =
    isDocument(condition) && Object.keys(condition)[0]?.startsWith('$') ? condition : { $eq: condition };
  return Object.entries(operators).every(([operator, operand]) => {
    const goals = predicatesOf({ [path]: { [operator]: operand } }).predicates;
    const [only] = goals;
    return (
      goals.length === 1 && only !== undefined && predicates.some((each) => each.path === path && implies(each, only))
    );
  });
}

function implies(premise: Predicate, goal: Predicate): boolean {
  if (goal.kind === 'exists') return goal.present ? needsField(premise) : premise.kind === 'exists' && !premise.present;
  if (goal.kind === 'points') {
    if (premise.kind !== 'points') return false;
    return premise.values.every((value) => goal.values.some((each) => equalValues(value ?? null, each ?? null)));
  }
  if (goal.kind !== 'range') return false;
  if (premise.kind === 'points') {
    return premise.values.every((value) => predicatesHold(goal, value));
  }
  return premise.kind === 'range' && premise.bracket === goal.bracket && rangeInside(premise, goal);
}

type RangeOf = Extract<Predicate, { kind: 'range' }>;

function predicatesHold(range: RangeOf, value: unknown): boolean {
  if (value === null || value === undefined || Array.isArray(value)) return false;
  const point: RangeOf = { ...range, low: { value, inclusive: true }, high: { value, inclusive: true } };
  const sample = predicatesOf({ x: { $gte: value } }).predicates[0];
  return sample?.kind === 'range' && sample.bracket === range.bracket && rangeInside(point, range);
}

function rangeInside(premise: RangeOf, goal: RangeOf): boolean {
  const lowFits = !goal.low || (premise.low !== undefined && endFits(premise.low, goal.low, 1));
  const highFits = !goal.high || (premise.high !== undefined && endFits(premise.high, goal.high, -1));
  return lowFits && highFits;
}

type End = { value: unknown; inclusive: boolean };

function endFits(premise: End, goal: End, sign: 1 | -1): boolean {
  const order = compareValues(premise.value, goal.value) * sign;
  return order > 0 || (order === 0 && (goal.inclusive || !premise.inclusive));
}
