// Accumulators that keep n values: $firstN, $lastN, $minN, $maxN, and, by a sort pattern, $top, $bottom, $topN and $bottomN.
import { compareValues } from '../../bson/compare.js';
import { integralValue } from '../../bson/numbers.js';
import { roughSize } from '../../bson/rough-size.js';
import { isNumber } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { type NamedArguments, nullish } from '../operator.js';
import type { RunningAccumulator } from './accumulator.js';

/** `n` as a positive integer: 5787902 if it is not a number, 5787903 if it has a fraction, 5787908 if it is not above zero. */
export function positiveCount(name: string, value: unknown): number {
  const message = `Value for 'n' must be of integral type, but found ${String(value)} in ${name}`;
  if (!isNumber(value)) return fail(5787902, message);
  const whole = integralValue(value) ?? fail(5787903, message);
  if (whole <= 0n) fail(5787908, `'n' must be greater than 0, found ${whole}`);
  return Number(whole);
}

/** The arguments of `$firstN` and its relatives, with the codes of their errors. */
export function countedArguments(name: string): NamedArguments {
  const extremes = name === '$minN' || name === '$maxN';
  return {
    required: ['n', 'input'],
    notDocument: extremes ? 5787900 : 5787801,
    unknown: 5787901,
    missing: { n: 5787906, input: 5787907 },
  };
}

/** Keeps the `most` smallest values by `compare`; equal ones in order of arrival. */
export class Ranked<T> implements RunningAccumulator {
  #entries: { value: T; order: number; size: number }[] = [];
  #order = 0;
  bytes = 0;
  readonly #most: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #finish: (values: T[]) => unknown;
  readonly #counts: (value: T) => boolean;

  constructor(
    most: number,
    compare: (a: T, b: T) => number,
    finish: (values: T[]) => unknown,
    counts: (value: T) => boolean = () => true,
  ) {
    this.#most = most;
    this.#compare = compare;
    this.#finish = finish;
    this.#counts = counts;
  }

  add(value: unknown): void {
    if (!this.#counts(value as T)) return;
    const size = roughSize(value);
    this.#entries.push({ value: value as T, order: this.#order++, size });
    this.bytes += size;
    if (this.#entries.length >= 2 * this.#most + 16) this.#shrink();
  }

  #shrink(): void {
    this.#entries.sort((a, b) => this.#compare(a.value, b.value) || a.order - b.order);
    this.#entries = this.#entries.slice(0, this.#most);
    this.bytes = this.#entries.reduce((sum, each) => sum + each.size, 0);
  }

  result(): unknown {
    this.#shrink();
    return this.#finish(this.#entries.map((each) => each.value));
  }
}

/** $minN (sense 1) and $maxN (sense -1): null and missing values are ignored. */
export function extremes(most: number, sense: 1 | -1): RunningAccumulator {
  return new Ranked<unknown>(
    most,
    (a, b) => compareValues(a, b) * sense,
    (values) => values,
    (value) => !nullish(value),
  );
}

/** $firstN: missing values count as null. */
export function firstN(most: number): RunningAccumulator {
  const values: unknown[] = [];
  return {
    bytes: 0,
    add(value) {
      if (values.length < most) values.push(value ?? null);
    },
    result: () => values,
  };
}

/** $lastN. */
export function lastN(most: number): RunningAccumulator {
  let values: unknown[] = [];
  return {
    bytes: 0,
    add(value) {
      values.push(value ?? null);
      if (values.length >= 2 * most + 16) values = values.slice(-most);
    },
    result: () => values.slice(-most),
  };
}

/** What $top and its relatives collect for each document: its sort key, and the output. */
export interface Sorted {
  key: Buffer;
  output: unknown;
}

/** $topN (sense 1) and $bottomN (sense -1); both return them in the pattern's order. */
export function topN(most: number, sense: 1 | -1): RunningAccumulator {
  return new Ranked<Sorted>(
    most,
    (a, b) => Buffer.compare(a.key, b.key) * sense,
    (values) => {
      const outputs = values.map((each) => each.output ?? null);
      return sense === 1 ? outputs : outputs.reverse();
    },
  );
}

/** $top and $bottom: the one value. */
export function top(sense: 1 | -1): RunningAccumulator {
  const inner = topN(1, sense);
  return {
    bytes: 0,
    add: (value) => inner.add(value),
    result: () => (inner.result() as unknown[])[0],
  };
}
