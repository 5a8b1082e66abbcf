// Dates as text and text as dates: $dateToString, $dateFromString, and the ISO form that conversions read.
import { type Doc, typeName } from '../bson/types.js';
import { fail, MongoError } from '../errors.js';
import { type ExpressionOperator, namedArguments, namedOperator, nullish, type OperatorTable } from './operator.js';
import { dayOfYear, isoWallClock, isoWeek, isoWeekDay, isoYear, wallClock, week } from './calendar.js';
import { instantOf } from './date-parts.js';
import { isNullZone, toInstant, toLocal, UTC, type Zone, zoneOf } from './timezone.js';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

function padded(value: number, width: number): string {
  if (value < 0 || value > 9999) {
    fail(18537, `Could not convert date to string: date component was outside the supported range of 0-9999: ${value}`);
  }
  return String(value).padStart(width, '0');
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${padded(Math.trunc(size / 60), 2)}${padded(size % 60, 2)}`;
}

const WRITE: Record<string, (local: Date, offsetMinutes: number) => string> = {
  '%': () => '%',
  b: (local) => (MONTHS[local.getUTCMonth()] ?? '').slice(0, 3),
  B: (local) => MONTHS[local.getUTCMonth()] ?? '',
  d: (local) => padded(local.getUTCDate(), 2),
  G: (local) => padded(isoYear(local), 4),
  H: (local) => padded(local.getUTCHours(), 2),
  j: (local) => padded(dayOfYear(local), 3),
  L: (local) => padded(local.getUTCMilliseconds(), 3),
  m: (local) => padded(local.getUTCMonth() + 1, 2),
  M: (local) => padded(local.getUTCMinutes(), 2),
  S: (local) => padded(local.getUTCSeconds(), 2),
  u: (local) => padded(isoWeekDay(local), 1),
  U: (local) => padded(week(local), 2),
  V: (local) => padded(isoWeek(local), 2),
  w: (local) => padded(local.getUTCDay() + 1, 1),
  Y: (local) => padded(local.getUTCFullYear(), 4),
  z: (_local, offset) => offsetText(offset),
  Z: (_local, offset) => String(offset),
};

/** Calls `literal` or `specifier` for each piece of a format. Errors: 18535, 18536. */
function eachPiece(
  format: string,
  specifiers: object,
  literal: (char: string) => void,
  specifier: (char: string) => void,
): void {
  const chars = [...format];
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] !== '%') {
      literal(chars[i] as string);
      continue;
    }
    i += 1;
    const char = chars[i];
    if (char === undefined) fail(18535, "Unmatched '%' at end of format string");
    if (!Object.hasOwn(specifiers, char)) fail(18536, `Invalid format character '%${char}' in format string`);
    specifier(char);
  }
}

function written(instant: number, format: string, zone: Zone): string {
  const local = toLocal(instant, zone);
  const offset = Math.trunc((local.getTime() - instant) / 60_000);
  let text = '';
  eachPiece(
    format,
    WRITE,
    (char) => {
      text += char;
    },
    (char) => {
      text += WRITE[char]?.(local, offset) ?? '';
    },
  );
  return text;
}

const ISO_FORMAT = '%Y-%m-%dT%H:%M:%S.%LZ';

/** The format as a string, checked for its specifiers; undefined when it is null. */
function formatOf(operator: string, format: unknown, specifiers: object, code: number): string | undefined {
  if (nullish(format)) return undefined;
  if (typeof format !== 'string')
    return fail(code, `${operator} requires that 'format' be a string, found: ${typeName(format)}`);
  eachPiece(format, specifiers, skip, skip);
  return format;
}

function skip(): void {}

function dateToString(values: Doc): unknown {
  const { date } = values;
  // An invalid format or time zone is an error even if there is no date.
  const format = 'format' in values ? formatOf('$dateToString', values.format, WRITE, 18533) : ISO_FORMAT;
  const zone = isNullZone(values) ? undefined : zoneOf(values.timezone);
  if (nullish(date)) return 'onNull' in values ? values.onNull : null;
  return zone === undefined || format === undefined ? null : written(instantOf(date), format, zone);
}

const READ: Record<string, string> = {
  '%': '%',
  b: '(?<b>[A-Za-z]{3})',
  B: '(?<B>[A-Za-z]+)',
  d: '(?<d>\\d{1,2})',
  G: '(?<G>\\d{4})',
  H: '(?<H>\\d{1,2})',
  j: '(?<j>\\d{1,3})',
  L: '(?<L>\\d{1,3})',
  m: '(?<m>\\d{1,2})',
  M: '(?<M>\\d{1,2})',
  S: '(?<S>\\d{1,2})',
  u: '(?<u>[1-7])',
  V: '(?<V>\\d{1,2})',
  Y: '(?<Y>\\d{4})',
  z: '(?<z>[+-]\\d{2}:?\\d{2}|Z|UTC|GMT)',
  Z: '(?<Z>[+-]?\\d+)',
};

const LIMITS: Record<string, [number, number]> = {
  d: [1, 31],
  H: [0, 23],
  j: [1, 366],
  m: [1, 12],
  M: [0, 59],
  S: [0, 59],
  V: [1, 53],
};

function unparsable(text: string, why: string): never {
  return fail('ConversionFailure', `Error parsing date string '${text}'; ${why}`);
}

function monthByName(text: string, name: string): number {
  const at = MONTHS.findIndex(
    (month) =>
      month.toLowerCase() === name.toLowerCase() ||
      (name.length === 3 && month.slice(0, 3).toLowerCase() === name.toLowerCase()),
  );
  return at === -1 ? unparsable(text, `unknown month '${name}'`) : at + 1;
}

/** The offset in minutes that %z or %Z read; undefined when the text has no zone. */
function zoneMinutes(parts: Record<string, string | undefined>): number | undefined {
  if (parts.Z !== undefined) return Number(parts.Z);
  if (parts.z === undefined) return undefined;
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(parts.z);
  if (!offset) return 0;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return offset[1] === '-' ? -minutes : minutes;
}

function dayFrom(text: string, parts: Record<string, string | undefined>): number {
  if (parts.G !== undefined) return isoWallClock(Number(parts.G), Number(parts.V ?? 1), Number(parts.u ?? 1));
  if (parts.Y === undefined)
    return unparsable(text, 'an incomplete date/time string has been found, with elements missing');
  if (parts.j !== undefined) return wallClock(Number(parts.Y), 1, Number(parts.j));
  const name = parts.b ?? parts.B;
  const month = name === undefined ? parts.m : monthByName(text, name);
  if (month === undefined || parts.d === undefined) {
    return unparsable(text, 'an incomplete date/time string has been found, with elements missing');
  }
  const day = wallClock(Number(parts.Y), Number(month), Number(parts.d));
  return new Date(day).getUTCDate() === Number(parts.d) ? day : unparsable(text, 'Invalid date');
}

function instantFromParts(text: string, parts: Record<string, string | undefined>, zone: Zone | undefined): Date {
  for (const [name, [low, high]] of Object.entries(LIMITS)) {
    const value = parts[name];
    if (value !== undefined && (Number(value) < low || Number(value) > high))
      unparsable(text, `%${name} is out of range`);
  }
  const time = ((Number(parts.H ?? 0) * 60 + Number(parts.M ?? 0)) * 60 + Number(parts.S ?? 0)) * 1000;
  const local = dayFrom(text, parts) + time + Number((parts.L ?? '0').padEnd(3, '0').slice(0, 3));
  const minutes = zoneMinutes(parts);
  if (minutes === undefined) return new Date(toInstant(local, zone ?? UTC));
  if (zone)
    unparsable(
      text,
      'you cannot pass in a date/time string with time zone information together with a timezone argument',
    );
  return new Date(local - minutes * 60_000);
}

function readFormat(text: string, format: string, zone: Zone | undefined): Date {
  let pattern = '';
  eachPiece(
    format,
    READ,
    (char) => {
      pattern += char.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    },
    (char) => {
      pattern += READ[char] ?? '';
    },
  );
  const names = [...pattern.matchAll(/\(\?<(\w)>/g)].map((group) => group[1]);
  if (new Set(names).size < names.length) unparsable(text, 'a part of the date is specified twice');
  const match = new RegExp(`^${pattern}$`, 'u').exec(text);
  if (!match) return unparsable(text, `it does not match the format '${format}'`);
  return instantFromParts(text, match.groups ?? {}, zone);
}

const ISO_DATE =
  /^\s*(?<Y>\d{4})-?(?<m>\d{2})-?(?<d>\d{2})(?:[Tt ](?<H>\d{2})(?::?(?<M>\d{2})(?::?(?<S>\d{2})(?:[.,](?<L>\d{1,9}))?)?)?)?\s*(?<z>[+-]\d{2}(?::?\d{2})?|[Zz]|UTC|GMT)?\s*$/;

/** Reads an ISO 8601 date, without a time or with one, in `zone` when it names none. ConversionFailure for any other text. */
export function readDate(text: string, zone?: Zone): Date {
  const match = ISO_DATE.exec(text);
  if (!match) return unparsable(text, 'only ISO 8601 dates are understood by this store');
  const parts = { ...match.groups };
  if (parts.z !== undefined && /^[+-]\d{2}$/.test(parts.z)) parts.z += '00';
  return instantFromParts(text, parts, zone);
}

function parsed(values: Doc, format: string | undefined, zone: Zone | undefined): unknown {
  const { dateString } = values;
  if (typeof dateString !== 'string') {
    return fail(
      'ConversionFailure',
      `$dateFromString requires that 'dateString' be a string, found: ${typeName(dateString)}`,
    );
  }
  if (isNullZone(values) || ('format' in values && format === undefined)) return null;
  return format === undefined ? readDate(dateString, zone) : readFormat(dateString, format, zone);
}

function orElse(work: () => unknown, otherwise: (() => unknown) | undefined): unknown {
  try {
    return work();
  } catch (error) {
    if (otherwise && error instanceof MongoError && error.codeName === 'ConversionFailure') return otherwise();
    throw error;
  }
}

const dateFromString: ExpressionOperator = (operand, compiler) => {
  const spec = {
    required: ['dateString'],
    optional: ['format', 'timezone', 'onError', 'onNull'],
    notDocument: 40540,
    unknown: 40541,
    missing: 40542,
  };
  const operands = namedArguments('$dateFromString', operand, spec);
  const names = ['dateString', 'format', 'timezone'].filter((name) => operands[name] !== undefined);
  const args = names.map((name) => compiler.compile(operands[name]));
  const onError = operands.onError === undefined ? undefined : compiler.compile(operands.onError);
  const onNull = operands.onNull === undefined ? undefined : compiler.compile(operands.onNull);
  return {
    run: (doc, vars) => {
      const values: Doc = {};
      names.forEach((name, i) => {
        values[name] = args[i]?.run(doc, vars);
      });
      const format = formatOf('$dateFromString', values.format, READ, 40684);
      const zone = nullish(values.timezone) ? undefined : zoneOf(values.timezone);
      if (nullish(values.dateString)) return onNull ? onNull.run(doc, vars) : null;
      return orElse(() => parsed(values, format, zone), onError && (() => onError.run(doc, vars)));
    },
    constant: false,
  };
};

/** Dates and text. */
export const DATE_TEXT: OperatorTable = {
  $dateFromString: dateFromString,
  $dateToString: namedOperator(
    '$dateToString',
    {
      required: ['date'],
      optional: ['format', 'timezone', 'onNull'],
      notDocument: 18629,
      unknown: 18534,
      missing: 18628,
    },
    dateToString,
  ),
};
