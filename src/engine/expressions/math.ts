// Operators over one number: rounding, roots, logarithms and trigonometry.
import { Double } from 'bson';
import { divideDecimals, finite, fromDecimal128, multiplyDecimals, toDecimal128 } from '../bson/decimal.js';
import { fitInteger, integralValue, toDouble } from '../bson/numbers.js';
import { isNumber, TYPE, typeCode, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { type ExpressionOperator, listOperator, nullish, type OperatorTable, unaryOrNull } from './operator.js';
import { decimalRoot, integer, isDecimal, type Rounding, roundAt } from './number-math.js';

/** An operator of one number; null for null, error 28765 for other types. */
function numeric(name: string, apply: (value: unknown) => unknown): ExpressionOperator {
  return unaryOrNull(name, (value) => {
    if (!isNumber(value)) fail(28765, `${name} only supports numeric types, not ${typeName(value)}`);
    return apply(value);
  });
}

function refuseDecimal(name: string, value: unknown): void {
  if (isDecimal(value)) fail('NotImplemented', `${name} of a Decimal128 is not supported by this store`);
}

/** A function of doubles with a domain. `text` describes the domain in MongoDB's message. NaN stays NaN. */
function real(
  name: string,
  apply: (value: number) => number,
  domain?: { text: string; holds: (value: number) => boolean },
) {
  return numeric(name, (value) => {
    refuseDecimal(name, value);
    const double = toDouble(value);
    if (domain && !Number.isNaN(double) && !domain.holds(double)) {
      fail(50989, `cannot apply ${name} to ${double}, value must be in ${domain.text}`);
    }
    return new Double(apply(double));
  });
}

const FINITE = { text: '(-inf,inf)', holds: Number.isFinite };
const UNIT = { text: '[-1,1]', holds: (value: number) => value >= -1 && value <= 1 };
const FROM_ONE = { text: '[1,inf]', holds: (value: number) => value >= 1 };

function absolute(value: unknown): unknown {
  if (isDecimal(value)) return toDecimal128({ ...fromDecimal128(value), negative: false });
  const type = typeCode(value);
  if (type === TYPE.double) return new Double(Math.abs(toDouble(value)));
  const size = integer(value);
  const result = fitInteger(size < 0n ? -size : size, type === TYPE.long ? 'long' : 'int');
  return result ?? fail(28680, "can't take $abs of long long min");
}

function logarithm(name: string, code: number, apply: (value: number) => number): ExpressionOperator {
  return numeric(name, (value) => {
    const double = toDouble(value);
    if (double <= 0) fail(code, `${name}'s argument must be a positive number, but is ${double}`);
    refuseDecimal(name, value);
    return new Double(apply(double));
  });
}

function logValues([value, base]: unknown[]): unknown {
  if (nullish(value) || nullish(base)) return null;
  if (!isNumber(value)) fail(28756, `$log's argument must be numeric, not ${typeName(value)}`);
  if (!isNumber(base)) fail(28757, `$log's base must be numeric, not ${typeName(base)}`);
  refuseDecimal('$log', value);
  refuseDecimal('$log', base);
  const argument = toDouble(value);
  const root = toDouble(base);
  if (argument <= 0) fail(28758, `$log's argument must be a positive number, but is ${argument}`);
  if (root <= 0 || root === 1) fail(28759, `$log's base must be a positive number not equal to 1, but is ${root}`);
  return new Double(Math.log(argument) / Math.log(root));
}

function squareRoot(value: unknown): unknown {
  if (toDouble(value) < 0) fail(28714, "$sqrt's argument must be greater than or equal to 0");
  return isDecimal(value) ? decimalRoot(fromDecimal128(value)) : new Double(Math.sqrt(toDouble(value)));
}

/** $round and $trunc: the second argument is the decimal place, from -20 to 100. */
function rounder(name: string, rounding: Rounding): ExpressionOperator {
  return listOperator(name, [1, 2], (values) => {
    const [value, place] = values;
    if (nullish(value) || (values.length > 1 && nullish(place))) return null;
    if (!isNumber(value)) fail(51081, `${name} only supports numeric types, not ${typeName(value)}`);
    if (values.length === 1) return roundAt(value, 0, rounding);
    const whole = isNumber(place) ? integralValue(place) : undefined;
    if (whole === undefined) return fail(51082, `precision argument to  ${name} must be a integral value`);
    if (whole < -20n || whole > 100n) {
      fail(51083, `cannot apply ${name} with precision value ${whole} value must be in [-20, 100]`);
    }
    return roundAt(value, Number(whole), rounding);
  });
}

const PI = finite(3141592653589793238462643383279503n, -33);

/** A conversion between degrees and radians, in Decimal128 where one is given. */
function angle(name: string, toRadians: boolean): ExpressionOperator {
  return numeric(name, (value) => {
    if (!isDecimal(value)) {
      return new Double(toRadians ? toDouble(value) * (Math.PI / 180) : toDouble(value) * (180 / Math.PI));
    }
    const decimal = fromDecimal128(value);
    const half = finite(180n);
    const factor = toRadians ? divideDecimals(PI, half) : divideDecimals(half, PI);
    return toDecimal128(multiplyDecimals(decimal, factor));
  });
}

function atan2Values([y, x]: unknown[]): unknown {
  if (nullish(y) || nullish(x)) return null;
  for (const value of [y, x]) {
    if (!isNumber(value)) fail(51044, `$atan2 only supports numeric types, not ${typeName(value)}`);
    refuseDecimal('$atan2', value);
  }
  return new Double(Math.atan2(toDouble(y), toDouble(x)));
}

/** Operators over one number. */
export const MATH: OperatorTable = {
  $abs: numeric('$abs', absolute),
  $acos: real('$acos', Math.acos, UNIT),
  $acosh: real('$acosh', Math.acosh, FROM_ONE),
  $asin: real('$asin', Math.asin, UNIT),
  $asinh: real('$asinh', Math.asinh),
  $atan: real('$atan', Math.atan),
  $atan2: listOperator('$atan2', [2, 2], atan2Values),
  $atanh: real('$atanh', Math.atanh, UNIT),
  $ceil: numeric('$ceil', (value) => roundAt(value, 0, 'up')),
  $cos: real('$cos', Math.cos, FINITE),
  $cosh: real('$cosh', Math.cosh),
  $degreesToRadians: angle('$degreesToRadians', true),
  $exp: real('$exp', Math.exp),
  $floor: numeric('$floor', (value) => roundAt(value, 0, 'down')),
  $ln: logarithm('$ln', 28766, Math.log),
  $log: listOperator('$log', [2, 2], logValues),
  $log10: logarithm('$log10', 28761, Math.log10),
  $radiansToDegrees: angle('$radiansToDegrees', false),
  $round: rounder('$round', 'even'),
  $sin: real('$sin', Math.sin, FINITE),
  $sinh: real('$sinh', Math.sinh),
  $sqrt: numeric('$sqrt', squareRoot),
  $tan: real('$tan', Math.tan, FINITE),
  $tanh: real('$tanh', Math.tanh),
  $trunc: rounder('$trunc', 'zero'),
};
