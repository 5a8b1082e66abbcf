// $dateAdd, $dateSubtract, $dateDiff and $dateTrunc, on the wall clock of a time zone where the unit is a day or more.
import { Long } from 'bson';
import { integralValue } from '../bson/numbers.js';
import { type Doc, isNumber, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { type ExpressionOperator, namedOperator, nullish, type OperatorTable } from './operator.js';
import { addMonths, DAY, FIXED_UNITS, MONTH_UNITS, monthNumber, unitOf, wallClock, weekDayOf } from './calendar.js';
import { instantOf } from './date-parts.js';
import { isNullZone, toInstant, toLocal, type Zone, zoneOf } from './timezone.js';

function shifted(instant: number, unit: string, amount: number, zone: Zone): number {
  const months = MONTH_UNITS[unit];
  if (months !== undefined) return toInstant(addMonths(toLocal(instant, zone), months * amount), zone);
  const size = FIXED_UNITS[unit] ?? 1;
  if (size < DAY) return instant + size * amount;
  return toInstant(toLocal(instant, zone).getTime() + size * amount, zone);
}

function adder(name: string, sign: 1 | -1): ExpressionOperator {
  const required = ['startDate', 'unit', 'amount'];
  const spec = { required, optional: ['timezone'], notDocument: 5166400, unknown: 5166401, missing: 5166402 };
  return namedOperator(name, spec, (values) => {
    const { startDate, amount } = values;
    if (nullish(startDate) || nullish(values.unit) || nullish(amount) || isNullZone(values)) return null;
    const instant = instantOf(startDate, 5166403);
    const unit = unitOf(values.unit, { type: 5166404, name: 'FailedToParse' });
    const count = isNumber(amount) ? integralValue(amount) : undefined;
    if (count === undefined) return fail(5166405, `${name} expects integer amount of time units`);
    const result = new Date(shifted(instant, unit, sign * Number(count), zoneOf(values.timezone)));
    if (Number.isNaN(result.getTime())) fail(5166406, `${name} overflowed`);
    return result;
  });
}

/** How many boundaries of a unit lie before a wall clock. */
function boundaries(local: Date, unit: string, weekStart: number): number {
  const months = MONTH_UNITS[unit];
  if (months !== undefined) return Math.floor(monthNumber(local) / months);
  // Day 0 (1970-01-01) was a Thursday.
  if (unit === 'week') return Math.floor((Math.floor(local.getTime() / DAY) + 4 - weekStart) / 7);
  return Math.floor(local.getTime() / (FIXED_UNITS[unit] ?? 1));
}

function dateDiff(values: Doc): unknown {
  const { startDate, endDate } = values;
  if (nullish(startDate) || nullish(endDate) || nullish(values.unit) || isNullZone(values)) return null;
  if ('startOfWeek' in values && nullish(values.startOfWeek) && values.unit === 'week') return null;
  const [start, end] = [instantOf(startDate, 5166307), instantOf(endDate, 5166307)];
  const unit = unitOf(values.unit);
  const zone = zoneOf(values.timezone);
  const weekStart = unit === 'week' ? weekDayOf(values.startOfWeek) : 0;
  const offset = zone.offsetAt(start);
  // For units below a day, elapsed time counts, so both ends use the same offset.
  const endLocal = (FIXED_UNITS[unit] ?? DAY) < DAY ? new Date(end + offset) : toLocal(end, zone);
  return Long.fromNumber(boundaries(endLocal, unit, weekStart) - boundaries(new Date(start + offset), unit, weekStart));
}

const REFERENCE = Date.UTC(2000, 0, 1);
const REFERENCE_WEEK_DAY = 6;

function truncated(instant: number, unit: string, size: number, zone: Zone, weekStart: number): number {
  const local = toLocal(instant, zone);
  const months = MONTH_UNITS[unit];
  if (months !== undefined) {
    const since = monthNumber(local) - 2000 * 12;
    const bin = months * size;
    return toInstant(wallClock(2000, Math.floor(since / bin) * bin + 1, 1), zone);
  }
  const bin = (FIXED_UNITS[unit] ?? 1) * size;
  if ((FIXED_UNITS[unit] ?? 1) < DAY) {
    // Hours and shorter bins are counted in elapsed time from the reference, so daylight saving does not shift them.
    const reference = toInstant(REFERENCE, zone);
    return reference + Math.floor((instant - reference) / bin) * bin;
  }
  const from = unit === 'week' ? REFERENCE + ((weekStart - REFERENCE_WEEK_DAY + 7) % 7) * DAY : REFERENCE;
  return toInstant(from + Math.floor((local.getTime() - from) / bin) * bin, zone);
}

function dateTrunc(values: Doc): unknown {
  const { date, binSize } = values;
  if (nullish(date) || nullish(values.unit) || isNullZone(values)) return null;
  if ('binSize' in values && nullish(binSize)) return null;
  if ('startOfWeek' in values && nullish(values.startOfWeek) && values.unit === 'week') return null;
  const instant = instantOf(date, 5439012);
  const unit = unitOf(values.unit);
  const size = binSize === undefined ? 1n : isNumber(binSize) ? integralValue(binSize) : undefined;
  if (size === undefined)
    return fail(
      5439017,
      `$dateTrunc requires 'binSize' to be a 64-bit integer, but got value of type ${typeName(binSize)}`,
    );
  if (size <= 0n) fail(5439018, `$dateTrunc requires 'binSize' to be greater than 0, but got value ${size}`);
  const weekStart = unit === 'week' ? weekDayOf(values.startOfWeek) : 0;
  return new Date(truncated(instant, unit, Number(size), zoneOf(values.timezone), weekStart));
}

/** Arithmetic with dates. */
export const DATE_MATH: OperatorTable = {
  $dateAdd: adder('$dateAdd', 1),
  $dateDiff: namedOperator(
    '$dateDiff',
    {
      required: ['startDate', 'endDate', 'unit'],
      optional: ['timezone', 'startOfWeek'],
      notDocument: 5166301,
      unknown: 5166302,
      missing: { startDate: 5166303, endDate: 5166304, unit: 5166305 },
    },
    dateDiff,
  ),
  $dateSubtract: adder('$dateSubtract', -1),
  $dateTrunc: namedOperator(
    '$dateTrunc',
    {
      required: ['date', 'unit'],
      optional: ['binSize', 'timezone', 'startOfWeek'],
      notDocument: 5439007,
      unknown: 5439008,
      missing: { date: 5439009, unit: 5439010 },
    },
    dateTrunc,
  ),
};
