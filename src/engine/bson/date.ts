// Dates in BSON's range, 64-bit milliseconds. JavaScript's Date ends at ±8.64e15; a date beyond that is a FarDate.

import { Long } from 'bson';
import { fail } from '../errors.js';

const MAX_DATE_MS = 8_640_000_000_000_000n;
const MAX_INT64 = (1n << 63n) - 1n;

/** A date outside the range of JavaScript's Date. It reads as an invalid Date; only `millisOf` returns its milliseconds. */
export class FarDate extends Date {
  constructor(readonly millis: bigint) {
    super(Number.NaN);
  }
}

/** Milliseconds since 1970: a number where a Date can hold it, else a bigint. The two can be compared. */
export function millisOf(date: Date): number | bigint {
  return date instanceof FarDate ? date.millis : date.getTime();
}

/** A date as a long. */
export function longOfDate(date: Date): Long {
  return Long.fromBigInt(BigInt(millisOf(date)));
}

/** A date as text, "2024-01-31T12:00:00.000Z". Throws 18537 for a FarDate. */
export function isoText(date: Date): string {
  if (!(date instanceof FarDate)) return date.toISOString();
  return fail(18537, 'Could not convert date to string: date component was outside the supported range of 0-9999.');
}

/** The date of these milliseconds; Overflow (15) beyond 64 bits. */
export function dateOf(millis: bigint): Date {
  if (millis >= -MAX_DATE_MS && millis <= MAX_DATE_MS) return new Date(Number(millis));
  if (millis > MAX_INT64 || millis < -MAX_INT64 - 1n) fail('Overflow', 'date overflow');
  return new FarDate(millis);
}
