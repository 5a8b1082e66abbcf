// Rows are decoded as the driver decodes them, whatever they contain.
import { isDeepStrictEqual } from 'node:util';
import { Binary, BSONRegExp, Decimal128, type Document, deserialize, Long, ObjectId, serialize, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRow } from '../../src/store/stored-rows.js';

const usual = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.constantFrom(new Date(0), new Date(-1), new Date(8.64e15), new Date(-8.64e15)),
);
const rare = fc.constantFrom<unknown>(
  new ObjectId('0123456789abcdef01234567'),
  Long.fromString('9223372036854775807'),
  Long.fromNumber(5),
  Decimal128.fromString('1.50'),
  new Binary(Buffer.from('bytes')),
  new Timestamp({ t: 1, i: 2 }),
  /a/i,
  new BSONRegExp('b', 'x'),
);
const name = fc.oneof(
  fc.constantFrom('_id', 'name', 'constructor', '__proto__', '$ref', '$id', 'x'.repeat(40), 'é', ''),
  fc.string({ unit: 'grapheme-ascii' }).filter((text) => !text.includes('\0')),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: usual },
    { weight: 1, arbitrary: rare },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 2, arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 5 }) },
  ),
}));
const row = fc.dictionary(name, value, { maxKeys: 6 }) as fc.Arbitrary<Document>;

/** The result of a decoder, or that it refuses the bytes. */
function outcome(decode: (bytes: Uint8Array) => object, bytes: Uint8Array): unknown {
  try {
    return decode(bytes);
  } catch {
    return 'refused';
  }
}

describe('a row of the store', () => {
  it('a row of the store is decoded as by the driver', () => {
    fc.assert(
      fc.property(row, (each) => {
        const bytes = serialize(each);
        expect(isDeepStrictEqual(decodeRow(bytes), deserialize(bytes))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('a row that is cut, or has bytes after its end, is refused', () => {
    const bytes = serialize({ _id: 'a', list: [1, { b: 'text' }], at: new Date(5) });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeRow(bytes.subarray(0, length))).toThrow();
    }
    expect(() => decodeRow(Buffer.concat([bytes, Buffer.from([0])]))).toThrow();
  });

  it('a row with a text that is not UTF-8 is refused', () => {
    const bytes = Buffer.from(serialize({ name: 'abcdef' }));
    bytes[bytes.indexOf('cd')] = 0xff;
    expect(outcome(deserialize, bytes)).toBe('refused');
    expect(outcome(decodeRow, bytes)).toBe('refused');
  });
});
