// Parts of a date ($year, $isoWeek, …), $dateToParts and $dateFromParts.
import { Long, ObjectId, Timestamp } from 'bson';
import { FarDate } from '../bson/date.js';
import { integralValue } from '../bson/numbers.js';
import { type Doc, isDocument, isNumber, typeName } from '../bson/types.js';
import { type ErrorName, fail } from '../errors.js';
import {
  type Compiler,
  type ExpressionOperator,
  fold,
  int,
  namedOperator,
  nullish,
  type OperatorTable,
} from './operator.js';
import type { Expression } from './types.js';
import { dayOfYear, isoWallClock, isoWeek, isoWeekDay, isoYear, wallClock, week } from './calendar.js';
import { isNullZone, toInstant, toLocal, UTC, zoneOf } from './timezone.js';

/** Milliseconds of a date, timestamp or ObjectId; 16006 for the rest. */
export function instantOf(value: unknown, code: ErrorName | number = 16006): number {
  if (value instanceof FarDate)
    fail('NotImplemented', `calendars end at 8.64e15 milliseconds in this store; the date has ${value.millis}`);
  if (value instanceof Date) return value.getTime();
  if (value instanceof Timestamp) return value.t * 1000;
  if (value instanceof ObjectId) return value.getTimestamp().getTime();
  return fail(code, `can't convert from BSON type ${typeName(value)} to Date`);
}

interface DateArguments {
  date: Expression;
  timezone: Expression | undefined;
}

/** `{$year: <date>}`, `{$year: [<date>]}` or `{$year: {date, timezone}}`. */
function dateArguments(name: string, operand: unknown, compiler: Compiler): DateArguments {
  if (isDocument(operand) && !Object.keys(operand)[0]?.startsWith('$')) {
    for (const key of Object.keys(operand)) {
      if (key !== 'date' && key !== 'timezone') fail(40535, `unrecognized option to ${name}: "${key}"`);
    }
    if (operand.date === undefined) fail(40539, `missing 'date' argument to ${name}`);
    const timezone = operand.timezone === undefined ? undefined : compiler.compile(operand.timezone);
    return { date: compiler.compile(operand.date), timezone };
  }
  if (Array.isArray(operand) && operand.length !== 1) {
    fail(40536, `${name} accepts exactly one argument if given an array, but was given ${operand.length}`);
  }
  return { date: compiler.compile(Array.isArray(operand) ? operand[0] : operand), timezone: undefined };
}

function part(name: string, read: (local: Date) => unknown): ExpressionOperator {
  return (operand, compiler) => {
    const { date, timezone } = dateArguments(name, operand, compiler);
    return fold({
      run: (doc, vars) => {
        const value = date.run(doc, vars);
        const zone = timezone?.run(doc, vars);
        if (nullish(value) || (timezone && nullish(zone))) return null;
        return read(toLocal(instantOf(value), timezone ? zoneOf(zone) : UTC));
      },
      constant: date.constant && (timezone?.constant ?? true),
    });
  };
}

function intPart(name: string, read: (local: Date) => number): ExpressionOperator {
  return part(name, (local) => int(read(local)));
}

function timeParts(local: Date): Doc {
  return {
    hour: int(local.getUTCHours()),
    minute: int(local.getUTCMinutes()),
    second: int(local.getUTCSeconds()),
    millisecond: int(local.getUTCMilliseconds()),
  };
}

function dateToParts(values: Doc): unknown {
  const { date, timezone } = values;
  const iso8601 = 'iso8601' in values ? values.iso8601 : false;
  if (nullish(date) || isNullZone(values) || nullish(iso8601)) return null;
  if (typeof iso8601 !== 'boolean') return fail(40521, `iso8601 must evaluate to a bool, found ${typeName(iso8601)}`);
  const local = toLocal(instantOf(date), zoneOf(timezone));
  if (iso8601) {
    const days = {
      isoWeekYear: int(isoYear(local)),
      isoWeek: int(isoWeek(local)),
      isoDayOfWeek: int(isoWeekDay(local)),
    };
    return { ...days, ...timeParts(local) };
  }
  const days = { year: int(local.getUTCFullYear()), month: int(local.getUTCMonth() + 1), day: int(local.getUTCDate()) };
  return { ...days, ...timeParts(local) };
}

