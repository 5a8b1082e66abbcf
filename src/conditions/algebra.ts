// What conditions say about each other: implication, equivalence, disjointness (contract §17). Exact for whatever a credential may hold.
import { type FieldSet } from './field-set.js';
import { type Families, fieldSets, type Unformed } from './normal-form.js';
import { endsOf } from './simplify.js';
import type { Condition } from './types.js';

export interface Comparison {
  equivalent: boolean;
  aImpliesB: boolean;
  bImpliesA: boolean;
  /** No claim meets both. */
  disjoint: boolean;
}

/** A comparison, or the conditions that have no meaning to compare by. */
export type Compared = Comparison | { faults: Unformed[] };

/**
 * Compares two lists of conditions on one schema, each of which holds together.
 * @param now ms since 1970 UTC: relative dates are compared as they are then
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

/** Fields are independent of each other: one implies the other when each of its fields does. */
function implies(a: ReadonlyMap<string, FieldSet>, b: ReadonlyMap<string, FieldSet>): boolean {
  return [...b].every(([field, outer]) => {
    const inner = a.get(field);
    return inner !== undefined && isWithin(inner, outer);
  });
}

function isWithin(inner: FieldSet, outer: FieldSet): boolean {
  if (inner.listed) return [...inner.listed.keys()].every((point) => holds(outer, point));
  // What is not listed may be of any type, or any number of values.
  if (!outer.isTyped && outer.listed === undefined) return excludes(inner, outer);
  if (!inner.isTyped) return false;
  const spans = spansOf(outer);
  return spansOf(inner).every((span) => spans.some((other) => span.low >= other.low && span.high <= other.high));
}

function holds(set: FieldSet, point: string | number | boolean): boolean {
  if (set.listed) return set.listed.has(point);
  if (set.excluded.has(point)) return false;
  if (!set.isTyped) return true;
  const rank = set.axis.rankOf(point);
  return spansOf(set).some(({ low, high }) => rank >= low && rank <= high);
}

/** Whether none of the values that the outer set leaves out is in the inner one. */
const excludes = (inner: FieldSet, outer: FieldSet): boolean =>
  [...outer.excluded.keys()].every((point) => !holds(inner, point));

interface Span {
  low: bigint;
  high: bigint;
}

/** The ranges that are left of a typed or listed set, in order; they neither meet nor touch. */
function spansOf(set: FieldSet): Span[] {
  if (set.listed) return joined([...set.listed.keys()].map((point) => spanOf(set, point)));
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
