// What an accumulator is, and those over one value: $sum, $avg, $min, $max, $first, $last, $push, $addToSet, $mergeObjects.
import { compareValues } from '../../bson/compare.js';
import { roughSize } from '../../bson/rough-size.js';
import { valueKey } from '../../bson/sort-key.js';
import { type Doc, isDocument, setOwn, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { nullish } from '../operator.js';
import { RunningTotal } from './sum.js';

/** Collects values of one group (or one array). */
export interface RunningAccumulator {
  add(value: unknown): void;
  /** The current result; undefined counts as null in `$group`. */
  result(): unknown;
  /** The approximate size of the collected values, in bytes; 0 for accumulators of constant size. */
  readonly bytes: number;
}

/** $sum. */
export function sum(): RunningAccumulator {
  const total = new RunningTotal();
  return { add: (value) => total.add(value), result: () => total.result(), bytes: 0 };
}

/** $avg. */
export function average(): RunningAccumulator {
  const total = new RunningTotal();
  return { add: (value) => total.add(value), result: () => total.mean(), bytes: 0 };
}

/** $min (sense -1) and $max (sense 1): null and missing values are ignored. */
export function extreme(sense: 1 | -1): RunningAccumulator {
  let best: unknown = null;
  return {
    add(value) {
      if (!nullish(value) && (best === null || compareValues(value, best) * sense > 0)) best = value;
    },
    result: () => best,
    bytes: 0,
  };
}

/** $first. */
export function first(): RunningAccumulator {
  let result: unknown;
  let any = false;
  return {
    add(value) {
      if (!any) result = value;
      any = true;
    },
    result: () => result,
    bytes: 0,
  };
}

/** $last. */
export function last(): RunningAccumulator {
  let result: unknown;
  return {
    add(value) {
      result = value;
    },
    result: () => result,
    bytes: 0,
  };
}

/** $push: missing values are left out. */
export class Push implements RunningAccumulator {
  readonly #values: unknown[] = [];
  bytes = 0;

  add(value: unknown): void {
    if (value === undefined) return;
    this.#values.push(value);
    this.bytes += roughSize(value);
  }

  result(): unknown {
    return this.#values;
  }
}

/** $addToSet: equal values once, in order of arrival. */
export class AddToSet implements RunningAccumulator {
  readonly #values = new Map<string, unknown>();
  bytes = 0;

  add(value: unknown): void {
    if (value === undefined) return;
    const key = valueKey(value);
    if (this.#values.has(key)) return;
    this.#values.set(key, value);
    this.bytes += roughSize(value) + key.length;
  }

  result(): unknown {
    return [...this.#values.values()];
  }
}

/** $mergeObjects: later fields replace earlier ones, null is ignored. */
export function mergeObjects(): RunningAccumulator {
  const merged: Doc = {};
  return {
    add(value) {
      if (nullish(value)) return;
      if (!isDocument(value)) {
        fail(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`);
      }
      for (const name of Object.keys(value)) setOwn(merged, name, value[name]);
    },
    result: () => merged,
    bytes: 0,
  };
}
