// When a filter implies the partial filter of an index. A server plans with the index only then.
import { docOf, isDoc, isOperators } from './values.js';

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isSomething = (value: unknown): boolean => value !== null && value !== undefined;
const isThere = ({ $exists }: Record<string, unknown>): boolean => $exists === true || $exists === 1;

/** The conditions that imply that a field exists, under the names that the server facts give them. */
export const IMPLIES_EXISTS: Record<string, (operators: Record<string, unknown>) => boolean> = {
  '$eq (not null)': ({ $eq }) => isSomething($eq),
  '$lt/$lte/$gt/$gte (not null)': ({ $lt, $lte, $gt, $gte }) => [$lt, $lte, $gt, $gte].some(isSomething),
  '$in without null': ({ $in }) => Array.isArray($in) && $in.every(isSomething),
  '$exists: true': isThere,
  $type: ({ $type }) => $type !== undefined,
  $regex: ({ $regex }) => $regex !== undefined,
  $mod: ({ $mod }) => $mod !== undefined,
  $size: ({ $size }) => $size !== undefined,
  $elemMatch: ({ $elemMatch }) => $elemMatch !== undefined,
  '$ne: null': (operators) => '$ne' in operators && operators.$ne === null,
  '$nin with null': ({ $nin }) => list($nin).includes(null),
};

/** A condition on a field in the form of operators: a value becomes `$eq`, a regular expression `$regex`. */
export function operatorsOf(condition: unknown): Record<string, unknown> {
  if (isOperators(condition)) return condition;
  return condition instanceof RegExp ? { $regex: condition } : { $eq: condition };
}

/**
 * Whether the conditions imply the partial filter.
 * @param conditions the conditions of each field, all of which must be met
 */
export function implies(conditions: ReadonlyMap<string, unknown[]>, partialFilter: unknown): boolean {
  return Object.entries(docOf(partialFilter)).every(([field, wanted]) =>
    (conditions.get(field) ?? []).some((condition) => impliesOne(operatorsOf(condition), wanted)),
  );
}

/**
 * Handles partial filters with a value, `$exists: true`, or the same `$gt` as the condition. For any other, the test fails, so that somebody extends this
 * function.
 */
function impliesOne(operators: Record<string, unknown>, wanted: unknown): boolean {
  if (isDoc(wanted) && wanted.$gt instanceof Date) return operators.$gt instanceof Date && operators.$gt >= wanted.$gt;
  if (isDoc(wanted)) return isThere(wanted) && Object.values(IMPLIES_EXISTS).some((implied) => implied(operators));
  const { $eq, $in } = operators;
  return $eq === wanted || (Array.isArray($in) && $in.length > 0 && $in.every((value) => value === wanted));
}
