// The normal form of conditions (contract §13): for each field, one description of the values that meet all of its conditions.
import { type Family, hasOrder } from '../common/data-types.js';
import { FieldSet } from './field-set.js';
import { printCondition } from './print.js';
import { simplify } from './simplify.js';
import { type Condition, type Literal, ORDERING } from './types.js';

/** The requirement on a field: `exists`, `equals`, `in`, or a range with excluded parts; dates are absolute. */
export interface FieldForm {
  field: string;
  family: Family;
  exists?: true;
  equals?: Literal;
  in?: Literal[];
  gt?: Literal;
  gte?: Literal;
  lt?: Literal;
  lte?: Literal;
  /** Excluded ranges, ends included, in order; they neither overlap nor touch. */
  outside?: [Literal, Literal][];
  not?: Literal[];
}

/**
 * Why conditions have no normal form: `order`: the family has no order; `type`: a literal of another family; `missing`: no such field;
 * `contradiction`: no value meets them all.
 */
export type FormFault = 'order' | 'type' | 'missing' | 'contradiction';

/** A condition, as text, that has no normal form. */
export interface Unformed {
  condition: string;
  why: FormFault;
}

/** The family of a field; undefined for a field that the schema does not have. */
export type Families = (field: string) => Family | undefined;

export interface Forms {
  /** Sorted by field, in the order of code units. */
  forms: FieldForm[];
  faults: Unformed[];
}

/**
 * The normal form of conditions that must all hold.
 * @param now ms since 1970 UTC, for relative dates
 */
export function normalForm(conditions: readonly Condition[], families: Families, now: number): Forms {
  const { sets, faults } = fieldSets(conditions, families, now);
  const forms = [...sets].map(([field, set]) => formOf(field, set));
  return { forms: forms.sort((a, b) => (a.field < b.field ? -1 : 1)), faults };
}

/** The simplified set of each field, and the conditions that have none or contradict each other. */
export function fieldSets(
  conditions: readonly Condition[],
  families: Families,
  now: number,
): { sets: Map<string, FieldSet>; faults: Unformed[] } {
  const faults = conditions.flatMap((condition) => faultOf(condition, families(condition.field), now));
  const sets = new Map<string, FieldSet>();
  for (const [field, group] of byField(conditions)) {
    const family = families(field);
    if (family === undefined || group.some((condition) => faultOf(condition, family, now).length > 0)) continue;
    const set = new FieldSet(family, now);
    for (const condition of group) set.meet(condition);
    simplify(set);
    if (set.members?.size === 0) faults.push(...group.map((each) => unformed(each, 'contradiction')));
    else sets.set(field, set);
  }
  return { sets, faults };
}

function byField(conditions: readonly Condition[]): Map<string, Condition[]> {
  const groups = new Map<string, Condition[]>();
  for (const condition of conditions) {
    const group = groups.get(condition.field);
    if (group) group.push(condition);
    else groups.set(condition.field, [condition]);
  }
  return groups;
}

const unformed = (condition: Condition, why: FormFault): Unformed => ({ condition: printCondition(condition), why });

function faultOf(condition: Condition, family: Family | undefined, now: number): Unformed[] {
  if (family === undefined) return [unformed(condition, 'missing')];
  if (ORDERING.has(condition.operator) && !hasOrder(family)) return [unformed(condition, 'order')];
  try {
    new FieldSet(family, now).meet(condition);
    return [];
  } catch (error) {
    if (error instanceof RangeError) return [unformed(condition, 'type')];
    throw error;
  }
}

function formOf(field: string, set: FieldSet): FieldForm {
  const { family, members, low, high, gaps, excluded } = set;
  const [first, ...others] = members?.values() ?? [];
  if (first !== undefined)
    return others.length === 0 ? { field, family, equals: first } : { field, family, in: [first, ...others] };
  if (!set.isTyped && excluded.size === 0) return { field, family, exists: true };
  return {
    field,
    family,
    ...(low && (low.strict ? { gt: low.literal } : { gte: low.literal })),
    ...(high && (high.strict ? { lt: high.literal } : { lte: high.literal })),
    ...(gaps.length > 0 && { outside: gaps.map(({ literals }) => literals) }),
    ...(excluded.size > 0 && { not: [...excluded.values()] }),
  };
}

/** A form as conditions. */
export function conditionsOf(form: FieldForm): Condition[] {
  const { field } = form;
  const conditionWith = (operator: Condition['operator'], values: Literal[]): Condition => ({
    field,
    operator,
    values,
  });
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((key) => {
    const literal = form[key];
    return literal === undefined ? [] : [conditionWith(`$${key}`, [literal])];
  });
  const [only, ...others] = form.not ?? [];
  return [
    ...(form.exists ? [conditionWith('$exists', [])] : []),
    ...(form.equals === undefined ? [] : [conditionWith('$eq', [form.equals])]),
    ...(form.in === undefined ? [] : [conditionWith('$in', form.in)]),
    ...bounds,
    ...(form.outside ?? []).map((range) => conditionWith('$nonbetween', range)),
    ...(only === undefined
      ? []
      : [others.length === 0 ? conditionWith('$ne', [only]) : conditionWith('$nin', [only, ...others])]),
  ];
}
