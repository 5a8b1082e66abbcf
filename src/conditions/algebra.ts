// Compares conditions: implication, equivalence, disjointness (contract §17). The results are exact for every value of a credential.
import { type FieldSet } from './field-set.js';
import { type Families, fieldSets, type Unformed } from './normal-form.js';
import { endsOf } from './simplify.js';
import type { Condition } from './types.js';

export interface Comparison {
  equivalent: boolean;
  aImpliesB: boolean;
  bImpliesA: boolean;
  /** No claim meets both lists. */
  disjoint: boolean;
}

/** A comparison, or the conditions that cannot be compared. */
export type Compared = Comparison | { faults: Unformed[] };

/**
 * Compares two lists of conditions on one schema. The conditions of a list must all hold.
 * @param now ms since 1970 UTC, for relative dates
 */
export function compareConditions(
  a: readonly Condition[],
  b: readonly Condition[],
  families: Families,
  now: number,
): Compared {
  const [first, second] = [fieldSets(a, families, now), fieldSets(b, families, now)];
  const faults = [...first.faults, ...second.faults].filter(({ why }) => why !== 'contradiction');
  if (faults.length > 0) return { faults };
  const isEmpty = { a: first.faults.length > 0, b: second.faults.length > 0 };
  const aImpliesB = isEmpty.a || (!isEmpty.b && implies(first.sets, second.sets));
  const bImpliesA = isEmpty.b || (!isEmpty.a && implies(second.sets, first.sets));
  const both = fieldSets([...a, ...b], families, now);
  return { equivalent: aImpliesB && bImpliesA, aImpliesB, bImpliesA, disjoint: both.faults.length > 0 };
}

/** Fields are independent, so a implies b if it does for each field of b. */
function implies(a: ReadonlyMap<string, FieldSet>, b: ReadonlyMap<string, FieldSet>): boolean {
  return [...b].every(([field, outer]) => {
    const inner = a.get(field);
    return inner !== undefined && isWithin(inner, outer);
  });
}

function isWithin(inner: FieldSet, outer: FieldSet): boolean {
  if (inner.members) return [...inner.members.keys()].every((point) => holds(outer, point));
  // A set that is neither typed nor listed may contain values of any type, and any number of them.
  if (!outer.isTyped && outer.members === undefined) return excludes(inner, outer);
  if (!inner.isTyped) return false;
  const spans = spansOf(outer);
  return spansOf(inner).every((span) => spans.some((other) => span.low >= other.low && span.high <= other.high));
}

function holds(set: FieldSet, point: string | number | boolean): boolean {
  if (set.members) return set.members.has(point);
  if (set.excluded.has(point)) return false;
  if (!set.isTyped) return true;
  const rank = set.axis.rankOf(point);
  return spansOf(set).some(({ low, high }) => rank >= low && rank <= high);
}

/** Whether the inner set has no value that the outer set excludes. */
const excludes = (inner: FieldSet, outer: FieldSet): boolean =>
  [...outer.excluded.keys()].every((point) => !holds(inner, point));

interface Span {
  low: bigint;
  high: bigint;
}

/** The ranges that remain of a typed or listed set, in order; they neither overlap nor touch. */
function spansOf(set: FieldSet): Span[] {
  if (set.members) return joined([...set.members.keys()].map((point) => spanOf(set, point)));
  const out = joined([...set.gaps, ...[...set.excluded.keys()].map((point) => spanOf(set, point))]);
  const { low, high } = endsOf(set);
  const spans: Span[] = [];
  let from = low;
  for (const gap of out) {
    if (gap.low > from) spans.push({ low: from, high: gap.low - 1n });
    from = gap.high + 1n;
  }
  if (from <= high) spans.push({ low: from, high });
  return spans;
}

function spanOf(set: FieldSet, point: string | number | boolean): Span {
  const rank = set.axis.rankOf(point);
  return { low: rank, high: rank };
}

function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const { low, high } of [...spans].sort((a, b) => (a.low < b.low ? -1 : 1))) {
    const last = result.at(-1);
    if (last && low <= last.high + 1n) last.high = high > last.high ? high : last.high;
    else result.push({ low, high });
  }
  return result;
}
