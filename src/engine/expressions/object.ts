// Operators over documents and single values: fields by any name, sizes, types, timestamps, random numbers.
import { Binary, Double, Long, Timestamp } from 'bson';
import { toBytes } from '../bson/codec.js';
import { type Doc, getOwn, isDocument, isNumber, setOwn, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { mergeObjects } from './accumulators/accumulator.js';
import {
  type ExpressionOperator,
  fold,
  int,
  listOperator,
  namedArguments,
  nullish,
  type OperatorTable,
  unary,
  unaryOrNull,
} from './operator.js';
import { copyDoc } from './shape.js';

/** Error codes for field names that are paths, not constant, or not strings. */
interface NameCodes {
  path: number;
  constant: number;
  type: number;
}

/** A field's name: a literal string. An expression that happens to be constant is refused. */
function fieldName(operator: string, value: unknown, codes: NameCodes): string {
  const [wrapper] = isDocument(value) ? Object.keys(value) : [];
  const wrapped = wrapper === '$literal' || wrapper === '$const';
  if (typeof value === 'string' && value.startsWith('$')) {
    fail(
      codes.path,
      `'${value}' is a field path reference which is not allowed in this context. Did you mean {$literal: '${value}'}?`,
    );
  }
  if (!wrapped && (isDocument(value) || Array.isArray(value))) {
    fail(codes.constant, `${operator} requires 'field' to evaluate to a constant, but got a non-constant argument`);
  }
  const name = wrapped ? (value as Doc)[wrapper] : value;
  return typeof name === 'string'
    ? name
    : fail(codes.type, `${operator} requires 'field' to evaluate to type String, but got ${typeName(name)}`);
}

const getField: ExpressionOperator = (operand, compiler) => {
  const isNamed = isDocument(operand) && !Object.keys(operand)[0]?.startsWith('$');
  const fields = isNamed
    ? namedArguments('$getField', operand, {
        required: ['field', 'input'],
        notDocument: 3041701,
        unknown: 3041701,
        missing: { field: 3041702, input: 3041703 },
      })
    : { field: operand, input: '$$CURRENT' };
  const name = fieldName('$getField', fields.field, { path: 5654600, constant: 5654601, type: 5654602 });
  const input = compiler.compile(fields.input);
  return fold({
    run: (doc, vars) => {
      const value = input.run(doc, vars);
      if (value === null) return null;
      return isDocument(value) ? getOwn(value, name) : undefined;
    },
    constant: input.constant,
  });
};

function setter(operator: string, required: readonly string[]): ExpressionOperator {
  return (operand, compiler) => {
    const args = namedArguments(operator, operand, {
      required,
      notDocument: 4161100,
      unknown: 4161101,
      missing: { field: 4161102, value: 4161103, input: 4161109 },
    });
    const name = fieldName(operator, args.field, { path: 4161108, constant: 4161106, type: 4161107 });
    const input = compiler.compile(args.input);
    const value = compiler.compile(operator === '$setField' ? args.value : '$$REMOVE');
    return fold({
      run: (doc, vars) => {
        const target = input.run(doc, vars);
        if (nullish(target)) return null;
        if (!isDocument(target)) return fail(4161105, `${operator} requires 'input' to evaluate to type Object`);
        return withField(target, name, value.run(doc, vars));
      },
      constant: input.constant && value.constant,
    });
  };
}

function withField(doc: Doc, name: string, value: unknown): Doc {
  const copy = copyDoc(doc);
  if (value === undefined) delete copy[name];
  else setOwn(copy, name, value);
  return copy;
}

function mergeAll(values: unknown[]): unknown {
  const list = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  const merged = mergeObjects();
  for (const value of list) merged.add(value);
  return merged.result();
}

function binarySize(value: unknown): unknown {
  if (typeof value === 'string') return int(Buffer.byteLength(value));
  if (value instanceof Binary) return int(value.position);
  return fail(51276, `$binarySize requires a string or BinData argument, found: ${typeName(value)}`);
}

function bsonSize(value: unknown): unknown {
  if (!isDocument(value)) return fail(31393, `$bsonSize requires a document input, found: ${typeName(value)}`);
  return int(toBytes(value).length);
}

function timestampPart(name: string, part: (value: Timestamp) => number): ExpressionOperator {
  return unaryOrNull(name, (value) => {
    if (!(value instanceof Timestamp))
      return fail(5687301, `Argument to ${name} must be a timestamp, but is ${typeName(value)}`);
    return Long.fromNumber(part(value));
  });
}

const rand: ExpressionOperator = (operand) => {
  const empty = Array.isArray(operand)
    ? operand.length === 0
    : isDocument(operand) && Object.keys(operand).length === 0;
  if (!empty) fail(3040501, '$rand does not currently accept arguments');
  return { run: () => new Double(Math.random()), constant: false };
};

/** Operators over documents, and operators without a family. */
export const OBJECT: OperatorTable = {
  $binarySize: unaryOrNull('$binarySize', binarySize),
  $bsonSize: unaryOrNull('$bsonSize', bsonSize),
  $getField: getField,
  $isNumber: unary('$isNumber', isNumber),
  $mergeObjects: listOperator('$mergeObjects', [0, Number.MAX_SAFE_INTEGER], mergeAll),
  $rand: rand,
  $setField: setter('$setField', ['field', 'input', 'value']),
  $tsIncrement: timestampPart('$tsIncrement', (value) => value.i),
  $tsSecond: timestampPart('$tsSecond', (value) => value.t),
  $type: unary('$type', (value) => typeName(value)),
  $unsetField: setter('$unsetField', ['field', 'input']),
};
