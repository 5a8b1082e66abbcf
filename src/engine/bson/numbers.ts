// Exact comparison and arithmetic over Int32, Long, Double and Decimal128, with the result types of MongoDB's aggregation.
import { Decimal128, Double, Int32, Long } from 'bson';
import { fail } from '../errors.js';
import {
  addDecimals,
  DECIMAL_NAN,
  type Decimal,
  divideDecimals,
  finite,
  fromDecimal128,
  infinite,
  moduloDecimals,
  multiplyDecimals,
  negate,
  pow10,
  toDecimal128,
} from './decimal.js';
import { TYPE, toBigInt, typeCode, typeName } from './types.js';

const MIN_INT = -2147483648n;
const MAX_INT = 2147483647n;
const MIN_LONG = -(1n << 63n);
const MAX_LONG = (1n << 63n) - 1n;

/** A BSON number in the engine's representation. JavaScript numbers and bigints are accepted wherever one of these is. */
export type BsonNumber = Int32 | Long | Double | Decimal128;

/** The nearest double of any BSON number (for Decimal128 by its digits; may be an infinity or lose precision). */
export function toDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (value instanceof Long) return Number(toBigInt(value));
  if (value instanceof Decimal128) return Number(value.toString());
  if (typeof value === 'bigint') return Number(value);
  return fail('TypeMismatch', `expected a number but found ${typeName(value)}`);
}

/** Whether the value is a NaN of any type. */
export function isNaNValue(value: unknown): boolean {
  if (value instanceof Double) return Number.isNaN(value.value);
  if (value instanceof Decimal128) return fromDecimal128(value).kind === 'nan';
  return typeof value === 'number' && Number.isNaN(value);
}

/** An integer of int, long or bigint type as BigInt. */
function integerOf(value: unknown): bigint {
  if (value instanceof Long) return toBigInt(value);
  return BigInt(typeof value === 'bigint' ? value : toDouble(value));
}

/** A double's exact decimal expansion. */
function exactDouble(value: number): Decimal {
  if (Number.isNaN(value)) return DECIMAL_NAN;
  if (!Number.isFinite(value)) return infinite(value < 0);
  if (Number.isInteger(value)) return finite(BigInt(value));
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const shift = 1075 - Math.max(biased, 1);
  // m / 2^s = m × 5^s / 10^s; a non-integral double always has s > 0.
  return finite((value < 0 ? -mantissa : mantissa) * 5n ** BigInt(shift), -shift);
}

/** Any number as an exact decimal (doubles by their full binary expansion). */
export function exactDecimal(value: unknown): Decimal {
  if (value instanceof Decimal128) return fromDecimal128(value);
  const type = typeCode(value);
  return type === TYPE.double ? exactDouble(toDouble(value)) : finite(integerOf(value));
}

/** A number as MongoDB converts it for decimal arithmetic: doubles are rounded to 15 significant digits. */
export function decimalOperand(value: unknown): Decimal {
  if (typeCode(value) !== TYPE.double) return exactDecimal(value);
  const double = toDouble(value);
  if (!Number.isFinite(double) || double === 0) return exactDouble(double);
  return fromDecimal128(Decimal128.fromString(double.toPrecision(15)));
}

