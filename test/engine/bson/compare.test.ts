// The order of BSON values: a table over every pair of types, and the laws that an order must obey.
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareValues, equalValues, identicalValues } from '../../../src/engine/bson/compare.js';
import { values } from './values.js';

/** One row for each group of types, in MongoDB's order; the values inside a row are equal to each other. */
const ORDER: [string, ...unknown[]][] = [
  ['minKey', new MinKey()],
  ['missing', undefined],
  ['null', null],
  ['number', new Int32(5), Long.fromNumber(5), new Double(5), Decimal128.fromString('5.00')],
  ['string', 'a', new BSONSymbol('a')],
  ['object', { a: new Int32(1) }, { a: new Double(1) }],
  ['array', [new Int32(1)], [Long.fromNumber(1)]],
  ['binData', new Binary(Buffer.from([1]))],
  ['objectId', new ObjectId('0'.repeat(24))],
  ['bool', false],
  ['date', new Date(0)],
  ['timestamp', new Timestamp({ t: 0, i: 1 })],
  ['regex', new BSONRegExp('a')],
  ['code', new Code('a')],
  ['code with scope', new Code('a', {})],
  ['maxKey', new MaxKey()],
];

describe('values of different types', () => {
  const pairs = ORDER.flatMap(([left, ...a], i) => ORDER.map(([right, ...b], j) => ({ left, a, i, right, b, j })));
  it.each(pairs)('values of different types are in the order of types: $left and $right', ({ a, i, b, j }) => {
    for (const x of a) for (const y of b) expect(compareValues(x, y)).toBe(Math.sign(i - j));
  });
});

/** Each list is ascending. */
const ASCENDING: [string, unknown[]][] = [
  [
    'numbers, exactly, across types',
    [
      new Double(Number.NaN),
      new Double(Number.NEGATIVE_INFINITY),
      Decimal128.fromString('-1E+6000'),
      Long.MIN_VALUE,
      Decimal128.fromString('-1E-6000'),
      new Double(-0),
      Decimal128.fromString('1E-6000'),
      new Double(Number.MIN_VALUE),
      Decimal128.fromString('0.1'),
      new Double(0.1),
      new Double(2 ** 53),
      Long.fromBigInt(2n ** 53n + 1n),
      Decimal128.fromString('9007199254740993.5'),
      Long.MAX_VALUE,
      new Double(2 ** 63),
      new Double(Number.MAX_VALUE),
      Decimal128.fromString('1E+6000'),
      new Double(Number.POSITIVE_INFINITY),
    ],
  ],
  ['strings by UTF-8 bytes', ['', 'B', 'a', 'a\0', 'aa', 'é', '\ud7ff', '\ue000', '\uffff', '😀']],
  [
    'documents by type, name, value',
    [{}, { b: null }, { a: new Int32(1) }, { a: new Int32(1), b: new Int32(0) }, { b: new Int32(1) }, { a: 'x' }],
  ],
  ['arrays by element, then length', [[], [new Int32(1)], [new Int32(1), new Int32(1)], [new Int32(2)], ['a'], [[]]]],
  [
    'binary by length, subtype, bytes',
    [
      new Binary(Buffer.from([9])),
      new Binary(Buffer.from([0, 1]), 0),
      new Binary(Buffer.from([0, 0]), 4),
      new Binary(Buffer.from([0, 1]), 4),
    ],
  ],
  ['dates before and after 1970', [new Date(-1), new Date(0), new Date(1)]],
  [
    'timestamps unsigned',
    [new Timestamp({ t: 1, i: 9 }), new Timestamp({ t: 2, i: 0 }), new Timestamp({ t: 0xffffffff, i: 0 })],
  ],
  [
    'regular expressions by pattern, then options',
    [new BSONRegExp('a', 'i'), new BSONRegExp('b'), new BSONRegExp('b', 'i')],
  ],
  ['object ids by bytes', [new ObjectId(`7f${'0'.repeat(22)}`), new ObjectId(`80${'0'.repeat(22)}`)]],
];

describe('values of one type', () => {
  it.each(ASCENDING)('values of one type are compared: %s', (_name, list) => {
    list.forEach((a, i) => {
      list.forEach((b, j) => {
        expect(compareValues(a, b), `${i} against ${j}`).toBe(Math.sign(i - j));
      });
    });
  });

  it('decimals spelled differently are equal, fields in another order are not', () => {
    expect(equalValues(Decimal128.fromString('1.0'), Decimal128.fromString('1.000'))).toBe(true);
    expect(equalValues(new Double(-0), new Int32(0))).toBe(true);
    expect(equalValues({ a: new Int32(1), b: new Int32(2) }, { b: new Int32(2), a: new Int32(1) })).toBe(false);
  });

  it('a value whose type alone changes counts as changed', () => {
    expect(identicalValues(new Int32(1), new Double(1))).toBe(false);
    expect(identicalValues({ a: [new Double(0)] }, { a: [new Double(-0)] })).toBe(false);
    expect(identicalValues({ a: [Long.ONE] }, { a: [Long.ONE] })).toBe(true);
  });
});

describe('the order as a whole', () => {
  it('the order of values is antisymmetric and transitive for any three values', () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        expect(compareValues(a, b) + compareValues(b, a)).toBe(0);
        const [x, y, z] = [a, b, c].sort(compareValues);
        expect(compareValues(x, y)).toBeLessThanOrEqual(0);
        expect(compareValues(y, z)).toBeLessThanOrEqual(0);
        expect(compareValues(x, z)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});
