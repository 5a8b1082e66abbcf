// Converts a filter's predicates to ranges of index keys. Ranges may be too wide, never too narrow: the filter is checked again on each row.
import { BRACKET } from '../bson/compare.js';
import { MAX_VALUE_BYTES } from '../bson/index-keys.js';
import type { PatternField } from '../bson/pattern.js';
import { bracketTag, encodeBound, encodeKey, encodePrefix, type KeyForm } from '../bson/sort-key.js';
import type { PointPredicate, Predicate, PrefixPredicate, RangePredicate } from '../query/predicates.js';
import type { IndexInfo } from '../store/catalog.js';
import { atOrAfter, pastAll, prefixEnd, prefixOf } from '../store/keys.js';
import type { Interval } from './scan.js';

/** The bounds of an index for a filter. */
export interface IndexBounds {
  intervals: Interval[];
  /** Number of leading fields for which every interval has one value (equalities and `$in`). */
  points: number;
  /** Of those, the fields with the same value in all intervals. */
  single: Set<string>;
  /** The field after the points has a range. */
  ranged: boolean;
  /** Predicates that all keys in the intervals satisfy, and no other keys. */
  used: Set<Predicate>;
  /** The predicates that the bounds were computed from. */
  predicates: Predicate[];
  /** The values of the leading fields, if there is one interval that only they bound. */
  prefix: unknown[] | undefined;
}

const AFTER = Buffer.from([0]);

/** Most intervals from the combinations of several fields' values: with more, the next field stays unbounded. */
const MAX_COMBINED = 2000;

/** Whether an index path runs through an array in some document. */
export function isMultikeyPath(index: IndexInfo, path: string): boolean {
  for (const prefix of index.multikey) if (path === prefix || path.startsWith(`${prefix}.`)) return true;
  return false;
}

function sharesArray(index: IndexInfo, path: string, others: string[]): boolean {
  for (const prefix of index.multikey) {
    const inside = (each: string): boolean => each === prefix || each.startsWith(`${prefix}.`);
    if (inside(path) && others.some(inside)) return true;
  }
  return false;
}

interface Build {
  index: IndexInfo;
  directions: (1 | -1)[];
  predicates: Predicate[];
  /** Values of the leading fields so far, one list for each interval. */
  prefixes: unknown[][];
  bounded: string[];
  single: Set<string>;
  used: Set<Predicate>;
}

/** Bounds of one index for these predicates. With no usable predicate: the whole index. */
export function boundsOf(index: IndexInfo, predicates: Predicate[]): IndexBounds {
  const build: Build = {
    index,
    directions: index.fields.map((field) => field.direction),
    predicates,
    prefixes: [[]],
    bounded: [],
    single: new Set(),
    used: new Set(),
  };
  let points = 0;
  for (const field of index.fields) {
    const usable = usableOn(build, field);
    const point = bestPoints(usable);
    if (point && addPoints(build, field, point)) {
      points += 1;
      continue;
    }
    const ranged = rangesOn(build, field, usable);
    const { single, used } = build;
    if (ranged) return { intervals: ranged, points, single, ranged: true, used, predicates, prefix: undefined };
    break;
  }
  const { prefixes, single, used } = build;
  const intervals = orderIntervals(prefixes.map((prefix) => prefixInterval(index, prefix)));
  const prefix = prefixes.length === 1 ? prefixes[0] : undefined;
  return { intervals, points, single, ranged: false, used, predicates, prefix };
}

/** If two fields of an index run through one array, different elements may satisfy their predicates: only the first may be bounded. */
function usableOn(build: Build, field: PatternField): Predicate[] {
  if (sharesArray(build.index, field.path, build.bounded)) return [];
  return build.predicates.filter((predicate) => predicate.path === field.path);
}

function bestPoints(usable: Predicate[]): PointPredicate | undefined {
  let best: PointPredicate | undefined;
  for (const each of usable)
    if (each.kind === 'points' && (!best || each.values.length < best.values.length)) best = each;
  return best;
}

function addPoints(build: Build, field: PatternField, point: PointPredicate): boolean {
  const combined = build.prefixes.length > 1 && point.values.length > 1;
  if (combined && build.prefixes.length * point.values.length > MAX_COMBINED) return false;
  const longer: unknown[][] = [];
  for (const prefix of build.prefixes) for (const value of point.values) longer.push([...prefix, value]);
  build.prefixes = longer;
  build.bounded.push(field.path);
  if (point.values.length === 1) build.single.add(field.path);
  if (point.exact) build.used.add(point);
  return true;
}

const formOf = ({ packed }: IndexInfo): KeyForm => ({ limit: MAX_VALUE_BYTES, packed });

