// Accumulators used as expressions: over their arguments, or over the one array that is their argument.
import { fail } from '../errors.js';
import { average, extreme, type RunningAccumulator, sum } from './accumulators/accumulator.js';
import {
  checkMethod,
  deviation,
  median,
  operandValues,
  PERCENTILE_CODES,
  percentile,
  percentileList,
} from './accumulators/statistics.js';
import { type ExpressionOperator, listOperator, namedArguments, type OperatorTable } from './operator.js';

function total(name: string, start: () => RunningAccumulator): ExpressionOperator {
  return listOperator(name, [0, Number.MAX_SAFE_INTEGER], (values) => {
    const list = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
    const state = start();
    for (const value of list) state.add(value);
    return state.result();
  });
}

/** $percentile and $median: `p` and `method` are constants. */
function quantile(name: string, required: string[], start: (p: number[]) => RunningAccumulator): ExpressionOperator {
  return (operand, compiler) => {
    const args = namedArguments(name, operand, { required, ...PERCENTILE_CODES });
    checkMethod(args.method);
    const p = compiler.compile(args.p ?? []);
    if (!p.constant) fail(7750300, `The ${name} 'p' field must be constant`);
    const list = args.p === undefined ? [] : percentileList(p.run({}, {}));
    const input = compiler.compile(args.input);
    return {
      run: (doc, vars) => {
        const state = start(list);
        for (const value of operandValues({ input: input.run(doc, vars) })) state.add(value);
        return state.result();
      },
      constant: false,
    };
  };
}

/** Totals of arrays. */
export const TOTALS: OperatorTable = {
  $avg: total('$avg', average),
  $max: total('$max', () => extreme(1)),
  $median: quantile('$median', ['input', 'method'], median),
  $min: total('$min', () => extreme(-1)),
  $percentile: quantile('$percentile', ['input', 'p', 'method'], percentile),
  $stdDevPop: total('$stdDevPop', () => deviation(1)),
  $stdDevSamp: total('$stdDevSamp', () => deviation(2)),
  $sum: total('$sum', sum),
};
