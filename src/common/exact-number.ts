// Whether a double holds the number that a literal writes. Imports nothing, because browsers load it too.

/** From here on, doubles skip integers. */
const FIRST_GAP = 2 ** 53;
/** Characters of a literal that is compared digit by digit. The largest double has 309 digits. */
const MAX_LENGTH = 400;
const ZERO = /^-?[0.]*(?:e|$)/i;

/**
 * Whether a number is the same after it is read as a double and written again. Digits that are lost after the point are no change, as in
 * 0.12345678901234567890. False for 39e1804 (infinite), 1e-400 (zero) and 9007199254740993 (…992).
 * @param literal a JSON number.
 */
export function isExact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return ZERO.test(literal);
  if (Math.abs(value) < FIRST_GAP) return true;
  if (literal.length > MAX_LENGTH) return false;
  const [of, by] = [decimalOf(literal), decimalOf(String(value))];
  const exponent = Math.min(of.exponent, by.exponent);
  return scaled(of, exponent) === scaled(by, exponent);
}

/** The integer that a literal writes, such as 9223372036854775807 or 1.8446744073709551615e19; undefined if it is none, or infinite. */
export function integerOf(literal: string): bigint | undefined {
  if (literal.length > MAX_LENGTH || !Number.isFinite(Number(literal))) return undefined;
  const { digits, exponent } = decimalOf(literal);
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** A decimal number: `digits` times ten to the power of `exponent`. */
export interface Decimal {
  digits: bigint;
  exponent: number;
}

/** The decimal number that a literal writes. */
export function decimalOf(literal: string): Decimal {
  const [mantissa = '', power = '0'] = literal.split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

/** The digits that the number has with another exponent, which must not be larger than its own. */
export const scaled = ({ digits, exponent }: Decimal, to: number): bigint => digits * 10n ** BigInt(exponent - to);
