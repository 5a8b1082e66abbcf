// Helpers of the number operators, in addition to bson/numbers: rounding, powers, roots and Decimal128 at full precision.
import { type Decimal128, Double, Long } from 'bson';
import {
  DIGITS,
  type Decimal,
  digitCount,
  divideDecimals,
  finite,
  fromDecimal128,
  multiplyDecimals,
  pow10,
  roundDecimal,
  toDecimal128,
} from '../bson/decimal.js';
import { decimalOperand, exactDecimal, fitInteger, integralValue, resultType, toDouble } from '../bson/numbers.js';
import { TYPE, toBigInt, typeCode } from '../bson/types.js';
import { fail } from '../errors.js';

/** The int or long as BigInt. */
export function integer(value: unknown): bigint {
  return value instanceof Long ? toBigInt(value) : BigInt(toDouble(value));
}

/** How digits are dropped. */
export type Rounding = 'even' | 'zero' | 'up' | 'down';

/** The decimal with this exponent: rounded, or with zeros added. Infinities and NaN stay. */
export function quantize(value: Decimal, exponent: number, rounding: Rounding): Decimal {
  if (value.kind !== 'finite') return value;
  if (value.exponent >= exponent) {
    return { ...value, coefficient: value.coefficient * pow10(value.exponent - exponent), exponent };
  }
  // For any unit above the value's magnitude the result is the same, so the unit's size is bounded.
  const unit = pow10(Math.min(exponent - value.exponent, value.coefficient.toString().length + 1));
  const quotient = value.coefficient / unit;
  const rest = value.coefficient % unit;
  return { ...value, coefficient: quotient + (roundsUp(value, quotient, rest, unit, rounding) ? 1n : 0n), exponent };
}

function roundsUp(value: Decimal, quotient: bigint, rest: bigint, unit: bigint, rounding: Rounding): boolean {
  if (rest === 0n || rounding === 'zero') return false;
  if (rounding === 'up') return !value.negative;
  if (rounding === 'down') return value.negative;
  return rest * 2n > unit || (rest * 2n === unit && quotient % 2n === 1n);
}

function decimalNumber(value: Decimal): number {
  return Number(toDecimal128(value).toString());
}

/** Rounds a number of any type at a decimal place (negative: left of the point), keeping its type; an int may grow to long. */
export function roundAt(value: unknown, place: number, rounding: Rounding): unknown {
  const type = resultType(value, value);
  if (type === 'decimal') return roundDecimalAt(fromDecimal128(value as Decimal128), place, rounding);
  if (type === 'double') {
    const double = toDouble(value);
    if (!Number.isFinite(double)) return value;
    return new Double(decimalNumber(quantize(roundDecimal(exactDecimal(value)), -place, rounding)));
  }
  if (place >= 0) return value;
  const rounded = quantize(finite(integer(value)), -place, rounding);
  const size = rounded.coefficient * pow10(rounded.exponent);
  return (
    fitInteger(rounded.negative ? -size : size, type) ??
    fail(51080, `invalid conversion from Decimal128 result in rounding ${value}`)
  );
}

/** Rounds a decimal. Zeros are added only up to 34 digits, the most of a Decimal128. */
function roundDecimalAt(decimal: Decimal, place: number, rounding: Rounding): Decimal128 {
  const free = decimal.coefficient === 0n ? Number.POSITIVE_INFINITY : DIGITS - digitCount(decimal.coefficient);
  return toDecimal128(quantize(decimal, Math.max(-place, decimal.exponent - free), rounding));
}

/** Milliseconds of a sum with a date in it: rounded half away from zero. */
export function toMilliseconds(value: unknown): bigint {
  const whole = integralValue(value);
  if (whole !== undefined) return whole;
  const double = toDouble(value);
  if (!Number.isFinite(double)) fail('Overflow', 'date overflow');
  return BigInt(Math.sign(double) * Math.round(Math.abs(double)));
}

/** base^exponent: integers stay integers while they fit, else double; a decimal operand makes it decimal. */
export function power(base: unknown, exponent: unknown): unknown {
  const type = resultType(base, exponent);
  if (type === 'decimal') return decimalPower(base, exponent);
  const double = new Double(toDouble(base) ** toDouble(exponent));
  if (type === 'double') return double;
  const times = integer(exponent);
  if (times < 0n) return [1n, -1n].includes(integer(base)) ? fitInteger(unitPower(base, times), type) : double;
  if (![0n, 1n, -1n].includes(integer(base)) && times > 63n) return double;
  const exact = times > 63n ? unitPower(base, times) : integer(base) ** times;
  return fitInteger(exact, type) ?? double;
}

/** Powers of 0, 1 and -1, however large the exponent. */
function unitPower(base: unknown, times: bigint): bigint {
  return times % 2n === 0n ? integer(base) ** 2n : integer(base);
}

function decimalPower(base: unknown, exponent: unknown): Decimal128 {
  const times = integralValue(exponent);
  if (times === undefined || times > 100_000n || times < -100_000n) {
    return fail(
      'NotImplemented',
      '$pow of Decimal128 with a broken or very large exponent is not supported by this store',
    );
  }
  let result = finite(1n);
  let factor = decimalOperand(base);
  for (let left = times < 0n ? -times : times; left > 0n; left >>= 1n) {
    if (left & 1n) result = trim(multiplyDecimals(result, factor));
    factor = trim(multiplyDecimals(factor, factor));
  }
  return toDecimal128(times < 0n ? divideDecimals(finite(1n), result) : result);
}

/** Cuts intermediate products to twice the significant digits: rounding errors stay out of the result, and sizes bounded. */
function trim(value: Decimal): Decimal {
  const excess = value.kind === 'finite' ? value.coefficient.toString().length - 80 : 0;
  return excess > 0 ? quantize(value, value.exponent + excess, 'even') : value;
}

function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** The square root of a non-negative decimal, rounded to 34 digits. */
export function decimalRoot(value: Decimal): Decimal128 {
  if (value.kind !== 'finite' || value.coefficient === 0n) return toDecimal128(value);
  const digits = value.coefficient.toString().length;
  let scale = Math.max(0, 72 - digits);
  if ((value.exponent - scale) % 2 !== 0) scale += 1;
  const shifted = value.coefficient * pow10(scale);
  const root = integerRoot(shifted);
  const exact = root * root === shifted;
  let result = finite(exact ? root : root * 10n + 1n, (value.exponent - scale) / 2 - (exact ? 0 : 1));
  const ideal = Math.floor(value.exponent / 2);
  while (exact && result.exponent < ideal && result.coefficient % 10n === 0n) {
    result = finite(result.coefficient / 10n, result.exponent + 1);
  }
  return toDecimal128(result);
}

/** Whether the value is a Decimal128. */
export function isDecimal(value: unknown): value is Decimal128 {
  return typeCode(value) === TYPE.decimal;
}
