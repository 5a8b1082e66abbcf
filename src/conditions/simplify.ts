// Simplifies a field's set: removes redundant parts and recognises an empty set.
import type { FieldSet, Gap } from './field-set.js';
import { literalOf, type Point } from './points.js';
import type { Literal } from './types.js';

/** Simplifies a set in place. Afterwards it is a list (an empty one is a contradiction), a range, or only exclusions. */
export function simplify(set: FieldSet): void {
  if (set.members === undefined && set.isTyped) narrow(set);
  if (set.members !== undefined) filter(set);
}

/** Removes the listed values that do not meet the rest of the set; the list alone then describes it. */
function filter(set: FieldSet): void {
  const members = [...(set.members ?? [])].filter(([point]) => !set.excluded.has(point) && isInRange(set, point));
  set.members = new Map(members);
  set.low = undefined;
  set.high = undefined;
  set.gaps = [];
  set.excluded.clear();
}

function isInRange(set: FieldSet, point: Point): boolean {
  if (!set.isTyped) return true;
  const rank = set.axis.rankOf(point);
  const { low, high } = endsOf(set);
  return rank >= low && rank <= high && !set.gaps.some((gap) => rank >= gap.low && rank <= gap.high);
}

/** First and last rank of a range. */
export function endsOf({ axis, low, high }: FieldSet): { low: bigint; high: bigint } {
  const ends = { low: low?.rank ?? axis.first, high: high?.rank ?? axis.last };
  return {
    low: ends.low < axis.first ? axis.first : ends.low,
    high: ends.high > axis.last ? axis.last : ends.high,
  };
}

function narrow(set: FieldSet): void {
  set.gaps = mergeGaps(set.gaps);
  while (trimLow(set) || trimHigh(set));
  const { low, high } = endsOf(set);
  set.gaps = set.gaps.filter((gap) => gap.low > low && gap.high < high);
  set.excluded = new Map([...set.excluded].filter(([point]) => isInRange(set, point)));
  if (set.low === undefined && set.high === undefined && set.gaps.length === 0)
    set.low = set.bound(set.axis.firstLiteral, 0n);
  if (low >= high) set.members = low > high ? new Map() : single(set, low);
}

/** Gaps in order; those that overlap or touch become one. */
function mergeGaps(gaps: readonly Gap[]): Gap[] {
  const merged: Gap[] = [];
  for (const gap of [...gaps].sort((a, b) => (a.low < b.low ? -1 : 1))) {
    const last = merged.at(-1);
    if (last === undefined || gap.low > last.high + 1n) merged.push({ ...gap });
    else if (gap.high > last.high) {
      last.high = gap.high;
      last.literals = [last.literals[0], gap.literals[1]];
    }
  }
  return merged;
}

/** Moves the lower end past an excluded value or range; returns whether it did. */
function trimLow(set: FieldSet): boolean {
  const { low, high } = endsOf(set);
  if (low > high) return false;
  const gap = set.gaps.find((each) => each.low <= low && each.high >= low);
  const literal = gap?.literals[1] ?? excludedAt(set, low);
  if (literal !== undefined) set.low = set.bound(literal, 1n);
  return literal !== undefined;
}

function trimHigh(set: FieldSet): boolean {
  const { low, high } = endsOf(set);
  if (low > high) return false;
  const gap = set.gaps.find((each) => each.low <= high && each.high >= high);
  const literal = gap?.literals[0] ?? excludedAt(set, high);
  if (literal !== undefined) set.high = set.bound(literal, -1n);
  return literal !== undefined;
}

function excludedAt(set: FieldSet, rank: bigint): Literal | undefined {
  return set.excluded.get(set.axis.pointAt(rank));
}

function single(set: FieldSet, rank: bigint): ReadonlyMap<Point, Literal> {
  const point = set.axis.pointAt(rank);
  return new Map([[point, literalOf(set.family, point, set.low?.literal ?? set.high?.literal ?? point)]]);
}
