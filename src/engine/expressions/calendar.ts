// Calendar arithmetic over wall clocks (Dates read by their UTC parts): ISO weeks, day numbers, units of time.

import { typeName } from '../bson/types.js';
import { type ErrorName, fail } from '../errors.js';

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** Milliseconds of the units whose length never changes. */
export const FIXED_UNITS: Record<string, number> = {
  day: DAY,
  hour: 3_600_000,
  millisecond: 1,
  minute: 60_000,
  second: 1000,
  week: 7 * DAY,
};

/** Months of the units that are counted in months. */
export const MONTH_UNITS: Record<string, number> = { month: 1, quarter: 3, year: 12 };

/** Error codes for a unit of time that is not a string, and for one that is not a unit's name. */
const UNIT_CODES: UnitCodes = { type: 5439013, name: 5439014 };

interface UnitCodes {
  type: number;
  name: ErrorName | number;
}

/** A unit of time by name. */
export function unitOf(value: unknown, codes = UNIT_CODES): string {
  if (typeof value !== 'string') return fail(codes.type, `unit must be a string, found ${typeName(value)}`);
  if (Object.hasOwn(FIXED_UNITS, value) || Object.hasOwn(MONTH_UNITS, value)) return value;
  return fail(codes.name, `unknown time unit value: ${value}`);
}

const WEEK_DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** A day of the week (0 is Sunday) by name or its first three letters, in any case; Sunday when missing. */
export function weekDayOf(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== 'string') return fail(5439015, `startOfWeek must be a string, found ${typeName(value)}`);
  const name = value.toLowerCase();
  const at = WEEK_DAYS.findIndex((day) => day === name || day.slice(0, 3) === name);
  return at === -1 ? fail(5439016, `startOfWeek cannot be recognized as a day of a week: ${value}`) : at;
}

/** Milliseconds of a wall clock; parts beyond their range carry over. */
export function wallClock(year: number, month: number, day: number, time = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() + time;
}

/** Monday 1 to Sunday 7. */
export function isoWeekDay(local: Date): number {
  return local.getUTCDay() || 7;
}

/** 1 to 366. */
export function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - wallClock(local.getUTCFullYear(), 1, 1)) / DAY) + 1;
}

/** Week of the year, weeks from Sunday; 0 before the first Sunday. */
export function week(local: Date): number {
  return Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7);
}

/** The year an ISO week belongs to: that of its Thursday. */
export function isoYear(local: Date): number {
  return new Date(local.getTime() + (4 - isoWeekDay(local)) * DAY).getUTCFullYear();
}

/** Midnight of the Monday of ISO week 1. */
function firstIsoMonday(year: number): number {
  const fourth = wallClock(year, 1, 4);
  return fourth - (isoWeekDay(new Date(fourth)) - 1) * DAY;
}

/** ISO week of the year, 1 to 53. */
export function isoWeek(local: Date): number {
  return Math.floor((local.getTime() - firstIsoMonday(isoYear(local))) / (7 * DAY)) + 1;
}

/** Midnight of a day by ISO year, week and weekday; parts beyond their range carry over. */
export function isoWallClock(year: number, weekNumber: number, weekDay: number): number {
  return firstIsoMonday(year) + ((weekNumber - 1) * 7 + (weekDay - 1)) * DAY;
}

/** Months since year 0. */
export function monthNumber(local: Date): number {
  return local.getUTCFullYear() * 12 + local.getUTCMonth();
}

/** The same day and time some months later; the last of the month when it has no such day. */
export function addMonths(local: Date, months: number): number {
  const first = wallClock(0, monthNumber(local) + months + 1, 1);
  const next = new Date(first);
  next.setUTCMonth(next.getUTCMonth() + 1);
  const days = Math.round((next.getTime() - first) / DAY);
  const day = Math.min(local.getUTCDate(), days);
  return (
    first +
    (day - 1) * DAY +
    (local.getTime() - wallClock(local.getUTCFullYear(), local.getUTCMonth() + 1, local.getUTCDate()))
  );
}
