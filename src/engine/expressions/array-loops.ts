// Operators that evaluate an expression for each element of an array: $map, $filter, $reduce; and $zip.
import { typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { type ExpressionOperator, fold, namedArguments, nullish, type OperatorTable, truthy } from './operator.js';
import { childVars } from './types.js';
import { arrayOf, int32Of } from './array.js';
import { checkVariableName } from './conditional.js';

function loopName(as: unknown): string {
  if (as === undefined) return 'this';
  if (typeof as !== 'string')
    return fail('TypeMismatch', `the name of a variable must be a string, found ${typeName(as)}`);
  checkVariableName(as);
  return as;
}

const map: ExpressionOperator = (operand, compiler) => {
  const args = namedArguments('$map', operand, {
    required: ['input', 'in'],
    optional: ['as'],
    notDocument: 16878,
    unknown: 16879,
    missing: { input: 16880, in: 16882 },
  });
  const name = loopName(args.as);
  const input = compiler.compile(args.input);
  const each = compiler.define([name]).compile(args.in);
  return fold({
    run: (doc, vars) => {
      const value = input.run(doc, vars);
      if (nullish(value)) return null;
      const scope = childVars(vars);
      return arrayOf(value, 16883, 'input to $map must be an array not').map((element) => {
        scope[name] = element;
        return each.run(doc, scope) ?? null;
      });
    },
    constant: input.constant && each.constant,
  });
};

function limitOf(value: unknown): number {
  if (nullish(value)) return Number.POSITIVE_INFINITY;
  const limit = int32Of(value, '$filter: limit', { type: 327391, range: 327391 });
  return limit > 0 ? limit : fail(327392, `$filter: limit must be greater than 0, found: ${limit}`);
}

const filter: ExpressionOperator = (operand, compiler) => {
  const args = namedArguments('$filter', operand, {
    required: ['input', 'cond'],
    optional: ['as', 'limit'],
    notDocument: 28646,
    unknown: 28647,
    missing: { input: 28648, cond: 28650 },
  });
  const name = loopName(args.as);
  const input = compiler.compile(args.input);
  const limit = compiler.compile(args.limit ?? null);
  const keep = compiler.define([name]).compile(args.cond);
  return fold({
    run: (doc, vars) => {
      const value = input.run(doc, vars);
      if (nullish(value)) return null;
      const most = limitOf(limit.run(doc, vars));
      const scope = childVars(vars);
      const items: unknown[] = [];
      for (const element of arrayOf(value, 28651, 'input to $filter must be an array not')) {
        scope[name] = element;
        if (truthy(keep.run(doc, scope))) items.push(element);
        if (items.length >= most) break;
      }
      return items;
    },
    constant: input.constant && keep.constant && limit.constant,
  });
};

const reduce: ExpressionOperator = (operand, compiler) => {
  const args = namedArguments('$reduce', operand, {
    required: ['input', 'initialValue', 'in'],
    notDocument: 40075,
    unknown: 40076,
    missing: { input: 40077, initialValue: 40078, in: 40079 },
  });
  const input = compiler.compile(args.input);
  const initial = compiler.compile(args.initialValue);
  const step = compiler.define(['this', 'value']).compile(args.in);
  return fold({
    run: (doc, vars) => {
      const list = input.run(doc, vars);
      if (nullish(list)) return null;
      const scope = childVars(vars);
      let value = initial.run(doc, vars);
      for (const element of arrayOf(list, 40080, "$reduce requires that 'input' be an array, found:")) {
        scope.this = element;
        scope.value = value;
        value = step.run(doc, scope);
      }
      return value;
    },
    constant: input.constant && initial.constant && step.constant,
  });
};

const zip: ExpressionOperator = (operand, compiler) => {
  const args = namedArguments('$zip', operand, {
    required: ['inputs'],
    optional: ['useLongestLength', 'defaults'],
    notDocument: 34460,
    unknown: 34464,
    missing: 34465,
  });
  if (!Array.isArray(args.inputs))
    fail(34461, `inputs must be an array of expressions, found ${typeName(args.inputs)}`);
  if (args.inputs.length === 0) fail(34465, '$zip requires at least one input array');
  if (args.defaults !== undefined && !Array.isArray(args.defaults)) {
    fail(34462, `defaults must be an array of expressions, found ${typeName(args.defaults)}`);
  }
  const longest = args.useLongestLength ?? false;
  if (typeof longest !== 'boolean') fail(34463, `useLongestLength must be a bool, found ${typeName(longest)}`);
  if (args.defaults && !longest) fail(34466, 'cannot specify defaults unless useLongestLength is true');
  if (args.defaults && args.defaults.length !== args.inputs.length) {
    fail(34467, 'defaults and inputs must have the same length');
  }
  const inputs = args.inputs.map((each) => compiler.compile(each));
  const defaults = (args.defaults ?? []).map((each) => compiler.compile(each));
  return fold({
    run: (doc, vars) => {
      const values = inputs.map((each) => each.run(doc, vars));
      if (values.some(nullish)) return null;
      const arrays = values.map((value) => arrayOf(value, 34468, '$zip found a non-array expression in input:'));
      const lengths = arrays.map((array) => array.length);
      const rows = longest ? Math.max(...lengths) : Math.min(...lengths);
      const fill = defaults.map((each) => each.run(doc, vars) ?? null);
      return Array.from({ length: rows }, (_, row) =>
        arrays.map((array, i) => (row < array.length ? (array[row] ?? null) : (fill[i] ?? null))),
      );
    },
    constant: [...inputs, ...defaults].every((each) => each.constant),
  });
};

/** The operators of this file by name. */
export const ARRAY_LOOPS: OperatorTable = { $filter: filter, $map: map, $reduce: reduce, $zip: zip };
