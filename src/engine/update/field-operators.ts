// Operators on single fields: $set, $unset, $inc, $mul, $min, $max, $currentDate, $bit, $setOnInsert.
import { Decimal128, Double, Int32, Long, Timestamp } from 'bson';
import { compareValues, identicalValues } from '../bson/compare.js';
import { addChecked, type BsonNumber, multiplyChecked, resultType } from '../bson/numbers.js';
import { showId, showValue } from '../bson/show.js';
import { isDocument, isNumber, TYPE, typeCode, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { KEEP, type Moment, type OperatorCompiler, REMOVE, type UpdateOperation } from './operation.js';

function changed(old: unknown, value: unknown): unknown {
  return identicalValues(old, value) ? KEEP : value;
}

function set(operand: unknown): UpdateOperation {
  return { creates: true, run: (old) => changed(old, operand) };
}

function setOnInsert(operand: unknown): UpdateOperation {
  return { creates: true, run: (old, { inserting }) => (inserting ? changed(old, operand) : KEEP) };
}

type Combine = (old: unknown, operand: unknown) => BsonNumber | undefined;

function arithmetic(name: string, operand: unknown, combine: Combine, initial: unknown): UpdateOperation {
  return {
    creates: true,
    run: (old, moment) => {
      if (old === undefined) return initial;
      if (!isNumber(old)) notNumeric(name, old, moment);
      const result = combine(old, operand);
      if (result !== undefined) return changed(old, result);
      const current = `(${typeName(old) === 'long' ? 'NumberLong' : 'NumberInt'})${showValue(old)}`;
      return fail(
        'BadValue',
        `Failed to apply ${name} operations to current value (${current}) for document ${showId(moment.doc)}`,
      );
    },
  };
}

function notNumeric(name: string, old: unknown, { path, doc }: Moment): never {
  const field = path.slice(path.lastIndexOf('.') + 1);
  return fail(
    'TypeMismatch',
    `Cannot apply ${name} to a value of non-numeric type. ${showId(doc)} has the field '${field}' of non-numeric type ${typeName(old)}`,
  );
}

const ZEROS = {
  int: () => new Int32(0),
  long: () => Long.ZERO,
  double: () => new Double(0),
  decimal: () => Decimal128.fromString('0'),
};

function inc(operand: unknown, path: string): UpdateOperation {
  if (!isNumber(operand)) {
    fail('TypeMismatch', `Cannot increment with non-numeric argument: {${path}: ${showValue(operand)}}`);
  }
  return arithmetic('$inc', operand, addChecked, operand);
}

function mul(operand: unknown, path: string): UpdateOperation {
  if (!isNumber(operand)) {
    fail('TypeMismatch', `Cannot multiply with non-numeric argument: {${path}: ${showValue(operand)}}`);
  }
  return arithmetic('$mul', operand, multiplyChecked, ZEROS[resultType(operand, operand)]());
}

function extreme(sign: 1 | -1): OperatorCompiler {
  return (operand) => ({
    creates: true,
    run: (old) => (old === undefined || compareValues(operand, old) * sign > 0 ? operand : KEEP),
  });
}

function currentDateKind(operand: unknown): 'date' | 'timestamp' {
  if (typeof operand === 'boolean') return 'date';
  if (!isDocument(operand)) {
    fail(
      'BadValue',
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  for (const name of Object.keys(operand)) {
    if (name !== '$type') fail('BadValue', `Unrecognized $currentDate option: ${name}`);
  }
  const kind = operand.$type;
  if (kind === 'date' || kind === 'timestamp') return kind;
  return fail(
    'BadValue',
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
}

function currentDate(operand: unknown): UpdateOperation {
  const kind = currentDateKind(operand);
  return {
    creates: true,
    run: (_old, { now }) => (kind === 'date' ? now : new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 })),
  };
}

type Bitwise = (a: bigint, b: bigint) => bigint;

const BITWISE: Record<string, Bitwise> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

function isInteger(value: unknown): boolean {
  const type = typeCode(value);
  return type === TYPE.int || type === TYPE.long;
}

function bitStep(name: string, operand: unknown, path: string): { apply: Bitwise; operand: unknown } {
  const apply = Object.hasOwn(BITWISE, name) ? BITWISE[name] : undefined;
  if (!apply) {
    fail(
      'BadValue',
      `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${name}: ${showValue(operand)}}`,
    );
  }
  if (!isInteger(operand)) {
    fail(
      'BadValue',
      `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(operand)}' is not supported here: {${path}: ${showValue(operand)}}`,
    );
  }
  return { apply, operand };
}

function bit(operand: unknown, path: string): UpdateOperation {
  if (!isDocument(operand)) {
    fail(
      'BadValue',
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}}`,
    );
  }
  const steps = Object.keys(operand).map((name) => bitStep(name, operand[name], path));
  if (steps.length === 0) {
    fail(
      'BadValue',
      `You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}}`,
    );
  }
  return {
    creates: true,
    run: (old, moment) => {
      if (old !== undefined && !isInteger(old)) notIntegral(old, moment);
      return changed(old, steps.reduce(applyBits, old ?? new Int32(0)));
    },
  };
}

function applyBits(value: unknown, step: { apply: Bitwise; operand: unknown }): unknown {
  const result = step.apply(BigInt(String(value)), BigInt(String(step.operand)));
  return resultType(value, step.operand) === 'long' ? Long.fromBigInt(result) : new Int32(Number(result));
}

function notIntegral(old: unknown, { path, doc }: Moment): never {
  return fail(
    'BadValue',
    `Cannot apply $bit to a value of non-integral type. ${showId(doc)} has the field ${path} of non-integer type ${typeName(old)}`,
  );
}

/** The operators of this file by name. */
export const FIELD_OPERATORS: Record<string, OperatorCompiler> = {
  $bit: bit,
  $currentDate: currentDate,
  $inc: inc,
  $max: extreme(1),
  $min: extreme(-1),
  $mul: mul,
  $set: set,
  $setOnInsert: setOnInsert,
  $unset: () => ({ creates: false, anywhere: true, run: () => REMOVE }),
};
