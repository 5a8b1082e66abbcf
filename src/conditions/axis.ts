// Maps the values of an ordered family to whole numbers without gaps, so that the next value is one more: doubles by their 64 bits
// (contract §12), dates by their milliseconds.
import type { Family } from '../common/data-types.js';
import type { Point } from './points.js';
import { type Literal, momentOf } from './types.js';

const SIGN = 1n << 63n;
const ALL = (1n << 64n) - 1n;

const view = new DataView(new ArrayBuffer(8));

/** A double's 64 bits in the order of values, −0 as 0 (contract §12): negative numbers with all bits inverted, others with the sign bit set. */
export function orderedBits(value: number): bigint {
  view.setFloat64(0, value + 0);
  const bits = view.getBigUint64(0);
  return bits >= SIGN ? bits ^ ALL : bits | SIGN;
}

/** The double of ordered bits. */
export function doubleOf(ordered: bigint): number {
  view.setBigUint64(0, ordered >= SIGN ? ordered ^ SIGN : ordered ^ ALL);
  return view.getFloat64(0);
}

/** The points of an ordered family as ranks: the next value's rank is one more. */
export interface Axis {
  rankOf(point: Point): bigint;
  pointAt(rank: bigint): number;
  /** Ranks of the first and the last value. */
  first: bigint;
  last: bigint;
  /** The first value as a literal: every value of the family is `>=` it. */
  firstLiteral: Literal;
}

/** No time zone is further from UTC, so no date-time is earlier. */
const FIRST_DATE = '0000-01-01T00:00:00+23:59';
/** Later than any date-time. */
const LAST_MS = 8_640_000_000_000_000n;

/** No value has the bits of −0: negative numbers move up by one to close this gap. */
const numberRank = (value: number): bigint => orderedBits(value) + (value < 0 ? 1n : 0n);

const NUMBERS: Axis = {
  rankOf: (point) => numberRank(Number(point)),
  pointAt: (rank) => doubleOf(rank >= SIGN ? rank : rank - 1n),
  first: numberRank(-Number.MAX_VALUE),
  last: numberRank(Number.MAX_VALUE),
  firstLiteral: -Number.MAX_VALUE,
};

const DATES: Axis = {
  rankOf: (point) => BigInt(Number(point)),
  pointAt: Number,
  first: BigInt(momentOf(FIRST_DATE) ?? 0),
  last: LAST_MS,
  firstLiteral: FIRST_DATE,
};

/** The axis of a family; undefined for a family without an order. */
export function axisOf(family: Family): Axis | undefined {
  if (family === 'number') return NUMBERS;
  return family === 'date' ? DATES : undefined;
}
