// $convert and $toX, by MongoDB's table of conversions.
import { Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { dateOf, isoText, longOfDate, millisOf } from '../bson/date.js';
import { toDecimal128 } from '../bson/decimal.js';
import {
  decimalOperand,
  fitsLong,
  integralValue,
  isNaNValue,
  isZero,
  toDouble,
  truncateToBigInt,
} from '../bson/numbers.js';
import { isDocument, isNumber, TYPE, type TypeName, typeCode, typeName } from '../bson/types.js';
import { fail, MongoError } from '../errors.js';
import {
  argumentList,
  type ExpressionOperator,
  namedArguments,
  nullish,
  type OperatorTable,
  unaryOrNull,
} from './operator.js';
import { readDate } from './date-text.js';
import { doubleText, isRealText, realOf } from './number-text.js';

const SUFFIX = 'in $convert with no onError value';

function failed(why: string): never {
  return fail('ConversionFailure', why);
}

function unsupported(value: unknown, to: string): never {
  return failed(`Unsupported conversion from ${typeName(value)} to ${to} ${SUFFIX}`);
}

function unreadable(text: string, why: string): never {
  return failed(`Failed to parse number '${text}' ${SUFFIX}: ${why}`);
}

/** A number cut to an integer within limits. */
function whole(value: unknown, low: bigint, high: bigint): bigint {
  if (isNaNValue(value)) failed(`Attempt to convert NaN value to integer type ${SUFFIX}`);
  const integer = truncateToBigInt(value) ?? failed(`Attempt to convert infinity value to integer type ${SUFFIX}`);
  if (integer < low || integer > high) failed(`Conversion would overflow target type ${SUFFIX}: ${String(value)}`);
  return integer;
}

function integerText(text: string): bigint {
  if (/^[+-]?0x/i.test(text)) failed(`Illegal hexadecimal input ${SUFFIX}: ${text}`);
  if (!/^[+-]?\d+$/.test(text)) unreadable(text, text === '' ? 'Empty string' : 'Did not consume whole string.');
  return BigInt(text.replace('+', ''));
}

const INT_LIMIT = 2147483648n;
const LONG_LIMIT = 1n << 63n;

function textInteger(text: string, limit: bigint): bigint {
  const value = integerText(text);
  return value < -limit || value >= limit ? unreadable(text, 'Out of range') : value;
}

function toInt(value: unknown): unknown {
  if (typeof value === 'string') return new Int32(Number(textInteger(value, INT_LIMIT)));
  if (typeof value === 'boolean') return new Int32(value ? 1 : 0);
  if (isNumber(value)) return new Int32(Number(whole(value, -INT_LIMIT, INT_LIMIT - 1n)));
  return unsupported(value, 'int');
}

function toLong(value: unknown): unknown {
  if (typeof value === 'string') return Long.fromBigInt(textInteger(value, LONG_LIMIT));
  if (typeof value === 'boolean') return Long.fromNumber(value ? 1 : 0);
  if (value instanceof Date) return longOfDate(value);
  if (isNumber(value)) return Long.fromBigInt(whole(value, -LONG_LIMIT, LONG_LIMIT - 1n));
  return unsupported(value, 'long');
}

function realText(text: string): string {
  if (/^[+-]?0x/i.test(text)) failed(`Illegal hexadecimal input ${SUFFIX}: ${text}`);
  return isRealText(text) ? text : unreadable(text, text === '' ? 'Empty string' : 'Did not consume whole string.');
}

function toDoubleValue(value: unknown): unknown {
  if (typeof value === 'string') {
    const real = realOf(realText(value));
    if (!Number.isFinite(real) && /\d/.test(value)) unreadable(value, 'Out of range');
    return new Double(real);
  }
  if (typeof value === 'boolean') return new Double(value ? 1 : 0);
  if (value instanceof Date) return new Double(Number(millisOf(value)));
  if (!isNumber(value)) return unsupported(value, 'double');
  const double = toDouble(value);
  const finite = truncateToBigInt(value) !== undefined;
  return finite && !Number.isFinite(double)
    ? failed(`Conversion would overflow target type ${SUFFIX}`)
    : new Double(double);
}

function toDecimal(value: unknown): unknown {
  if (typeof value === 'string') return Decimal128.fromString(realText(value));
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof Date) return Decimal128.fromString(String(millisOf(value)));
  return isNumber(value) ? toDecimal128(decimalOperand(value)) : unsupported(value, 'decimal');
}

function toBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  return !isNumber(value) || !isZero(value);
}

