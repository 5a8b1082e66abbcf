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
  encodePrefix,
  MAX_KEY_BYTES,
  valueKey,
} from '../../../src/engine/bson/sort-key.js';
import { numbers, values } from './values.js';

const direction = fc.constantFrom<Direction>(1, -1);
const fieldsOf = (...directions: Direction[]) => directions.map((each) => ({ direction: each }));

const forms = fc.boolean().map((packed) => ({ limit: MAX_KEY_BYTES, packed }));

describe('keys', () => {
  it('keys sort as the values do, ascending and descending', () => {
    fc.assert(
      fc.property(values, values, direction, forms, (a, b, way, form) => {
        const order = Buffer.compare(encodeKey([a], [way], form), encodeKey([b], [way], form));
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
      fc.property(
        ...([fc.tuple(values, values), fc.tuple(values, values), fc.tuple(direction, direction), forms] as const),
        (a, b, ways, form) => {
          const expected = compareValues(a[0], b[0]) * ways[0] || compareValues(a[1], b[1]) * ways[1];
          expect(Buffer.compare(encodeKey(a, ways, form), encodeKey(b, ways, form)) + 0).toBe(expected + 0);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('the key of an empty array, which is that of undefined, comes before null', () => {
    expect(Buffer.compare(encodeKey([undefined], [1]), encodeKey([null], [1]))).toBe(-1);
  });

  it('a key over some of the fields is a prefix of the key over all', () => {
    fc.assert(
      fc.property(values, values, forms, (a, b, form) => {
        const part = encodeKey([a], [1, -1], form);
        expect(encodeKey([a, b], [1, -1], form).subarray(0, part.length)).toEqual(part);
      }),
    );
  });
});

/** Texts with and without runs of hexadecimal digits, and neighbours of these. */
const texts = fc
  .array(
    fc.oneof(
      ...[fc.uuid(), fc.constantFrom('-', '0', 'f', 'g', '/', ':', '`', '\0', '\x01', '\x7f', 'é', '😀', ' ')],
      ...[fc.string({ maxLength: 3 })],
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 8 }),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));

describe('packed texts', () => {
  const PACKED = { limit: MAX_KEY_BYTES, packed: true };
  const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

  it('texts sort by their UTF-8 bytes, also where they begin alike', () => {
    fc.assert(
      fc.property(texts, texts, texts, direction, (start, a, b, way) => {
        const [one, other] = [start + a, start + b];
        const order = Buffer.compare(encodeKey([one, 7], [way, 1], PACKED), encodeKey([other, 7], [way, 1], PACKED));
        expect(order + 0).toBe(inBytes(one, other) * way + 0);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    ['a UUID', '1a9c9bd8-b14b-409a-b89f-5bdb88459ed2', 24],
    ['a hash', 'ecfb765e0363e7447b74519512c3f7e177e8cf4cb6f254cf824530c7700f23a6', 38],
    ['a name and a UUID', 'partner:72d32a1d-2260-4b12-9d5a-9cfaab460e6c', 33],
    ['other text, which is not longer', 'did:core:id:testnet:4P7wptpggeaLbFLjk4fewWQzQXghTvRZJeeiRPS6BG', 64],
  ])('%s takes few bytes', (_, text, most) => {
    expect(encodeKey([text], [1], PACKED).length).toBeLessThanOrEqual(most + 1);
  });

  it('the bytes of a prefix begin the key of every text that begins with it', () => {
    fc.assert(
      fc.property(texts, texts, direction, forms, (start, rest, way, form) => {
        const prefix = encodePrefix(start, 0, [way], form);
        expect(encodeKey([start + rest], [way], form).subarray(0, prefix.length)).toEqual(prefix);
      }),
      { numRuns: 5000 },
    );
  });

  it('long texts have keys within the limit, equal only for equal texts', () => {
    const long = (tail: string) => `${'0123abcx'.repeat(1000)}${tail}`;
    const [one, other] = [long('a'), long('b')].map((text) => encodeKeyInfo([text], fieldsOf(1), PACKED)) as [
      ReturnType<typeof encodeKeyInfo>,
      ReturnType<typeof encodeKeyInfo>,
    ];
    expect([one.truncated, one.key.length <= MAX_KEY_BYTES, one.key.equals(other.key)]).toEqual([true, true, false]);
    const bound = encodeBound(long('a'), 0, [1], PACKED);
    expect([bound.cut, one.key.subarray(0, bound.key.length).equals(bound.key)]).toEqual([true, true]);
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
