// Decimal128 arithmetic over BigInt: exact to 34 digits, rounded half to even, with IEEE 754-2008's exponents.
import { Decimal128 } from 'bson';

/** The parts of a decimal: value = (-1)^negative × coefficient × 10^exponent when finite. */
export interface Decimal {
  kind: 'finite' | 'infinite' | 'nan';
  negative: boolean;
  coefficient: bigint;
  exponent: number;
}

const BIAS = 6176;
const MIN_EXPONENT = -6176;
const MAX_EXPONENT = 6111;
/** The most digits of a Decimal128. */
export const DIGITS = 34;
const COEFFICIENT_LIMIT = 10n ** 34n;
const LOW_113_BITS = (1n << 113n) - 1n;

/** The decimal NaN. */
export const DECIMAL_NAN: Decimal = { kind: 'nan', negative: false, coefficient: 0n, exponent: 0 };

/** An infinity of that sign. */
export function infinite(negative: boolean): Decimal {
  return { kind: 'infinite', negative, coefficient: 0n, exponent: 0 };
}

/** A finite decimal from a signed integer and a power of ten. */
export function finite(value: bigint, exponent = 0): Decimal {
  return value < 0n
    ? { kind: 'finite', negative: true, coefficient: -value, exponent }
    : { kind: 'finite', negative: false, coefficient: value, exponent };
}

/** 10^n as BigInt. */
export function pow10(n: number): bigint {
  return 10n ** BigInt(n);
}

/** Number of decimal digits of a non-negative integer (1 for 0). */
export function digitCount(value: bigint): number {
  return value.toString().length;
}

/** Parses a Decimal128's 16 bytes. Non-canonical coefficients count as zero, as IEEE 754 requires. */
export function fromDecimal128(value: Decimal128): Decimal {
  const bytes = Buffer.from(value.bytes.buffer, value.bytes.byteOffset, 16);
  const high = bytes.readBigUInt64LE(8);
  const all = (high << 64n) | bytes.readBigUInt64LE(0);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return DECIMAL_NAN;
  if (combination === 0x1e) return infinite(negative);
  if (combination >> 3 === 3) {
    return { kind: 'finite', negative, coefficient: 0n, exponent: Number((high >> 47n) & 0x3fffn) - BIAS };
  }
  const coefficient = all & LOW_113_BITS;
  const exponent = Number((high >> 49n) & 0x3fffn) - BIAS;
  return { kind: 'finite', negative, coefficient: coefficient < COEFFICIENT_LIMIT ? coefficient : 0n, exponent };
}

/** Drops `count` digits from the right, rounding half to even; `sticky` says that non-zero digits were lost before. */
function dropDigits(coefficient: bigint, count: number, sticky = false): bigint {
  if (count <= 0) return coefficient;
  const unit = pow10(count);
  const quotient = coefficient / unit;
  const twice = (coefficient % unit) * 2n;
  const up = twice > unit || (twice === unit && (sticky || quotient % 2n === 1n));
  return up ? quotient + 1n : quotient;
}

/** Rounds to the range of a Decimal128: 34 digits and its exponents (overflow results in an infinity). */
export function roundDecimal(value: Decimal, sticky = false): Decimal {
  if (value.kind !== 'finite') return value;
  let { coefficient, exponent } = value;
  const excess = Math.max(digitCount(coefficient) - DIGITS, MIN_EXPONENT - exponent, 0);
  if (excess > 0) {
    coefficient =
      excess > DIGITS * 4 && excess > digitCount(coefficient) + 1 ? 0n : dropDigits(coefficient, excess, sticky);
    exponent += excess;
    if (coefficient === COEFFICIENT_LIMIT) {
      coefficient /= 10n;
      exponent += 1;
    }
  }
  if (exponent <= MAX_EXPONENT) return { ...value, coefficient, exponent };
  if (coefficient === 0n) return { ...value, coefficient, exponent: MAX_EXPONENT };
  const pad = exponent - MAX_EXPONENT;
  if (digitCount(coefficient) + pad > DIGITS) return infinite(value.negative);
  return { ...value, coefficient: coefficient * pow10(pad), exponent: MAX_EXPONENT };
}

