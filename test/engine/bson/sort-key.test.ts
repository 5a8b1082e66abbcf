// Index keys: their order as bytes is the order of the values, within the limit of their length, and they are equal
// only for equal values.
import { Decimal128, Double, Int32, Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareValues } from '../../../src/engine/bson/compare.js';
import {
  type Direction,
  encodeBound,
  encodeKey,
  encodeKeyInfo,
  MAX_KEY_BYTES,
  valueKey,
} from '../../../src/engine/bson/sort-key.js';
import { numbers, values } from './values.js';

const direction = fc.constantFrom<Direction>(1, -1);
const fieldsOf = (...directions: Direction[]) => directions.map((each) => ({ direction: each }));

describe('keys', () => {
  it('keys sort as the values do, ascending and descending', () => {
    fc.assert(
      fc.property(values, values, direction, (a, b, way) => {
        const order = Buffer.compare(encodeKey([a], [way]), encodeKey([b], [way]));
        expect(order + 0).toBe(compareValues(a, b) * way + 0);
      }),
      { numRuns: 5000 },
    );
  });

  it('keys sort numbers of all types exactly', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(Buffer.compare(encodeKey([a], [1]), encodeKey([b], [1]))).toBe(compareValues(a, b));
      }),
      { numRuns: 10_000 },
    );
  });

  it('keys sort compound values field by field', () => {
    fc.assert(
      fc.property(fc.tuple(values, values), fc.tuple(values, values), fc.tuple(direction, direction), (a, b, ways) => {
        const expected = compareValues(a[0], b[0]) * ways[0] || compareValues(a[1], b[1]) * ways[1];
        expect(Buffer.compare(encodeKey(a, ways), encodeKey(b, ways)) + 0).toBe(expected + 0);
      }),
      { numRuns: 5000 },
    );
  });

  it('the key of an empty array, which is that of undefined, comes before null', () => {
    expect(Buffer.compare(encodeKey([undefined], [1]), encodeKey([null], [1]))).toBe(-1);
  });

  it('a key over some of the fields is a prefix of the key over all', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const part = encodeKey([a], [1, -1]);
        expect(encodeKey([a, b], [1, -1]).subarray(0, part.length)).toEqual(part);
      }),
    );
  });
});

describe('long values', () => {
  const long = (tail: string) => 'x'.repeat(5000) + tail;

  it('keys of long values stay within the limit and report that they were cut', () => {
    const { key, truncated } = encodeKeyInfo([long('a'), long('b'), 'c'], fieldsOf(1, -1, 1));
    expect(key.length).toBeLessThanOrEqual(MAX_KEY_BYTES);
    expect(truncated).toBe(true);
    expect(encodeKeyInfo(['short'], fieldsOf(1)).truncated).toBe(false);
  });

  it('keys of long values are equal exactly when the values are', () => {
    expect(encodeKey([long('a')], [1])).toEqual(encodeKey([long('a')], [1]));
    expect(encodeKey([long('a')], [1])).not.toEqual(encodeKey([long('b')], [1]));
  });

  it('the bound of a long value is a prefix of its key, so a range from it finds the key', () => {
    for (const way of [1, -1] as const) {
      const bound = encodeBound(long('a'), 0, [way]);
      expect(bound.cut).toBe(true);
      expect(encodeKey([long('b')], [way]).subarray(0, bound.key.length)).toEqual(bound.key);
    }
    expect(encodeBound('a', 0, [1])).toEqual({ key: encodeKey(['a'], [1]), cut: false });
  });
});

describe('value keys for grouping', () => {
  it('value keys for grouping are equal across number types and differ for missing and null', () => {
    const fives = [new Int32(5), Long.fromNumber(5), new Double(5), Decimal128.fromString('5.0')];
    expect(new Set(fives.map(valueKey)).size).toBe(1);
    expect(valueKey(undefined)).not.toBe(valueKey(null));
  });
});
