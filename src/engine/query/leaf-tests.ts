// Tests on one value: equality, order and sets, with MongoDB's rules on null, missing, NaN and type brackets.
import { Double, Int32, ObjectId } from 'bson';
import { BRACKET, compareValues, typeBracket } from '../bson/compare.js';
import { isNaNValue } from '../bson/numbers.js';
import { valueKey } from '../bson/sort-key.js';
import { TYPE, typeCode } from '../bson/types.js';
import { fail } from '../errors.js';

/** A test of one value; undefined is a missing field. */
export type ValueTest = (value: unknown) => boolean;

/** `$eq`: null also matches missing, numbers compare across types, documents field by field in order. */
export function equalTest(operand: unknown): ValueTest {
  if (operand === undefined) fail('BadValue', 'cannot compare to undefined');
  if (operand === null) return (value) => value === null || value === undefined;
  if (typeof operand === 'string') return (value) => value === operand || isEqual(value, operand);
  if (typeof operand === 'boolean') return (value) => value === operand;
  if (operand instanceof ObjectId) return (value) => value instanceof ObjectId && operand.equals(value);
  if (operand instanceof Int32 || operand instanceof Double) return numberTest(operand);
  const bracket = typeBracket(operand);
  return (value) => typeBracket(value) === bracket && compareValues(value, operand) === 0;
}

function isEqual(value: unknown, operand: string): boolean {
  return typeCode(value) === TYPE.symbol && compareValues(value, operand) === 0;
}

function numberTest(operand: Int32 | Double): ValueTest {
  const number = operand.value;
  return (value) => {
    if (value instanceof Int32 || value instanceof Double) {
      return value.value === number || (Number.isNaN(number) && Number.isNaN(value.value));
    }
    return typeBracket(value) === BRACKET.number && compareValues(value, operand) === 0;
  };
}

/** The order operators, with the sign of compare(value, operand) that each accepts. */
export const ORDER: Record<string, (sign: number) => boolean> = {
  $gt: (sign) => sign > 0,
  $gte: (sign) => sign >= 0,
  $lt: (sign) => sign < 0,
  $lte: (sign) => sign <= 0,
};

/** `$gt`, `$gte`, `$lt`, `$lte`: only values of the operand's bracket match, but MinKey and MaxKey compare with all. */
export function orderTest(operator: string, operand: unknown, path: string): ValueTest {
  const accepts = ORDER[operator] as (sign: number) => boolean;
  const bracket = typeBracket(operand);
  if (operand === undefined) fail('BadValue', 'cannot compare to undefined');
  if (bracket === BRACKET.regex) fail('BadValue', `Can't have RegEx as arg to predicate over field '${path}'.`);
  if (bracket === BRACKET.null) return accepts(0) ? equalTest(null) : () => false;
  if (bracket === BRACKET.number && isNaNValue(operand)) return accepts(0) ? isNaNNumber : () => false;
  if (bracket === BRACKET.minKey || bracket === BRACKET.maxKey)
    return (value) => accepts(compareValues(value, operand));
  return (value) => {
    if (typeBracket(value) !== bracket) return false;
    if (bracket === BRACKET.number && isNaNValue(value)) return false;
    return accepts(compareValues(value, operand));
  };
}

function isNaNNumber(value: unknown): boolean {
  return isNaNValue(value);
}

const FEW = 8;

/** `$in` over plain values: one of them is equal. Long lists are looked up by key. */
export function memberTest(operands: unknown[]): ValueTest {
  if (operands.length <= FEW) {
    const tests = operands.map(equalTest);
    return (value) => tests.some((test) => test(value));
  }
  for (const operand of operands) if (operand === undefined) fail('BadValue', 'cannot compare to undefined');
  const keys = new Set(operands.map(valueKey));
  const hasNull = operands.includes(null);
  return (value) => (value === undefined ? hasNull : keys.has(valueKey(value)));
}

const ALIASES = new Map<string, number[]>([
  ['number', [TYPE.int, TYPE.long, TYPE.double, TYPE.decimal]],
  ...Object.entries(TYPE)
    .filter(([name]) => name !== 'missing')
    .map(([name, code]): [string, number[]] => [name, [code]]),
]);

function typeCodes(operand: unknown): number[] {
  if (typeof operand === 'string') {
    return ALIASES.get(operand) ?? fail('BadValue', `Unknown type name alias: ${operand}`);
  }
  if (typeBracket(operand) !== BRACKET.number) fail('TypeMismatch', 'type must be represented as a number or a string');
  const code = Number(String(operand));
  const isType = Object.entries(TYPE).some(([name, number]) => number === code && name !== 'missing');
  if (!isType) fail('BadValue', `Invalid numerical type code: ${String(operand)}`);
  return [code];
}

/** `$type` with an alias, a number, or an array of them. */
export function typeTest(operand: unknown, path: string): ValueTest {
  const types = Array.isArray(operand) ? operand : [operand];
  if (types.length === 0) fail('FailedToParse', `${path} must match at least one type`);
  const codes = new Set(types.flatMap(typeCodes));
  return (value) => codes.has(typeCode(value));
}
