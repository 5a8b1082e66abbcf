// The accumulators of $group (and $bucket) by name, compiled from their specification.
import { type Doc, isDocument } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { type Compiler, int, namedArguments } from '../operator.js';
import { sortFieldsOf, sortKeyOf } from '../sort-pattern.js';
import type { Evaluate, Vars } from '../types.js';
import {
  AddToSet,
  average,
  extreme,
  first,
  last,
  mergeObjects,
  Push,
  type RunningAccumulator,
  sum,
} from './accumulator.js';
import { countedArguments, extremes, firstN, lastN, positiveCount, top, topN } from './ranked.js';
import { checkMethod, deviation, median, PERCENTILE_CODES, percentile, percentileList } from './statistics.js';

/**
 * A compiled accumulator: `value` computes its input from each document; `start` creates a group's accumulator from the
 * group's `_id` (as a document).
 */
export interface GroupAccumulator {
  input: Evaluate;
  start(id: Doc, vars: Vars): RunningAccumulator;
}

type AccumulatorCompiler = (spec: unknown, compiler: Compiler) => GroupAccumulator;

/** Accumulators over one expression. */
function over(name: string, start: () => RunningAccumulator): AccumulatorCompiler {
  return (spec, compiler) => {
    if (Array.isArray(spec) && spec.length !== 1) fail(40237, `The ${name} accumulator is a unary operator`);
    const { run } = compiler.compile(Array.isArray(spec) ? spec[0] : spec);
    return { input: run, start };
  };
}

/** Accumulators with {input, n}. `n` may depend on the group's `_id` alone. */
function counted(name: string, start: (n: number) => RunningAccumulator): AccumulatorCompiler {
  return (spec, compiler) => {
    const args = namedArguments(name, spec, countedArguments(name));
    const { run } = compiler.compile(args.input);
    return { input: run, start: countedStart(name, args.n, compiler, start) };
  };
}

function countedStart(name: string, n: unknown, compiler: Compiler, start: (n: number) => RunningAccumulator) {
  const count = compiler.compile(n);
  if (count.constant) positiveCount(name, count.run({}, {}));
  return (id: Doc, vars: Vars): RunningAccumulator => start(positiveCount(name, count.run(id, vars)));
}

/** Accumulators with {sortBy, output} and, for some, n. */
function sorted(name: string, sense: 1 | -1, many: boolean): AccumulatorCompiler {
  const required = many ? ['n', 'sortBy', 'output'] : ['sortBy', 'output'];
  return (spec, compiler) => {
    const args = namedArguments(name, spec, {
      required,
      notDocument: 5788001,
      unknown: 5788002,
      missing: { n: 5788003, output: 5788004, sortBy: 5788005 },
    });
    if (!isDocument(args.sortBy))
      fail(5788604, `expected 'sortBy' to already be an object in the arguments to ${name}`);
    const fields = sortFieldsOf(args.sortBy);
    const output = compiler.compile(args.output);
    const input: Evaluate = (doc, vars) => ({ key: sortKeyOf(doc, fields), output: output.run(doc, vars) });
    if (!many) return { input, start: () => top(sense) };
    return { input, start: countedStart(name, args.n, compiler, (n) => topN(n, sense)) };
  };
}

const countAccumulator: AccumulatorCompiler = (spec) => {
  if (!isDocument(spec) || Object.keys(spec).length > 0) {
    fail('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
  }
  return { input: () => int(1), start: sum };
};

const percentileAccumulator: AccumulatorCompiler = (spec, compiler) => {
  const args = namedArguments('$percentile', spec, { required: ['input', 'p', 'method'], ...PERCENTILE_CODES });
  checkMethod(args.method);
  const p = compiler.compile(args.p);
  const list = percentileList(p.run({}, {}));
  return { input: compiler.compile(args.input).run, start: () => percentile(list) };
};

const medianAccumulator: AccumulatorCompiler = (spec, compiler) => {
  const args = namedArguments('$median', spec, { required: ['input', 'method'], ...PERCENTILE_CODES });
  checkMethod(args.method);
  return { input: compiler.compile(args.input).run, start: median };
};

/** The accumulators, in alphabetic order. */
const ACCUMULATORS: ReadonlyMap<string, AccumulatorCompiler> = new Map([
  ['$addToSet', over('$addToSet', () => new AddToSet())],
  ['$avg', over('$avg', average)],
  ['$bottom', sorted('$bottom', -1, false)],
  ['$bottomN', sorted('$bottomN', -1, true)],
  ['$count', countAccumulator],
  ['$first', over('$first', first)],
  ['$firstN', counted('$firstN', firstN)],
  ['$last', over('$last', last)],
  ['$lastN', counted('$lastN', lastN)],
  ['$max', over('$max', () => extreme(1))],
  ['$maxN', counted('$maxN', (n) => extremes(n, -1))],
  ['$median', medianAccumulator],
  ['$mergeObjects', over('$mergeObjects', mergeObjects)],
  ['$min', over('$min', () => extreme(-1))],
  ['$minN', counted('$minN', (n) => extremes(n, 1))],
  ['$percentile', percentileAccumulator],
  ['$push', over('$push', () => new Push())],
  ['$stdDevPop', over('$stdDevPop', () => deviation(1))],
  ['$stdDevSamp', over('$stdDevSamp', () => deviation(2))],
  ['$sum', over('$sum', sum)],
  ['$top', sorted('$top', 1, false)],
  ['$topN', sorted('$topN', 1, true)],
]);

/** Compiles one field of `$group`: {<field>: {<accumulator>: <spec>}}. Errors: 40234–40238, 15952 for an unknown accumulator. */
export function compileAccumulator(field: string, value: unknown, compiler: Compiler): GroupAccumulator {
  if (field.includes('.')) fail(40235, `The field name '${field}' cannot contain '.'`);
  if (field.startsWith('$')) fail(40236, `The field name '${field}' cannot be an operator name`);
  if (!isDocument(value)) return fail(40234, `The field '${field}' must be an accumulator object`);
  const names = Object.keys(value);
  const name = names[0] ?? '';
  if (names.length !== 1) fail(40238, `The field '${field}' must specify one accumulator`);
  const accumulator = ACCUMULATORS.get(name);
  if (accumulator) return accumulator(value[name], compiler);
  if (name === '$accumulator') fail('NotImplemented', 'The accumulator $accumulator is not supported by this store');
  return fail(15952, `unknown group operator '${name}'`);
}