/** Strings, numbers, dates, ids and booleans as text. */
function toText(value: unknown): unknown {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Date) return isoText(value);
  if (value instanceof ObjectId) return value.toHexString();
  if (typeCode(value) === TYPE.double) return doubleText(toDouble(value));
  return isNumber(value) ? String(value) : unsupported(value, 'string');
}

function toObjectId(value: unknown): unknown {
  if (value instanceof ObjectId) return value;
  if (typeof value !== 'string') return unsupported(value, 'objectId');
  if (/^[0-9a-fA-F]{24}$/.test(value)) return ObjectId.createFromHexString(value);
  const why =
    value.length === 24
      ? 'Invalid character found in hex string'
      : `Invalid string length for parsing to OID, expected 24 but found ${value.length}`;
  return failed(`Failed to parse objectId '${value}' ${SUFFIX}: ${why}`);
}

function toDate(value: unknown): unknown {
  if (value instanceof Date) return value;
  if (typeof value === 'string') return readDate(value);
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date(value.t * 1000);
  if (typeCode(value) === TYPE.int || !isNumber(value)) return unsupported(value, 'date');
  return dateOf(whole(value, -LONG_LIMIT, LONG_LIMIT - 1n));
}

const TARGETS: Partial<Record<TypeName, (value: unknown) => unknown>> = {
  bool: toBool,
  date: toDate,
  decimal: toDecimal,
  double: toDoubleValue,
  int: toInt,
  long: toLong,
  objectId: toObjectId,
  string: toText,
};

/** The target's name from a name or a type number. */
function targetOf(to: unknown): TypeName {
  if (typeof to === 'string')
    return Object.hasOwn(TYPE, to) && to !== 'missing'
      ? (to as TypeName)
      : fail('BadValue', `Unknown type name: ${to}`);
  const code = isNumber(to) ? integralValue(to) : undefined;
  if (code === undefined || !fitsLong(code))
    return fail('FailedToParse', "$convert's 'to' argument must be a string or number");
  const name = (Object.keys(TYPE) as TypeName[]).find((each) => BigInt(TYPE[each]) === code);
  return (
    name ?? fail('FailedToParse', `In $convert, numeric value for 'to' does not correspond to a BSON type: ${code}`)
  );
}

function converted(value: unknown, to: TypeName): unknown {
  const convert = TARGETS[to];
  return convert ? convert(value) : unsupported(value, to);
}

const convert: ExpressionOperator = (operand, compiler) => {
  const args = namedArguments('$convert', operand, {
    required: ['input', 'to'],
    optional: ['onError', 'onNull'],
    notDocument: 'FailedToParse',
    unknown: 'FailedToParse',
    missing: 'FailedToParse',
  });
  if (isDocument(args.to) && 'type' in args.to)
    fail('NotImplemented', "The form {type, subtype} of $convert's 'to' is not supported by this store");
  const input = compiler.compile(args.input);
  const to = compiler.compile(args.to);
  const onNull = args.onNull === undefined ? undefined : compiler.compile(args.onNull);
  const onError = args.onError === undefined ? undefined : compiler.compile(args.onError);
  return {
    run: (doc, vars) => {
      const value = input.run(doc, vars);
      const target = to.run(doc, vars);
      const type = nullish(target) ? undefined : targetOf(target);
      if (nullish(value)) return onNull ? onNull.run(doc, vars) : null;
      if (type === undefined) return null;
      try {
        return converted(value, type);
      } catch (error) {
        if (onError && error instanceof MongoError && error.codeName === 'ConversionFailure')
          return onError.run(doc, vars);
        throw error;
      }
    },
    constant: false,
  };
};

function shortcut(name: string, apply: (value: unknown) => unknown): ExpressionOperator {
  const operator = unaryOrNull(name, apply);
  return (operand, compiler) => {
    const { length } = argumentList(operand);
    if (length !== 1) fail(50723, `${name} requires a single argument, got ${length}`);
    return operator(operand, compiler);
  };
}

/** Conversions. */
export const CONVERT: OperatorTable = {
  $convert: convert,
  $toBool: shortcut('$toBool', toBool),
  $toDate: shortcut('$toDate', toDate),
  $toDecimal: shortcut('$toDecimal', toDecimal),
  $toDouble: shortcut('$toDouble', toDoubleValue),
  $toInt: shortcut('$toInt', toInt),
  $toLong: shortcut('$toLong', toLong),
  $toObjectId: shortcut('$toObjectId', toObjectId),
  $toString: shortcut('$toString', toText),
};
