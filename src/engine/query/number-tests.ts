// `$mod`, `$size` and the bitwise operators: tests that read their operands as integers.
import { binaryParts } from '../bson/compare.js';
import { fitsLong, integralValue, isNaNValue, truncateToBigInt } from '../bson/numbers.js';
import { isNumber, TYPE, typeCode } from '../bson/types.js';
import { fail } from '../errors.js';
import type { ValueTest } from './leaf-tests.js';

function modOperand(value: unknown, what: string): bigint {
  if (!isNumber(value)) fail('BadValue', `malformed mod, ${what} not a number`);
  const whole = isNaNValue(value) ? undefined : truncateToBigInt(value);
  if (whole === undefined || !fitsLong(whole)) fail('BadValue', `malformed mod, ${what} value is invalid`);
  return whole;
}

/** `$mod: [divisor, remainder]`, on numbers truncated to integers. */
export function modTest(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) fail('BadValue', 'malformed mod, needs to be an array');
  if (operand.length < 2) fail('BadValue', 'malformed mod, not enough elements');
  if (operand.length > 2) fail('BadValue', 'malformed mod, too many elements');
  const divisor = modOperand(operand[0], 'divisor');
  const remainder = modOperand(operand[1], 'remainder');
  if (divisor === 0n) fail('BadValue', 'divisor cannot be 0');
  return (value) => {
    if (!isNumber(value)) return false;
    const whole = truncateToBigInt(value);
    return whole !== undefined && fitsLong(whole) && whole % divisor === remainder;
  };
}

/** `$size: n`, on whole arrays. */
export function sizeTest(operand: unknown): ValueTest {
  if (!isNumber(operand)) fail('BadValue', `Failed to parse $size. Expected a number in: $size: ${String(operand)}`);
  const size = integralValue(operand);
  if (size === undefined) fail('BadValue', `Failed to parse $size. Expected an integer: $size: ${String(operand)}`);
  if (size < 0n) fail('BadValue', `Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
  return (value) => Array.isArray(value) && BigInt(value.length) === size;
}

/** Whether a bit is set in a value; undefined for values that have no bits. */
type Bits = (position: bigint) => boolean;

function integerBits(value: bigint): Bits {
  return (position) => ((value >> (position > 63n ? 63n : position)) & 1n) === 1n;
}

function binaryBits(bytes: Uint8Array): Bits {
  return (position) => {
    const byte = bytes[Number(position / 8n)] ?? 0;
    return ((byte >> Number(position % 8n)) & 1) === 1;
  };
}

function bitsOf(value: unknown): Bits | undefined {
  if (typeCode(value) === TYPE.binData) return binaryBits(binaryParts(value).bytes);
  if (!isNumber(value)) return undefined;
  const whole = integralValue(value);
  return whole !== undefined && fitsLong(whole) ? integerBits(whole) : undefined;
}

function maskPositions(mask: bigint): bigint[] {
  const positions: bigint[] = [];
  for (let at = 0n; mask >> at > 0n; at++) if ((mask >> at) & 1n) positions.push(at);
  return positions;
}

function listedPosition(value: unknown, operator: string): bigint {
  const position = isNumber(value) ? integralValue(value) : undefined;
  if (position === undefined) fail('BadValue', `Failed to parse bit position. Expected an integer in: ${operator}`);
  if (position < 0n || position > 0x7fffffffn) {
    fail('BadValue', `Failed to parse bit position. Expected a non-negative number in: ${operator}`);
  }
  return position;
}

function positionsOf(operand: unknown, operator: string): bigint[] {
  if (Array.isArray(operand)) return operand.map((value) => listedPosition(value, operator));
  if (typeCode(operand) === TYPE.binData) {
    const { bytes } = binaryParts(operand);
    return maskPositions(BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`));
  }
  if (!isNumber(operand)) {
    fail('BadValue', `${operator} takes an Array, a number, or a BinData but received: ${String(operand)}`);
  }
  const mask = integralValue(operand);
  if (mask === undefined || !fitsLong(mask))
    fail('FailedToParse', `Expected an integer: ${operator}: ${String(operand)}`);
  if (mask < 0n) fail('FailedToParse', `Expected a non-negative number in: ${operator}: ${mask}`);
  return maskPositions(mask);
}

const BIT_RULES: Record<string, (positions: bigint[], bits: Bits) => boolean> = {
  $bitsAllSet: (positions, bits) => positions.every(bits),
  $bitsAllClear: (positions, bits) => positions.every((at) => !bits(at)),
  $bitsAnySet: (positions, bits) => positions.some(bits),
  $bitsAnyClear: (positions, bits) => positions.some((at) => !bits(at)),
};

/** `$bitsAllSet` and its three relatives, over integral numbers (two's complement) and binary data. */
export function bitTest(operator: string, operand: unknown): ValueTest {
  const positions = positionsOf(operand, operator);
  const rule = BIT_RULES[operator] as (positions: bigint[], bits: Bits) => boolean;
  return (value) => {
    const bits = bitsOf(value);
    return bits !== undefined && rule(positions, bits);
  };
}
