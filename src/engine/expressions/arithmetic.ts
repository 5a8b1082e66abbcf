// $add, $subtract, $multiply, $divide, $mod, $pow and bit operators: types as MongoDB promotes them, dates as milliseconds.
import { Long } from 'bson';
import { dateOf, longOfDate, millisOf } from '../bson/date.js';
import {
  add,
  divide,
  fitInteger,
  integralValue,
  isZero,
  mod,
  multiply,
  resultType,
  subtract,
  toDouble,
  truncateToBigInt,
} from '../bson/numbers.js';
import { isNumber, TYPE, typeCode, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { type ExpressionOperator, int, listOperator, nullish, type OperatorTable, unaryOrNull } from './operator.js';
import { integer, power, toMilliseconds } from './number-math.js';

const ANY = [0, Number.MAX_SAFE_INTEGER] as const;

function addAll(values: unknown[]): unknown {
  let total: unknown = int(0);
  let dated = false;
  for (const value of values) {
    if (nullish(value)) return null;
    if (value instanceof Date) {
      if (dated) fail(16612, 'only one date allowed in an $add expression');
      dated = true;
      total = add(total, longOfDate(value));
    } else if (isNumber(value)) {
      total = add(total, value);
    } else {
      fail('TypeMismatch', `$add only supports numeric or date types, not ${typeName(value)}`);
    }
  }
  return dated ? dateOf(toMilliseconds(total)) : total;
}

function dateDifference(a: Date, b: Date): Long {
  const difference = BigInt(millisOf(a)) - BigInt(millisOf(b));
  return BigInt.asIntN(64, difference) === difference ? Long.fromBigInt(difference) : fail('Overflow', 'date overflow');
}

function truncated(value: unknown): bigint {
  return truncateToBigInt(value) ?? fail('Overflow', 'date overflow');
}

function subtractValues([a, b]: unknown[]): unknown {
  if (nullish(a) || nullish(b)) return null;
  if (a instanceof Date && b instanceof Date) return dateDifference(a, b);
  if (a instanceof Date && isNumber(b)) return dateOf(BigInt(millisOf(a)) - truncated(b));
  if (isNumber(a) && isNumber(b)) return subtract(a, b);
  return fail('TypeMismatch', `can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function multiplyAll(values: unknown[]): unknown {
  let product: unknown = int(1);
  for (const value of values) {
    if (nullish(value)) return null;
    if (!isNumber(value)) fail('TypeMismatch', `$multiply only supports numeric types, not ${typeName(value)}`);
    product = multiply(product, value);
  }
  return product;
}

function divideValues([a, b]: unknown[]): unknown {
  if (nullish(a) || nullish(b)) return null;
  if (isNumber(a) && isNumber(b)) return divide(a, b);
  return fail('TypeMismatch', `$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
}

/** An int or long modulo an integral double stays an integer, as in MongoDB. */
function modValues([a, b]: unknown[]): unknown {
  if (nullish(a) || nullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    return fail(16611, `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  const type = resultType(a, b);
  if (isZero(b)) fail(type === 'decimal' ? 5733415 : 16610, "can't $mod by zero");
  const divisor = typeCode(b) === TYPE.double ? integralValue(b) : undefined;
  const small = divisor !== undefined && divisor >= -0x80000000n && divisor <= 0x7fffffffn;
  return isInteger(a) && small ? mod(a, int(Number(divisor))) : mod(a, b);
}

function powValues([base, exponent]: unknown[]): unknown {
  if (nullish(base) || nullish(exponent)) return null;
  if (!isNumber(base)) fail(28762, `$pow's base must be numeric, not ${typeName(base)}`);
  if (!isNumber(exponent)) fail(28763, `$pow's exponent must be numeric, not ${typeName(exponent)}`);
  if (isZero(base) && toDouble(exponent) < 0) {
    fail(28764, '$pow cannot take a base of 0 and a negative exponent');
  }
  return power(base, exponent);
}

function isInteger(value: unknown): boolean {
  const type = typeCode(value);
  return type === TYPE.int || type === TYPE.long;
}

function bitOperator(name: string, start: bigint, combine: (a: bigint, b: bigint) => bigint): ExpressionOperator {
  return listOperator(name, ANY, (values) => {
    let result = start;
    let type: 'int' | 'long' = 'int';
    for (const value of values) {
      if (nullish(value)) return null;
      if (!isInteger(value)) fail('TypeMismatch', `${name} only supports int and long operands.`);
      if (resultType(value, value) === 'long') type = 'long';
      result = combine(result, integer(value));
    }
    return fitInteger(result, type);
  });
}

/** Arithmetic over two or more numbers, and bits. */
export const ARITHMETIC: OperatorTable = {
  $add: listOperator('$add', ANY, addAll),
  $bitAnd: bitOperator('$bitAnd', -1n, (a, b) => a & b),
  $bitNot: unaryOrNull('$bitNot', (value) => {
    if (!isInteger(value)) fail('TypeMismatch', `$bitNot only supports int and long, not: ${typeName(value)}.`);
    return fitInteger(~integer(value), resultType(value, value) === 'long' ? 'long' : 'int');
  }),
  $bitOr: bitOperator('$bitOr', 0n, (a, b) => a | b),
  $bitXor: bitOperator('$bitXor', 0n, (a, b) => a ^ b),
  $divide: listOperator('$divide', [2, 2], divideValues),
  $mod: listOperator('$mod', [2, 2], modValues),
  $multiply: listOperator('$multiply', ANY, multiplyAll),
  $pow: listOperator('$pow', [2, 2], powValues),
  $subtract: listOperator('$subtract', [2, 2], subtractValues),
};
