// Operators on arrays: $addToSet, $pop, $pull, $pullAll.
import { BRACKET, equalValues, typeBracket } from '../bson/compare.js';
import { integralValue } from '../bson/numbers.js';
import { showValue } from '../bson/show.js';
import { type Doc, isDocument, isNumber, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { isDocumentFilter } from '../query/field-tests.js';
import { compileFilter, type FilterEnv } from '../query/matcher.js';
import { KEEP, type OperatorCompiler, type UpdateOperation } from './operation.js';

function eachOf(operand: unknown): unknown[] {
  if (!isDocument(operand) || Object.keys(operand)[0] !== '$each') return [operand];
  const each = operand.$each;
  if (!Array.isArray(each)) {
    fail('TypeMismatch', `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`);
  }
  if (Object.keys(operand).length > 1) {
    fail('BadValue', `Found unexpected fields after $each in $addToSet: ${showValue(operand)}`);
  }
  return each;
}

function addToSet(operand: unknown): UpdateOperation {
  const values = eachOf(operand);
  return {
    creates: true,
    appends: true,
    run: (old, { path }) => {
      if (old !== undefined && !Array.isArray(old)) {
        const field = path.slice(path.lastIndexOf('.') + 1);
        fail(
          'BadValue',
          `Cannot apply $addToSet to non-array field. Field named '${field}' has non-array type ${typeName(old)}`,
        );
      }
      const present: unknown[] = old === undefined ? [] : old.slice();
      for (const value of values) if (!present.some((other) => equalValues(other, value))) present.push(value);
      return old !== undefined && present.length === old.length ? KEEP : present;
    },
  };
}

function pop(operand: unknown, path: string): UpdateOperation {
  if (!isNumber(operand)) fail('FailedToParse', `Expected a number in: ${path}: ${showValue(operand)}`);
  const end = integralValue(operand);
  if (end !== 1n && end !== -1n) fail('FailedToParse', `$pop expects 1 or -1, found: ${showValue(operand)}`);
  return {
    creates: false,
    run: (old, moment) => {
      if (!Array.isArray(old)) {
        fail('TypeMismatch', `Path '${moment.path}' contains an element of non-array type '${typeName(old)}'`);
      }
      if (old.length === 0) return KEEP;
      return end === 1n ? old.slice(0, -1) : old.slice(1);
    },
  };
}

function without(matches: (element: unknown) => boolean): UpdateOperation {
  return {
    creates: false,
    run: (old) => {
      if (!Array.isArray(old)) fail('BadValue', 'Cannot apply $pull to a non-array value');
      const rest = old.filter((element) => !matches(element));
      return rest.length === old.length ? KEEP : rest;
    },
  };
}

function pullAll(operand: unknown): UpdateOperation {
  if (!Array.isArray(operand)) {
    fail('BadValue', `$pullAll requires an array argument but was given a ${typeName(operand)}`);
  }
  return without((element) => operand.some((value) => equalValues(value, element)));
}

/** `$pull`: operators and regular expressions run on each element, a document (also of `$and` and `$or`) is a filter for elements that are documents, the rest is equality. */
export function compilePull(env: FilterEnv): OperatorCompiler {
  return (operand) => {
    if (typeBracket(operand) === BRACKET.regex || (isDocument(operand) && !isDocumentFilter(operand))) {
      const filter = compileFilter({ '': operand }, env);
      return without((element) => filter.test({ '': element }));
    }
    if (!isDocument(operand)) return without((element) => equalValues(element, operand));
    if (Object.hasOwn(operand, '$expr')) fail('BadValue', '$expr is not allowed in this context');
    const filter = compileFilter(operand, env);
    return without((element) => isDocument(element) && filter.test(element as Doc));
  };
}

/** The operators of this file by name, except `$pull`, which needs the filter's environment. */
export const ARRAY_OPERATORS: Record<string, OperatorCompiler> = {
  $addToSet: addToSet,
  $pop: pop,
  $pullAll: pullAll,
};
