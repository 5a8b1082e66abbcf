// $stdDevPop, $stdDevSamp, $percentile and $median: over numbers only, in doubles.
import { Double } from 'bson';
import { toDouble } from '../../bson/numbers.js';
import { type Doc, isNumber } from '../../bson/types.js';
import { fail } from '../../errors.js';
import type { RunningAccumulator } from './accumulator.js';

/** $stdDevPop (least 1) and $stdDevSamp (least 2), by Welford's method; null over fewer numbers. */
export function deviation(least: 1 | 2): RunningAccumulator {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(value) {
      if (!isNumber(value)) return;
      const double = toDouble(value);
      count += 1;
      const delta = double - mean;
      mean += delta / count;
      squares += delta * (double - mean);
    },
    result: () => (count < least ? null : new Double(Math.sqrt(squares / (count - least + 1)))),
    bytes: 0,
  };
}

class Percentiles implements RunningAccumulator {
  readonly #values: number[] = [];
  readonly #finish: (at: (p: number) => unknown) => unknown;
  bytes = 0;

  constructor(finish: (at: (p: number) => unknown) => unknown) {
    this.#finish = finish;
  }

  add(value: unknown): void {
    if (!isNumber(value)) return;
    const double = toDouble(value);
    if (Number.isNaN(double)) return;
    this.#values.push(double);
    this.bytes += 8;
  }

  result(): unknown {
    const sorted = Float64Array.from(this.#values).sort();
    return this.#finish((p) => {
      if (sorted.length === 0) return null;
      const rank = p >= 1 ? sorted.length - 1 : Math.max(0, Math.ceil(sorted.length * p) - 1);
      return new Double(sorted[rank] ?? 0);
    });
  }
}

/** Checks `method`, which can only be "approximate" in MongoDB 7. The results here are exact. */
export function checkMethod(method: unknown): void {
  if (method !== 'approximate') {
    fail('BadValue', "Currently only 'approximate' can be used as percentile 'method'.");
  }
}

/** $percentile's `p`: an array of numbers from 0 to 1. */
export function percentileList(p: unknown): number[] {
  const list =
    Array.isArray(p) && p.length > 0
      ? p
      : fail(7750301, "The $percentile 'p' field must be an array of numbers from [0.0, 1.0]");
  return list.map((each) => {
    const double = isNumber(each) ? toDouble(each) : Number.NaN;
    if (!(double >= 0 && double <= 1)) {
      fail(7750303, "The $percentile 'p' field must be an array of numbers from [0.0, 1.0]");
    }
    return double;
  });
}

/** $percentile: an array with one value for each of `p`, nulls over no numbers. */
export function percentile(p: readonly number[]): RunningAccumulator {
  return new Percentiles((at) => p.map(at));
}

/** $median. */
export function median(): RunningAccumulator {
  return new Percentiles((at) => at(0.5));
}

/** The argument errors that $percentile and $median share. */
export const PERCENTILE_CODES = {
  notDocument: 7436100,
  unknown: 'IDLUnknownField',
  missing: 'IDLFailedToParse',
} as const;

/** The values an expression form collects: an array's elements, or the one value. */
export function operandValues(values: Doc): unknown[] {
  return Array.isArray(values.input) ? values.input : [values.input];
}
