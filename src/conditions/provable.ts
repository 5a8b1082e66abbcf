// Which conditions can be proven, and why others cannot (contract §13).
import { conditionsOf, type Families, type FieldForm, type FormFault, normalForm } from './normal-form.js';
import { printCondition } from './print.js';
import type { Condition } from './types.js';

/** Maximum numbers of statements in one proof. */
export const PROOF_LIMITS = { ranges: 8, inequalities: 32, lists: 8, listMembers: 256 } as const;

export type UnprovableReason = FormFault | 'ranges' | 'inequalities' | 'lists';

/** A condition, as text, that cannot be proven. */
export interface Unprovable {
  condition: string;
  why: UnprovableReason;
}

/** The number of statements in a proof of these forms. A range with its excluded parts is one; `exists` is an inequality with "absent". */
export function statementsOf(forms: readonly FieldForm[]): Record<'ranges' | 'inequalities' | 'lists', number> {
  const count = { ranges: 0, inequalities: 0, lists: 0 };
  for (const form of forms) {
    if (form.in) count.lists += 1;
    if (isRange(form)) count.ranges += 1;
    else if (form.exists || form.not) count.inequalities += 1;
    count.inequalities += form.not?.length ?? 0;
  }
  return count;
}

/** Whether a form bounds its field. */
export function isRange({ gt, gte, lt, lte, outside }: FieldForm): boolean {
  return [gt, gte, lt, lte, outside].some((part) => part !== undefined);
}

/** The conditions that cannot be proven; empty when all can. @param now ms since 1970 UTC */
export function unprovableOf(conditions: readonly Condition[], families: Families, now: number): Unprovable[] {
  const { forms, faults } = normalForm(conditions, families, now);
  return [...faults, ...overLimits(forms)];
}

function overLimits(forms: readonly FieldForm[]): Unprovable[] {
  const unprovable: Unprovable[] = [];
  const counts = { ranges: 0, inequalities: 0, lists: 0 };
  for (const form of forms) {
    const more = statementsOf([form]);
    for (const kind of ['ranges', 'inequalities', 'lists'] as const) {
      if (counts[kind] + more[kind] <= PROOF_LIMITS[kind]) counts[kind] += more[kind];
      else unprovable.push(...conditionsOf(form).map((each) => ({ condition: printCondition(each), why: kind })));
    }
    if ((form.in?.length ?? 0) > PROOF_LIMITS.listMembers)
      unprovable.push({
        condition: printCondition({ field: form.field, operator: '$in', values: form.in ?? [] }),
        why: 'lists',
      });
  }
  return unprovable;
}
