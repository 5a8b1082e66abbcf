// The set of values that meet the conditions on one field: listed values, or bounds with excluded ranges and values. Conditions are added one by one.
import type { Family } from '../common/data-types.js';
import { type Axis, axisOf } from './axis.js';
import { literalOf, literalPoint, type Point } from './points.js';
import type { Condition, Literal, Operator } from './types.js';

/** One end of a range: a literal, included unless `strict`. `rank` is the rank of the last value in the range. */
export interface Bound {
  literal: Literal;
  strict: boolean;
  rank: bigint;
}

/** An excluded range, both ends included. */
export interface Gap {
  low: bigint;
  high: bigint;
  literals: [Literal, Literal];
}

/** Literals in canonical spelling, by point. */
export type Values = ReadonlyMap<Point, Literal>;

/** The values that meet the conditions on one field. An absent field meets none. */
export class FieldSet {
  /** The only possible values, if they are listed. */
  members?: Values;
  low?: Bound;
  high?: Bound;
  gaps: Gap[] = [];
  excluded = new Map<Point, Literal>();
  /** Whether a condition is a range, which excludes values outside the family. */
  isTyped = false;

  constructor(
    readonly family: Family,
    private readonly now: number,
  ) {}

  /** Keeps only values that also meet this condition. @throws RangeError for a literal outside the family, and for a family without an order. */
  meet({ operator, values }: Condition): void {
    const points = new Map(values.map((literal) => this.#entry(literal)));
    MEETS[operator](this, points, values);
  }

  list(points: Values): void {
    const { members } = this;
    this.members = members === undefined ? points : new Map([...members].filter(([point]) => points.has(point)));
  }

  raise(bound: Bound): void {
    this.isTyped = true;
    if (this.low === undefined || bound.rank > this.low.rank) this.low = bound;
  }

  lower(bound: Bound): void {
    this.isTyped = true;
    if (this.high === undefined || bound.rank < this.high.rank) this.high = bound;
  }

  excludeRange(gap: Gap): void {
    this.isTyped = true;
    if (gap.low <= gap.high) this.gaps.push(gap);
  }

  /** The axis of ranges. @throws RangeError for a family without an order. */
  get axis(): Axis {
    const axis = axisOf(this.family);
    if (axis === undefined) throw new RangeError(`${this.family} has no order`);
    return axis;
  }

  /** A bound at a literal. */
  bound(literal: Literal, by: -1n | 0n | 1n): Bound {
    const [point, spelled] = this.#entry(literal);
    return { literal: spelled, strict: by !== 0n, rank: this.axis.rankOf(point) + by };
  }

  gap(low: Literal, high: Literal): Gap {
    const ends = [this.bound(low, 0n), this.bound(high, 0n)] as const;
    return { low: ends[0].rank, high: ends[1].rank, literals: [ends[0].literal, ends[1].literal] };
  }

  #entry(literal: Literal): [Point, Literal] {
    const point = literalPoint(this.family, literal, this.now);
    if (point === undefined) throw new RangeError(`${JSON.stringify(literal)} is no ${this.family}`);
    return [point, literalOf(this.family, point, literal)];
  }
}

type Meet = (set: FieldSet, points: Values, values: readonly Literal[]) => void;

const exclude: Meet = (set, points) => {
  for (const [point, literal] of points) set.excluded.set(point, literal);
};

const MEETS: Readonly<Record<Operator, Meet>> = {
  $exists: () => {},
  $eq: (set, points) => set.list(points),
  $in: (set, points) => set.list(points),
  $ne: exclude,
  $nin: exclude,
  $gt: (set, _points, [literal = 0]) => set.raise(set.bound(literal, 1n)),
  $gte: (set, _points, [literal = 0]) => set.raise(set.bound(literal, 0n)),
  $lt: (set, _points, [literal = 0]) => set.lower(set.bound(literal, -1n)),
  $lte: (set, _points, [literal = 0]) => set.lower(set.bound(literal, 0n)),
  $between: (set, _points, [low = 0, high = 0]) => {
    set.raise(set.bound(low, 0n));
    set.lower(set.bound(high, 0n));
  },
  $nonbetween: (set, _points, [low = 0, high = 0]) => set.excludeRange(set.gap(low, high)),
};
