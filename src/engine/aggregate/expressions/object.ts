// Operators over documents and single values: fields by any name, sizes, types, timestamps, chance.
import { Binary, calculateObjectSize, Double, Long, Timestamp } from 'bson';
import { type Doc, getOwn, isDocument, isNumber, setOwn, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { mergeObjects } from '../accumulators/accumulator.js';
import {
  type Compiler,
  fold,
  int,
  listOperator,
  namedArguments,
  nullish,
  type Operator,
  type OperatorTable,
  unary,
  unaryOrNull,
} from '../operator.js';
import { copyDoc } from '../shape.js';

/** A field's name: a constant string. */
function fieldName(operator: string, value: unknown, compiler: Compiler): string {
  const node = compiler.compile(value);
  if (!node.constant) fail(5654601, `${operator} requires 'field' to evaluate to a constant`);
  const name = node.run({}, {});
  return typeof name === 'string'
    ? name
    : fail(5654602, `${operator} requires 'field' to evaluate to type String, found ${typeName(name)}`);
}

const getField: Operator = (operand, compiler) => {
  const isNamed = isDocument(operand) && !Object.keys(operand)[0]?.startsWith('$');
  const given = isNamed
    ? namedArguments('$getField', operand, {
        required: ['field'],
        optional: ['input'],
        notDocument: 3041701,
        unknown: 3041701,
        missing: 3041702,
      })
    : { field: operand };
  const name = fieldName('$getField', given.field, compiler);
  const input = compiler.compile(given.input === undefined ? '$$CURRENT' : given.input);
  return fold({
    run: (doc, vars) => {
      const value = input.run(doc, vars);
      if (value === null) return null;
      return isDocument(value) ? getOwn(value, name) : undefined;
    },
    constant: input.constant,
  });
};

function setter(operator: string, required: readonly string[]): Operator {
  return (operand, compiler) => {
    const given = namedArguments(operator, operand, {
      required,
      notDocument: 4161100,
      unknown: 4161101,
      missing: 4161102,
    });
    const name = fieldName(operator, given.field, compiler);
    const input = compiler.compile(given.input);
    const value = compiler.compile(operator === '$setField' ? given.value : '$$REMOVE');
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
  return int(calculateObjectSize(value, { ignoreUndefined: true }));
}

function timestampPart(name: string, part: (value: Timestamp) => number): Operator {
  return unaryOrNull(name, (value) => {
    if (!(value instanceof Timestamp))
      return fail(5687301, `Argument to ${name} must be a timestamp, but is ${typeName(value)}`);
    return Long.fromNumber(part(value));
  });
}

const rand: Operator = (operand) => {
  const empty = Array.isArray(operand)
    ? operand.length === 0
    : isDocument(operand) && Object.keys(operand).length === 0;
  if (!empty) fail(3040501, '$rand does not currently accept arguments');
  return { run: () => new Double(Math.random()), constant: false };
};

/** Document operators and the odd ones. */
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