function encodeLeading(index: IndexInfo, values: unknown[]): Buffer {
  return encodeKey(
    values,
    index.fields.map((field) => field.direction),
    formOf(index),
  );
}

/** All keys of an index that begin with these values. */
export function prefixInterval(index: IndexInfo, prefix: unknown[]): Interval {
  const { id, fields, unique } = index;
  if (prefix.length === 0) return { low: prefixOf(id), high: prefixEnd(id) };
  const values = encodeLeading(index, prefix);
  const low = atOrAfter(id, values);
  if (unique && prefix.length === fields.length) {
    const text = prefix.length === 1 && typeof prefix[0] === 'string' ? prefix[0] : undefined;
    return { low, high: Buffer.concat([low, AFTER]), one: true, text };
  }
  return { low, high: pastAll(id, values) };
}

/** Ranges on the field after the points; several predicates are intersected if one element must satisfy all of them. */
function rangesOn(build: Build, field: PatternField, usable: Predicate[]): Interval[] | null {
  const multikey = isMultikeyPath(build.index, field.path);
  const ranges = usable.filter((each) => each.kind === 'range');
  const first = ranges[0];
  if (first) {
    const together = ranges.filter(
      (each) => each === first || !multikey || (each.together !== undefined && each.together === first.together),
    );
    for (const each of together) if (each.exact) build.used.add(each);
    return eachPrefix(build, (values) => rangeInterval(build, field, values, together));
  }
  const prefix = usable.find((each) => each.kind === 'prefix');
  if (prefix) return eachPrefix(build, (values) => prefixIntervals(build, field, values, prefix));
  const exists = usable.find((each) => each.kind === 'exists');
  if (exists?.kind === 'exists' && !exists.present) {
    return eachPrefix(build, (_values, prior) => [prefixInterval(build.index, [...prior, null])]);
  }
  return null;
}

function eachPrefix(build: Build, make: (values: Buffer, prior: unknown[]) => Interval[]): Interval[] {
  return orderIntervals(build.prefixes.flatMap((prefix) => make(encodeLeading(build.index, prefix), prefix)));
}

function rangeInterval(build: Build, field: PatternField, values: Buffer, ranges: RangePredicate[]): Interval[] {
  const bracket = ranges[0]?.bracket ?? BRACKET.null;
  if (ranges.some((each) => each.bracket !== bracket)) return [];
  const { id } = build.index;
  const tag = Buffer.concat([values, Buffer.from([bracketTag(bracket, field.direction)])]);
  const interval: Interval = { low: atOrAfter(id, tag), high: pastAll(id, tag) };
  for (const range of ranges) {
    if (range.low) narrow(build, field, values, interval, range.low, field.direction === 1 ? 'low' : 'high');
    if (range.high) narrow(build, field, values, interval, range.high, field.direction === 1 ? 'high' : 'low');
  }
  return Buffer.compare(interval.low, interval.high) < 0 ? [interval] : [];
}

function narrow(
  build: Build,
  field: PatternField,
  values: Buffer,
  interval: Interval,
  end: { value: unknown; inclusive: boolean },
  side: 'low' | 'high',
): void {
  const position = build.index.fields.indexOf(field);
  const bound = encodeBound(end.value, position, build.directions, formOf(build.index));
  const key = Buffer.concat([values, bound.key]);
  const { id } = build.index;
  // A cut bound includes keys on both sides of it, so the rows must be checked.
  if (bound.cut) build.used.clear();
  const include = end.inclusive || bound.cut;
  if (side === 'low') {
    const low = include ? atOrAfter(id, key) : pastAll(id, key);
    if (Buffer.compare(low, interval.low) > 0) interval.low = low;
  } else {
    const high = include ? pastAll(id, key) : atOrAfter(id, key);
    if (Buffer.compare(high, interval.high) < 0) interval.high = high;
  }
}

/** Strings that begin with the prefix, and regular expressions stored as values. */
function prefixIntervals(build: Build, field: PatternField, values: Buffer, prefix: PrefixPredicate): Interval[] {
  const { id } = build.index;
  const position = build.index.fields.indexOf(field);
  const open = encodePrefix(prefix.prefix, position, build.directions, formOf(build.index));
  const strings = Buffer.concat([values, open]);
  const regexes = Buffer.concat([values, Buffer.from([bracketTag(BRACKET.regex, field.direction)])]);
  return [
    { low: atOrAfter(id, strings), high: pastAll(id, strings) },
    { low: atOrAfter(id, regexes), high: pastAll(id, regexes) },
  ];
}

/** In key order, without duplicates (`$in: [1, 1.0]`). */
function orderIntervals(intervals: Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => Buffer.compare(a.low, b.low));
  return sorted.filter((each, i) => i === 0 || !each.low.equals(sorted[i - 1]?.low ?? Buffer.alloc(0)));
}
