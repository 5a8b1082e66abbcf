// Whether a value meets a condition (contract §13). A missing field fails every operator. A value of another type fails all but `!=`,
// `not in` and `exists`.
import { type Family, hasOrder } from '../common/data-types.js';
import { isJsonObject, own } from './objects.js';
import { literalPoint, type Point, pointOf } from './points.js';
import { type Condition, type Operator, ORDERING } from './types.js';

/** `missing`: the field is absent; `type`: the operator does not apply to the value or its type; `value`: the value does not meet it. */
export type ConditionVerdict = 'met' | 'missing' | 'type' | 'value';

type PointTest = (point: Point, literals: readonly (Point | undefined)[]) => boolean;

/**
 * Whether a point is below, in or above a range of its own ordered family; undefined if a bound belongs to another
 * family.
 */
function sideOf(point: Point, [low, high]: readonly (Point | undefined)[]): 'below' | 'in' | 'above' | undefined {
  if (low === undefined || high === undefined) return undefined;
  if (point < low) return 'below';
  return point > high ? 'above' : 'in';
}

const TESTS: Readonly<Record<Exclude<Operator, '$exists'>, PointTest>> = {
  $eq: (point, [literal]) => point === literal,
  $ne: (point, [literal]) => point !== literal,
  $lt: (point, [literal]) => literal !== undefined && point < literal,
  $lte: (point, [literal]) => literal !== undefined && point <= literal,
  $gt: (point, [literal]) => literal !== undefined && point > literal,
  $gte: (point, [literal]) => literal !== undefined && point >= literal,
  $in: (point, literals) => literals.includes(point),
  $nin: (point, literals) => !literals.includes(point),
  $between: (point, range) => sideOf(point, range) === 'in',
  $nonbetween: (point, range) => ['below', 'above'].includes(sideOf(point, range) ?? ''),
};

/**
 * Evaluates a condition.
 * @param value of the condition's field; undefined when the field is absent
 * @param now ms since 1970 UTC, for relative dates
 */
export function evaluate(condition: Condition, family: Family, value: unknown, now: number): ConditionVerdict {
  const { operator, values } = condition;
  if (value === undefined) return 'missing';
  if (operator === '$exists') return 'met';
  const point = pointOf(family, value);
  if (point === undefined) return operator === '$ne' || operator === '$nin' ? 'met' : 'type';
  if (ORDERING.has(operator) && !hasOrder(family)) return 'type';
  const literals = values.map((literal) => literalPoint(family, literal, now));
  return TESTS[operator](point, literals) ? 'met' : 'value';
}

/**
 * The value of a data point: a dotted name is a nested field, unless the subject has the name as it is.
 * @param subject a credentialSubject
 */
export function valueAt(subject: unknown, name: string): unknown {
  const whole = own(subject, name);
  if (whole !== undefined || !isJsonObject(subject)) return whole;
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const value = valueAt(own(subject, name.slice(0, dot)), name.slice(dot + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}
