// When a filter implies the partial filter of an index: only then a server plans with that index.
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

/** A condition on a field as operators: a value is `$eq`, a regular expression `$regex`. */
export function operatorsOf(condition: unknown): Record<string, unknown> {
  if (isOperators(condition)) return condition;
  return condition instanceof RegExp ? { $regex: condition } : { $eq: condition };
}

/**
 * Whether the conditions imply the partial filter.
 * @param conditions those of each field, all of which hold.
 */
export function implies(conditions: ReadonlyMap<string, unknown[]>, partialFilter: unknown): boolean {
  return Object.entries(docOf(partialFilter)).every(([field, wanted]) =>
    (conditions.get(field) ?? []).some((condition) => impliesOne(operatorsOf(condition), wanted)),
  );
}

/** Of partial filters with a value or `$exists: true`; a test fails for any other, so that this is extended. */
function impliesOne(operators: Record<string, unknown>, wanted: unknown): boolean {
  if (isDoc(wanted)) return isThere(wanted) && Object.values(IMPLIES_EXISTS).some((implied) => implied(operators));
  const { $eq, $in } = operators;
  return $eq === wanted || (Array.isArray($in) && $in.length > 0 && $in.every((value) => value === wanted));
}
