// Dates relative to the day of a verification (contract §13): `today`, `today - 18 years`.

const UNITS = ['day', 'month', 'year'] as const;
type Unit = (typeof UNITS)[number];

export interface RelativeDate {
  /** Signed, -9,999 to 9,999. */
  count: number;
  unit: Unit;
}

const RELATIVE = /^today(?:\s*([+-])\s*(\d{1,4})\s*(day|month|year)s?)?$/i;
const DAY_MS = 86_400_000;
/** First and last midnight that a date literal can express. */
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T00:00:00Z');

/** Parses a relative date in any spelling; undefined for any other text. */
export function parseRelativeDate(text: string): RelativeDate | undefined {
  const [matched, sign, digits = '0', unit = 'day'] = RELATIVE.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const count = Number(digits);
  return { count: sign === '-' && count !== 0 ? -count : count, unit: unit.toLowerCase() as Unit };
}

/** The canonical spelling. */
export function printRelativeDate({ count, unit }: RelativeDate): string {
  if (count === 0) return 'today';
  const size = Math.abs(count);
  return `today ${count < 0 ? '-' : '+'} ${size} ${unit}${size === 1 ? '' : 's'}`;
}

/** Whether a literal is a relative date in canonical spelling. */
export function isRelativeDate(text: string): boolean {
  const relative = parseRelativeDate(text);
  return relative !== undefined && printRelativeDate(relative) === text;
}

/**
 * The midnight (ms since 1970 UTC) of a relative date at `now` (ms). A day after the end of the month becomes its last day; years are limited
 * to 0000 to 9999.
 */
export function resolveRelativeDate({ count, unit }: RelativeDate, now: number): number {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const moment = unit === 'day' ? today + count * DAY_MS : addMonths(today, unit === 'year' ? count * 12 : count);
  return Math.min(Math.max(moment, FIRST), LAST);
}

function addMonths(midnight: number, months: number): number {
  const date = new Date(midnight);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  const [year, monthOfYear] = [Math.floor(month / 12), ((month % 12) + 12) % 12];
  return midnightOf(year, monthOfYear, Math.min(date.getUTCDate(), daysOf(year, monthOfYear)));
}

/** As Date.UTC, but without its mapping of the years 0 to 99 to 1900 to 1999. */
function midnightOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

function daysOf(year: number, month: number): number {
  return new Date(midnightOf(year, month + 1, 0)).getUTCDate();
}
