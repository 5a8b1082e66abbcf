// What several conditions on one field leave over, met one by one: listed values, or bounds, ranges and values that are excluded.
import { type Axis, axisOf } from './axis.js';
import type { Family } from './families.js';
import { literalOf, literalPoint, type Point } from './points.js';
import type { Condition, Literal, Operator } from './types.js';

/** One end of a range: a literal, itself inside unless `strict`. `rank` is the last value inside. */
export interface Bound {
  literal: Literal;
  strict: boolean;
  rank: bigint;
}

/** A range that is left out, both ends included. */
export interface Gap {
  low: bigint;
  high: bigint;
  literals: [Literal, Literal];
}

/** A literal in its one spelling, by its point. */
export type Values = ReadonlyMap<Point, Literal>;

/** The values that meet the conditions on one field. No value that is absent is ever among them. */
export class FieldSet {
  /** All that may be, when values are listed. */
  listed?: Values;
  low?: Bound;
  high?: Bound;
  gaps: Gap[] = [];
  excluded = new Map<Point, Literal>();
  /** A range was asked for: values that are not of the family are out. */
  isTyped = false;

  constructor(
    readonly family: Family,
    private readonly now: number,
  ) {}

  /** Leaves over what meets this condition too. @throws RangeError for a literal that is not of the family, and an order it has not. */
  meet({ operator, values }: Condition): void {
    const points = new Map(values.map((literal) => this.#entry(literal)));
    MEETS[operator](this, points, values);
  }

  list(points: Values): void {
    const { listed } = this;
    this.listed = listed === undefined ? points : new Map([...listed].filter(([point]) => points.has(point)));
  }

  raise(bound: Bound): void {
    this.isTyped = true;
    if (this.low === undefined || bound.rank > this.low.rank) this.low = bound;
  }

  lower(bound: Bound): void {
    this.isTyped = true;
    if (this.high === undefined || bound.rank < this.high.rank) this.high = bound;
  }

  leaveOut(gap: Gap): void {
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
  $nonbetween: (set, _points, [low = 0, high = 0]) => set.leaveOut(set.gap(low, high)),
};