function compareExact(a: Decimal, b: Decimal): number {
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    const left = a.kind === 'infinite' ? (a.negative ? -1 : 1) : 0;
    const right = b.kind === 'infinite' ? (b.negative ? -1 : 1) : 0;
    return Math.sign(left - right);
  }
  const exponent = Math.min(a.exponent, b.exponent);
  const left = (a.negative ? -a.coefficient : a.coefficient) * pow10(a.exponent - exponent);
  const right = (b.negative ? -b.coefficient : b.coefficient) * pow10(b.exponent - exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Compares two numbers of any BSON types exactly: -1, 0 or 1. NaN equals NaN and is below every other number; -0 equals 0. */
export function compareNumbers(a: unknown, b: unknown): number {
  const left = toDouble(a);
  const right = toDouble(b);
  // Rounding to the nearest double is monotonic, so only a tie needs the exact values.
  if (left < right) return -1;
  if (left > right) return 1;
  if (left !== right) {
    const leftNaN = Number.isNaN(left);
    return leftNaN === Number.isNaN(right) ? 0 : leftNaN ? -1 : 1;
  }
  const exactA = typeof a === 'number' || a instanceof Int32 || a instanceof Double;
  const exactB = typeof b === 'number' || b instanceof Int32 || b instanceof Double;
  if (exactA && exactB) return 0;
  return compareExact(exactDecimal(a), exactDecimal(b));
}

/** The widest of the two operands' types: decimal, else double, else long, else int. Throws TypeMismatch for a non-number. */
export function resultType(a: unknown, b: unknown): 'decimal' | 'double' | 'long' | 'int' {
  const types = [typeCode(a), typeCode(b)];
  if (types.includes(TYPE.decimal)) return 'decimal';
  if (types.includes(TYPE.double)) return 'double';
  return types.includes(TYPE.long) ? 'long' : 'int';
}

/** An integer result in the type of its operands: int grows to long; undefined if it does not fit a long. */
export function fitInteger(value: bigint, type: 'int' | 'long'): Int32 | Long | undefined {
  if (type === 'int' && value >= MIN_INT && value <= MAX_INT) return new Int32(Number(value));
  return value >= MIN_LONG && value <= MAX_LONG ? Long.fromBigInt(value) : undefined;
}

interface Arithmetic {
  decimal: (a: Decimal, b: Decimal) => Decimal;
  double: (a: number, b: number) => number;
  integer: (a: bigint, b: bigint) => bigint;
}

const ADD: Arithmetic = { decimal: addDecimals, double: (a, b) => a + b, integer: (a, b) => a + b };
const SUBTRACT: Arithmetic = {
  decimal: (a, b) => addDecimals(a, negate(b)),
  double: (a, b) => a - b,
  integer: (a, b) => a - b,
};
const MULTIPLY: Arithmetic = { decimal: multiplyDecimals, double: (a, b) => a * b, integer: (a, b) => a * b };
const MOD: Arithmetic = { decimal: moduloDecimals, double: (a, b) => a % b, integer: (a, b) => a % b };

/** The result, or undefined where integers overflow a long. */
function calculate(operation: Arithmetic, a: unknown, b: unknown): BsonNumber | undefined {
  const type = resultType(a, b);
  if (type === 'decimal') return toDecimal128(operation.decimal(decimalOperand(a), decimalOperand(b)));
  if (type === 'double') return new Double(operation.double(toDouble(a), toDouble(b)));
  return fitInteger(operation.integer(integerOf(a), integerOf(b)), type);
}

/** a + b: int grows to long, long to double, and a decimal operand makes it decimal (MongoDB's `$add`). */
export function add(a: unknown, b: unknown): BsonNumber {
  return calculate(ADD, a, b) ?? new Double(toDouble(a) + toDouble(b));
}

/** a − b, typed as `add`. */
export function subtract(a: unknown, b: unknown): BsonNumber {
  return calculate(SUBTRACT, a, b) ?? new Double(toDouble(a) - toDouble(b));
}

/** a × b, typed as `add`. */
export function multiply(a: unknown, b: unknown): BsonNumber {
  return calculate(MULTIPLY, a, b) ?? new Double(toDouble(a) * toDouble(b));
}

/** a ÷ b: a double, or a decimal if an operand is a decimal. Division by zero is an error (MongoDB's `$divide`). */
export function divide(a: unknown, b: unknown): BsonNumber {
  if (isZero(b)) fail('BadValue', "can't $divide by zero");
  if (resultType(a, b) === 'decimal') return toDecimal128(divideDecimals(decimalOperand(a), decimalOperand(b)));
  return new Double(toDouble(a) / toDouble(b));
}

/** Remainder with the dividend's sign, typed as `add` (MongoDB's `$mod` expression). */
export function mod(a: unknown, b: unknown): BsonNumber {
  if (isZero(b)) fail(16610, "can't $mod by zero");
  return calculate(MOD, a, b) ?? new Double(toDouble(a) % toDouble(b));
}

/** a + b for updates: undefined if the result does not fit a long (`$add` converts it to a double, `$inc` refuses it). */
export function addChecked(a: unknown, b: unknown): BsonNumber | undefined {
  return calculate(ADD, a, b);
}

/** a × b for updates, checked as `addChecked`. */
export function multiplyChecked(a: unknown, b: unknown): BsonNumber | undefined {
  return calculate(MULTIPLY, a, b);
}

/** Whether the number is a zero of any type and sign. */
export function isZero(value: unknown): boolean {
  if (value instanceof Decimal128) {
    const decimal = fromDecimal128(value);
    return decimal.kind === 'finite' && decimal.coefficient === 0n;
  }
  return toDouble(value) === 0;
}

/** The number cut to an integer towards zero as BigInt; undefined for NaN and infinities. */
export function truncateToBigInt(value: unknown): bigint | undefined {
  const decimal = exactDecimal(value);
  if (decimal.kind !== 'finite') return undefined;
  const size =
    decimal.exponent >= 0
      ? decimal.coefficient * pow10(decimal.exponent)
      : decimal.coefficient / pow10(-decimal.exponent);
  return decimal.negative ? -size : size;
}

/** The number as BigInt when it has an integral value (1, 1.0, NumberDecimal("1.00")), else undefined. */
export function integralValue(value: unknown): bigint | undefined {
  const whole = truncateToBigInt(value);
  return whole !== undefined && compareExact(exactDecimal(value), finite(whole)) === 0 ? whole : undefined;
}

/** Whether the integer fits a signed 64-bit long. */
export function fitsLong(value: bigint): boolean {
  return value >= MIN_LONG && value <= MAX_LONG;
}