/** Packs a decimal into a Decimal128, rounding where needed. */
export function toDecimal128(value: Decimal): Decimal128 {
  const rounded = roundDecimal(value);
  const sign = rounded.negative ? 1n << 127n : 0n;
  let bits: bigint;
  if (rounded.kind === 'nan') bits = 0x1fn << 122n;
  else if (rounded.kind === 'infinite') bits = sign | (0x1en << 122n);
  else bits = sign | (BigInt(rounded.exponent + BIAS) << 113n) | rounded.coefficient;
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(bits & 0xffffffffffffffffn, 0);
  bytes.writeBigUInt64LE(bits >> 64n, 8);
  return new Decimal128(bytes);
}

function signed(value: Decimal): bigint {
  return value.negative ? -value.coefficient : value.coefficient;
}

/** Exact sum, not yet rounded to 34 digits, however far apart the exponents are (BigInt). */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return DECIMAL_NAN;
  if (a.kind === 'infinite') return b.kind === 'infinite' && a.negative !== b.negative ? DECIMAL_NAN : a;
  if (b.kind === 'infinite') return b;
  const exponent = Math.min(a.exponent, b.exponent);
  const sum = signed(a) * pow10(a.exponent - exponent) + signed(b) * pow10(b.exponent - exponent);
  if (sum === 0n) return { kind: 'finite', negative: a.negative && b.negative, coefficient: 0n, exponent };
  return finite(sum, exponent);
}

/** The same number with the other sign. */
export function negate(value: Decimal): Decimal {
  return value.kind === 'nan' ? value : { ...value, negative: !value.negative };
}

/** Exact product, before rounding. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return DECIMAL_NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    const zero = (a.kind === 'finite' && a.coefficient === 0n) || (b.kind === 'finite' && b.coefficient === 0n);
    return zero ? DECIMAL_NAN : infinite(negative);
  }
  return { kind: 'finite', negative, coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
}

/** Quotient rounded to 34 digits; x/0 is an infinity and 0/0 NaN (callers refuse division by zero before). */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return DECIMAL_NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite') return b.kind === 'infinite' ? DECIMAL_NAN : infinite(negative);
  if (b.kind === 'infinite') return { kind: 'finite', negative, coefficient: 0n, exponent: MIN_EXPONENT };
  if (b.coefficient === 0n) return a.coefficient === 0n ? DECIMAL_NAN : infinite(negative);
  const ideal = a.exponent - b.exponent;
  if (a.coefficient === 0n) return roundDecimal({ kind: 'finite', negative, coefficient: 0n, exponent: ideal });
  const scale = Math.max(0, DIGITS + 2 + digitCount(b.coefficient) - digitCount(a.coefficient));
  const dividend = a.coefficient * pow10(scale);
  let coefficient = dividend / b.coefficient;
  let exponent = ideal - scale;
  if (dividend % b.coefficient !== 0n) return roundDecimal({ kind: 'finite', negative, coefficient, exponent }, true);
  while (exponent < ideal && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1;
  }
  return roundDecimal({ kind: 'finite', negative, coefficient, exponent });
}

/** Remainder with the sign of the dividend, as C's fmod. */
export function moduloDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind !== 'finite' || b.kind === 'nan' || (b.kind === 'finite' && b.coefficient === 0n)) return DECIMAL_NAN;
  if (b.kind === 'infinite') return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const dividend = a.coefficient * pow10(a.exponent - exponent);
  const rest = dividend % (b.coefficient * pow10(b.exponent - exponent));
  return { kind: 'finite', negative: a.negative, coefficient: rest, exponent };
}
