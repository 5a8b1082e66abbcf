// $group and every accumulator: tables of (name, documents, pipeline, expected).
import { Decimal128, Double, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import type { Doc } from '../../../src/engine/bson/types.js';
import { aggregate, fromWire, shown } from './support.js';

const long = (value: number | string) => Long.fromString(String(value));
const dbl = (value: number) => new Double(value);
const dec = (text: string) => Decimal128.fromString(text);

type Row = [name: string, docs: Doc[], stages: Doc[], expected: Doc[]];

const NUMBERS = [{ v: 1 }, { v: dbl(2) }, { v: null }, {}, { v: 'x' }, { v: 3 }];
const SALES = [
  { k: 'a', n: 3, s: 'z' },
  { k: 'b', n: 1, s: 'y' },
  { k: 'a', n: 2, s: 'x' },
];

function one(accumulator: Doc): Doc[] {
  return [{ $group: { _id: null, r: accumulator } }];
}

const GROUPS: Row[] = [
  [
    '1, 1.0 and NumberLong(1) are one group',
    [{ a: 1 }, { a: dbl(1) }, { a: long(1) }, { a: dec('1.0') }],
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ _id: 1, n: 4 }],
  ],
  [
    'missing and null are one group',
    [{}, { a: null }],
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ _id: null, n: 2 }],
  ],
  [
    'missing and null are one group in a document of one field',
    [{}, { a: null }, { a: 1 }],
    [{ $group: { _id: { a: '$a' }, n: { $sum: 1 } } }],
    [
      { _id: { a: null }, n: 2 },
      { _id: { a: 1 }, n: 1 },
    ],
  ],
  [
    'an expression that gives nothing is null in a document of one field',
    [{ a: { b: 1 } }, { a: 5 }, {}],
    [{ $group: { _id: { k: '$a.b' }, n: { $sum: 1 } } }],
    [
      { _id: { k: 1 }, n: 1 },
      { _id: { k: null }, n: 2 },
    ],
  ],
  [
    'missing and null are two groups in a document of several fields',
    [{ b: 1 }, { a: null, b: 1 }],
    [{ $group: { _id: { a: '$a', b: '$b' } } }],
    [{ _id: { b: 1 } }, { _id: { a: null, b: 1 } }],
  ],
  [
    'missing and null are two groups in a document inside the document',
    [{}, { a: null }],
    [{ $group: { _id: { k: { a: '$a' } } } }],
    [{ _id: { k: {} } }, { _id: { k: { a: null } } }],
  ],
  ['an empty document is a constant key', [{}, { a: 1 }], [{ $group: { _id: {} } }], [{ _id: {} }]],
  ['$sum ignores what is no number', NUMBERS, one({ $sum: '$v' }), [{ _id: null, r: dbl(6) }]],
  [
    '$sum of ints grows to long',
    [{ v: 2147483647 }, { v: 1 }],
    one({ $sum: '$v' }),
    [{ _id: null, r: long(2147483648) }],
  ],
  [
    '$sum of longs is exact',
    [{ v: long('9007199254740993') }, { v: 1 }],
    one({ $sum: '$v' }),
    [{ _id: null, r: long('9007199254740994') }],
  ],
  [
    '$sum beyond a long is a double',
    [{ v: long('9223372036854775807') }, { v: 1 }],
    one({ $sum: '$v' }),
    [{ _id: null, r: dbl(2 ** 63) }],
  ],
  [
    '$sum with a decimal is a decimal',
    [{ v: dec('0.1') }, { v: 2 }],
    one({ $sum: '$v' }),
    [{ _id: null, r: dec('2.1') }],
  ],
  [
    '$sum of doubles does not lose small ones',
    [{ v: 1e16 }, { v: 1.5 }, { v: -1e16 }].map(({ v }) => ({ v: dbl(v) })),
    one({ $sum: '$v' }),
    [{ _id: null, r: dbl(1.5) }],
  ],
  ['$sum of nothing is 0', [{}], one({ $sum: '$v' }), [{ _id: null, r: 0 }]],
  ['$avg', NUMBERS, one({ $avg: '$v' }), [{ _id: null, r: dbl(2) }]],
  ['$avg of decimals', [{ v: dec('1') }, { v: 2 }], one({ $avg: '$v' }), [{ _id: null, r: dec('1.5') }]],
  ['$avg of nothing is null', [{}], one({ $avg: '$v' }), [{ _id: null, r: null }]],
  [
    '$min and $max pass over null',
    NUMBERS,
    [{ $group: { _id: null, lo: { $min: '$v' }, hi: { $max: '$v' } } }],
    [{ _id: null, lo: 1, hi: 'x' }],
  ],
  [
    '$first and $last',
    NUMBERS,
    [{ $group: { _id: null, f: { $first: '$v' }, l: { $last: '$v' } } }],
    [{ _id: null, f: 1, l: 3 }],
  ],
  [
    '$push leaves out missing, keeps null',
    NUMBERS,
    one({ $push: '$v' }),
    [{ _id: null, r: [1, dbl(2), null, 'x', 3] }],
  ],
  ['$addToSet', [{ v: 1 }, { v: dbl(1) }, { v: 2 }], one({ $addToSet: '$v' }), [{ _id: null, r: [1, 2] }]],
  [
    '$mergeObjects',
    [{ v: { a: 1 } }, { v: null }, { v: { b: 2 } }],
    one({ $mergeObjects: '$v' }),
    [{ _id: null, r: { a: 1, b: 2 } }],
  ],
  ['$stdDevPop', [{ v: 2 }, { v: 4 }], one({ $stdDevPop: '$v' }), [{ _id: null, r: dbl(1) }]],
  ['$stdDevSamp of one is null', [{ v: 2 }], one({ $stdDevSamp: '$v' }), [{ _id: null, r: null }]],
  ['$count', NUMBERS, one({ $count: {} }), [{ _id: null, r: 6 }]],
  [
    '$firstN counts missing as null',
    NUMBERS,
    one({ $firstN: { input: '$v', n: 4 } }),
    [{ _id: null, r: [1, dbl(2), null, null] }],
  ],
  ['$lastN', NUMBERS, one({ $lastN: { input: '$v', n: 2 } }), [{ _id: null, r: ['x', 3] }]],
  [
    '$minN and $maxN pass over null',
    NUMBERS,
    [{ $group: { _id: null, lo: { $minN: { input: '$v', n: 2 } }, hi: { $maxN: { input: '$v', n: 2 } } } }],
    [{ _id: null, lo: [1, dbl(2)], hi: ['x', 3] }],
  ],
  [
    '$top and $bottom',
    SALES,
    [
      {
        $group: {
          _id: null,
          t: { $top: { sortBy: { n: -1 }, output: '$s' } },
          b: { $bottom: { sortBy: { n: -1 }, output: '$s' } },
        },
      },
    ],
    [{ _id: null, t: 'z', b: 'y' }],
  ],
  [
    '$topN by group',
    SALES,
    [{ $group: { _id: '$k', r: { $topN: { n: 2, sortBy: { n: 1 }, output: ['$n', '$s'] } } } }, { $sort: { _id: 1 } }],
    [
      {
        _id: 'a',
        r: [
          [2, 'x'],
          [3, 'z'],
        ],
      },
      { _id: 'b', r: [[1, 'y']] },
    ],
  ],
  [
    '$bottomN keeps the pattern order',
    SALES,
    one({ $bottomN: { n: 2, sortBy: { n: 1 }, output: '$n' } }),
    [{ _id: null, r: [2, 3] }],
  ],
  [
    'n may depend on the group',
    SALES,
    [{ $group: { _id: { k: '$k' }, r: { $firstN: { input: '$n', n: { $cond: [{ $eq: ['$k', 'a'] }, 1, 5] } } } } }],
    [
      { _id: { k: 'a' }, r: [3] },
      { _id: { k: 'b' }, r: [1] },
    ],
  ],
  [
    '$median and $percentile',
    [{ v: 1 }, { v: 9 }, { v: 5 }],
    [
      {
        $group: {
          _id: null,
          m: { $median: { input: '$v', method: 'approximate' } },
          p: { $percentile: { input: '$v', p: [0, 0.9], method: 'approximate' } },
        },
      },
    ],
    [{ _id: null, m: dbl(5), p: [dbl(1), dbl(9)] }],
  ],
  [
    '$sortByCount',
    SALES,
    [{ $sortByCount: '$k' }],
    [
      { _id: 'a', count: 2 },
      { _id: 'b', count: 1 },
    ],
  ],
  [
    '$bucket',
    [{ n: 1 }, { n: 5 }, { n: 9 }, { n: 50 }],
    [{ $bucket: { groupBy: '$n', boundaries: [0, 5, 10], default: 'rest' } }],
    [
      { _id: 0, count: 1 },
      { _id: 5, count: 2 },
      { _id: 'rest', count: 1 },
    ],
  ],
  [
    '$bucketAuto keeps equal values together',
    [1, 1, 1, 2, 3, 4].map((n) => ({ n })),
    [{ $bucketAuto: { groupBy: '$n', buckets: 3 } }],
    [
      { _id: { min: 1, max: 2 }, count: 3 },
      { _id: { min: 2, max: 4 }, count: 2 },
      { _id: { min: 4, max: 4 }, count: 1 },
    ],
  ],
];

function check(rows: Row[]): void {
  it.each(rows.map(([name, docs, stages, expected]) => ({ name, docs, stages, expected })))(
    '$group: $name',
    async ({ docs, stages, expected }) => {
      expect(shown(await aggregate(docs, stages))).toBe(shown(fromWire(expected)));
    },
  );
}

describe('$group and its accumulators', () => check(GROUPS));