const PLAIN = ['year', 'month', 'day'];
const ISO = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'];
const TIME = ['hour', 'minute', 'second', 'millisecond'];

/** Parts that must fit 16 bits; seconds and milliseconds may be any number. */
const BOUNDED = new Set(['month', 'day', 'isoWeek', 'isoDayOfWeek', 'hour', 'minute']);

/** A part's number; undefined when the result is null. Years must be 1 to 9999. */
function partNumber(values: Doc, name: string, fallback: number): number | undefined {
  if (!(name in values)) return fallback;
  const value = values[name];
  if (nullish(value)) return undefined;
  const whole = isNumber(value) ? integralValue(value) : undefined;
  if (whole === undefined)
    return fail(40515, `'${name}' must evaluate to an integer, found ${typeName(value)} with value ${String(value)}`);
  if (name === 'year' || name === 'isoWeekYear') {
    if (whole < 1n || whole > 9999n) {
      fail(
        name === 'year' ? 40523 : 31095,
        `'${name}' must evaluate to an integer in the range 1 to 9999, found ${whole}`,
      );
    }
  } else if (BOUNDED.has(name) && (whole < -32768n || whole > 32767n)) {
    fail(31034, `'${name}' must evaluate to a value in the range [-32768, 32767]; value ${whole} is not in range`);
  }
  return Number(whole);
}

function dateFromParts(values: Doc): unknown {
  const iso = 'isoWeekYear' in values;
  const names = [...(iso ? ISO : PLAIN), ...TIME];
  const numbers = names.map((name, i) => partNumber(values, name, i < 3 ? 1 : 0));
  if (numbers.some((value) => value === undefined) || isNullZone(values)) return null;
  const [year, middle, day, hour, minute, second, milli] = numbers as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const time = ((hour * 60 + minute) * 60 + second) * 1000 + milli;
  const local = iso ? isoWallClock(year, middle, day) + time : wallClock(year, middle, day, time);
  return new Date(toInstant(local, zoneOf(values.timezone)));
}

function checkParts(operand: unknown): void {
  if (!isDocument(operand)) return;
  const has = (name: string): boolean => operand[name] !== undefined;
  if (!has('year') && !has('isoWeekYear'))
    fail(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  if (has('year') && ISO.some(has)) fail(40489, '$dateFromParts does not allow mixing natural dates with ISO dates');
  if (has('isoWeekYear') && PLAIN.some(has))
    fail(40525, '$dateFromParts does not allow mixing ISO dates with natural dates');
}

const fromParts = namedOperator(
  '$dateFromParts',
  {
    required: [],
    optional: [...PLAIN, ...ISO, ...TIME, 'timezone'],
    notDocument: 40519,
    unknown: 40518,
    missing: 40516,
  },
  dateFromParts,
);

/** Parts of dates. */
export const DATE_PARTS: OperatorTable = {
  $dateFromParts: (operand, compiler) => {
    checkParts(operand);
    return fromParts(operand, compiler);
  },
  $dateToParts: namedOperator(
    '$dateToParts',
    { required: ['date'], optional: ['timezone', 'iso8601'], notDocument: 40524, unknown: 40520, missing: 40522 },
    dateToParts,
  ),
  $dayOfMonth: intPart('$dayOfMonth', (local) => local.getUTCDate()),
  $dayOfWeek: intPart('$dayOfWeek', (local) => local.getUTCDay() + 1),
  $dayOfYear: intPart('$dayOfYear', dayOfYear),
  $hour: intPart('$hour', (local) => local.getUTCHours()),
  $isoDayOfWeek: intPart('$isoDayOfWeek', isoWeekDay),
  $isoWeek: intPart('$isoWeek', isoWeek),
  $isoWeekYear: part('$isoWeekYear', (local) => Long.fromNumber(isoYear(local))),
  $millisecond: intPart('$millisecond', (local) => local.getUTCMilliseconds()),
  $minute: intPart('$minute', (local) => local.getUTCMinutes()),
  $month: intPart('$month', (local) => local.getUTCMonth() + 1),
  $second: intPart('$second', (local) => local.getUTCSeconds()),
  $week: intPart('$week', week),
  $year: intPart('$year', (local) => local.getUTCFullYear()),
};
