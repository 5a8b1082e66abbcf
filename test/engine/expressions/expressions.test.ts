// The result of each operator, its type, and its treatment of null and missing fields: tables of (expression, expected, document).
import { Decimal128, Double, Int32, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { evaluate, fields, fromWire, NOW, shown } from '../aggregate/support.js';

const dec = (text: string) => Decimal128.fromString(text);
const long = (value: number | string) => Long.fromString(String(value));
const dbl = (value: number) => new Double(value);
const MISSING = undefined;
const date = (text: string) => new Date(text);

type Row = [expression: unknown, expected: unknown, doc?: Record<string, unknown>];

const ARITHMETIC: Row[] = [
  [{ $add: [1, 2] }, 3],
  [{ $add: [2147483647, 1] }, long(2147483648)],
  [{ $add: [long('9223372036854775807'), 1] }, dbl(2 ** 63)],
  [{ $add: [1, dbl(2)] }, dbl(3)],
  [{ $add: [dec('0.1'), dec('0.2')] }, dec('0.3')],
  [{ $add: [1, null] }, null],
  [{ $add: ['$a', 1] }, null],
  [{ $add: [] }, 0],
  [{ $add: [date('2020-01-01T00:00:00Z'), 1000] }, date('2020-01-01T00:00:01Z')],
  [{ $add: [date('2020-01-01T00:00:00Z'), 1.5] }, date('2020-01-01T00:00:00.002Z')],
  [{ $subtract: [5, 7] }, -2],
  [{ $subtract: [date('2020-01-02'), date('2020-01-01')] }, long(86400000)],
  [{ $subtract: [date('2020-01-02'), 86400000] }, date('2020-01-01')],
  [{ $subtract: ['$a', 1] }, null],
  [{ $multiply: [2, 3.5] }, dbl(7)],
  [{ $multiply: [65536, 65536] }, long(4294967296)],
  [{ $multiply: [dec('1.10'), 2] }, dec('2.20')],
  [{ $divide: [6, 3] }, dbl(2)],
  [{ $divide: [dec('1'), 3] }, dec('0.3333333333333333333333333333333333')],
  [{ $divide: [1, null] }, null],
  [{ $mod: [7, 3] }, 1],
  [{ $mod: [-7, 3] }, -1],
  [{ $mod: [7.5, 2] }, dbl(1.5)],
  [{ $mod: [7, dbl(4)] }, 3],
  [{ $mod: [7, 1.5] }, dbl(1)],
  [{ $pow: [2, 10] }, 1024],
  [{ $pow: [2, 31] }, long(2147483648)],
  [{ $pow: [2, 64] }, dbl(18446744073709552000)],
  [{ $pow: [2, -1] }, dbl(0.5)],
  [{ $pow: [-1, -3] }, -1],
  [{ $pow: [dec('1.1'), 2] }, dec('1.21')],
  [{ $sqrt: 16 }, dbl(4)],
  [{ $sqrt: dec('2') }, dec('1.414213562373095048801688724209698')],
  [{ $sqrt: dec('100') }, dec('10')],
  [{ $abs: -5 }, 5],
  [{ $abs: long(-5) }, long(5)],
  [{ $abs: -2147483648 }, long(2147483648)],
  [{ $abs: dec('-1.50') }, dec('1.50')],
  [{ $ceil: 1.2 }, dbl(2)],
  [{ $ceil: dec('-1.2') }, dec('-1')],
  [{ $ceil: 3 }, 3],
  [{ $floor: -1.2 }, dbl(-2)],
  [{ $floor: null }, null],
  [{ $round: 2.5 }, dbl(2)],
  [{ $round: 3.5 }, dbl(4)],
  [{ $round: [1.25, 1] }, dbl(1.2)],
  [{ $round: [19.25, 1] }, dbl(19.2)],
  [{ $round: [1234, -2] }, 1200],
  [{ $round: [1250, -2] }, 1200],
  [{ $round: [dec('1.2350'), 2] }, dec('1.24')],
  [{ $round: [dec('1.2'), 3] }, dec('1.200')],
  [{ $round: [dec('1.298'), 100] }, dec(`1.298${'0'.repeat(30)}`)],
  [{ $trunc: [dec('1.298'), dec('100')] }, dec(`1.298${'0'.repeat(30)}`)],
  [{ $round: [dec('-123.45'), 34] }, dec(`-123.45${'0'.repeat(29)}`)],
  [{ $trunc: [dec(`0.${'1'.repeat(34)}`), 50] }, dec(`0.${'1'.repeat(34)}`)],
  [{ $floor: dec('1E+2') }, dec('100')],
  [{ $trunc: [7.89, 1] }, dbl(7.8)],
  [{ $trunc: -7.9 }, dbl(-7)],
  [{ $trunc: [1289, -2] }, 1200],
  [{ $round: ['$a', 1] }, null],
  [{ $exp: 0 }, dbl(1)],
  [{ $ln: 1 }, dbl(0)],
  [{ $log10: 1000 }, dbl(3)],
  [{ $log: [8, 2] }, dbl(3)],
  [{ $sin: 0 }, dbl(0)],
  [{ $degreesToRadians: dec('180') }, dec('3.141592653589793238462643383279503')],
  [{ $atan2: [0, 1] }, dbl(0)],
  [{ $bitAnd: [12, 10] }, 8],
  [{ $bitOr: [12, long(3)] }, long(15)],
  [{ $bitXor: [12, 10] }, 6],
  [{ $bitNot: 5 }, -6],
  [{ $bitAnd: [] }, -1],
  [{ $bitOr: [1, null] }, null],
];

const LOGIC: Row[] = [
  [{ $eq: [1, dbl(1)] }, true],
  [{ $eq: ['$a', null] }, false],
  [{ $lt: ['$a', null] }, true],
  [{ $cmp: [1, 'a'] }, -1],
  [{ $cmp: [dec('2'), long(1)] }, 1],
  [{ $gt: [{ a: 1 }, { a: 0 }] }, true],
  [{ $and: [] }, true],
  [{ $or: [] }, false],
  [{ $and: [1, 'x', {}] }, true],
  [{ $and: [1, 0] }, false],
  [{ $or: [null, '$a', dec('0')] }, false],
  [{ $not: [0] }, true],
  [{ $not: '' }, false],
  [{ $cond: [true, 1, 2] }, 1],
  [{ $cond: fields(['if', '$a'], ['then', 1], ['else', '$b']) }, 'b', { b: 'b' }],
  [{ $cond: [false, { $divide: [1, 0] }, 7] }, 7],
  [{ $ifNull: ['$a', '$b', 'c'] }, 'c', { a: null }],
  [{ $ifNull: ['$a', '$b'] }, MISSING],
  [
    { $switch: { branches: [fields(['case', { $eq: ['$a', 1] }], ['then', 'one'])], default: 'other' } },
    'one',
    { a: 1 },
  ],
  [{ $switch: { branches: [fields(['case', false], ['then', 1])], default: 'other' } }, 'other'],
  [{ $let: { vars: { x: 2, y: '$a' }, in: { $multiply: ['$$x', '$$y'] } } }, 6, { a: 3 }],
  [{ $let: { vars: { CURRENT: '$a' }, in: '$b' } }, 1, { a: { b: 1 } }],
  [{ $literal: { $add: [1, 2] } }, { $add: [1, 2] }],
  ['$$NOW', NOW],
  [{ a: '$$REMOVE', b: 1 }, { b: 1 }],
  [
    ['$a', 1],
    [null, 1],
  ],
  ['$$ROOT.a', 1, { a: 1 }],
];

const PATHS: Row[] = [
  ['$a.b', 1, { a: { b: 1 } }],
  ['$a.b', [1, 2], { a: [{ b: 1 }, {}, 5, { b: 2 }] }],
  ['$a.b', [], { a: [1, 2] }],
  ['$a.b', [], { a: [[{ b: 1 }]] }],
  ['$a.b.c', [[1, 2], 3], { a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: { c: 3 } }] }],
  ['$a.0', [], { a: [1] }],
  ['$a.b', MISSING, { a: 1 }],
  ['$a', null, { a: null }],
  ['$constructor', MISSING],
  ['$__proto__.x', MISSING],
];

const ARRAYS: Row[] = [
  [{ $arrayElemAt: [[1, 2, 3], -1] }, 3],
  [{ $arrayElemAt: [[1, 2, 3], 3] }, MISSING],
  [{ $arrayElemAt: [[1, 2, 3], dbl(1)] }, 2],
  [{ $arrayElemAt: ['$a', 0] }, null],
  [{ $first: [[1, 2]] }, 1],
  [{ $last: '$a' }, 3, { a: [1, 2, 3] }],
  [{ $first: '$a' }, null],
  [{ $first: '$a' }, MISSING, { a: [] }],
  [{ $concatArrays: [[1], [2, 3]] }, [1, 2, 3]],
  [{ $concatArrays: [[1], '$a'] }, null],
  [{ $filter: { input: [1, 2, 3, 4], cond: { $gt: ['$$this', 1] }, limit: 2 } }, [2, 3]],
  [{ $filter: { input: '$a', as: 'x', cond: { $eq: ['$$x.b', 1] } } }, [{ b: 1 }], { a: [{ b: 1 }, { b: 2 }] }],
  [{ $filter: { input: null, cond: true } }, null],
  [{ $map: { input: [1, 2], as: 'n', in: { $add: ['$$n', 1] } } }, [2, 3]],
  [{ $map: { input: [{}, { a: 1 }], in: '$$this.a' } }, [null, 1]],
  [{ $reduce: { input: ['a', 'b'], initialValue: '', in: { $concat: ['$$value', '$$this'] } } }, 'ab'],
  [{ $reduce: { input: '$a', initialValue: 1, in: 2 } }, null],
  [{ $in: [dbl(1), [1, 2]] }, true],
  [{ $in: [/a/, ['a']] }, false],
  [{ $indexOfArray: [['a', 'b', 'a'], 'a', 1] }, 2],
  [{ $indexOfArray: [['a', 'b'], 'c'] }, -1],
  [{ $indexOfArray: [null, 'c'] }, null],
  [{ $isArray: '$a' }, true, { a: [] }],
  [{ $isArray: ['a'] }, false],
  [{ $range: [0, 5, 2] }, [0, 2, 4]],
  [{ $range: [5, 0, -2] }, [5, 3, 1]],
  [{ $reverseArray: [[1, 2]] }, [2, 1]],
  [{ $size: [[1, 2]] }, 2],
  [{ $slice: [[1, 2, 3], 2] }, [1, 2]],
  [{ $slice: [[1, 2, 3], -2] }, [2, 3]],
  [{ $slice: [[1, 2, 3], 1, 1] }, [2]],
  [{ $slice: [[1, 2, 3], -5, 2] }, [1, 2]],
  [{ $sortArray: { input: [3, 'a', 1], sortBy: 1 } }, [1, 3, 'a']],
  [{ $sortArray: { input: [{ a: 1 }, { a: 2 }], sortBy: { a: -1 } } }, [{ a: 2 }, { a: 1 }]],
  [{ $sortArray: { input: [{ a: [9, 1] }, { a: 2 }], sortBy: { a: 1 } } }, [{ a: 2 }, { a: [9, 1] }]],
  [{ $zip: { inputs: [[1, 2], ['a']] } }, [[1, 'a']]],
  [
    { $zip: { inputs: [[1, 2], ['a']], useLongestLength: true, defaults: [0, 'z'] } },
    [
      [1, 'a'],
      [2, 'z'],
    ],
  ],
  [{ $zip: { inputs: [[1], null] } }, null],
  [{ $firstN: { n: 2, input: [1, 2, 3] } }, [1, 2]],
  [{ $lastN: { n: 2, input: [1, 2, 3] } }, [2, 3]],
  [{ $maxN: { n: 2, input: [1, null, 3, 2] } }, [3, 2]],
  [{ $minN: { n: 2, input: [3, null, 1, 2] } }, [1, 2]],
  [
    {
      $arrayToObject: [
        [
          ['a', 1],
          ['b', 2],
        ],
      ],
    },
    { a: 1, b: 2 },
  ],
  [{ $arrayToObject: [[{ k: 'a', v: 1 }]] }, { a: 1 }],
  [{ $objectToArray: { a: 1 } }, [{ k: 'a', v: 1 }]],
  [{ $objectToArray: '$a' }, null],
  [
    {
      $setUnion: [
        [1, 2],
        [dbl(2), 3],
      ],
    },
    [1, 2, 3],
  ],
  [
    {
      $setIntersection: [
        [3, 1, 2],
        [2, 3],
      ],
    },
    [2, 3],
  ],
  [{ $setDifference: [[1, 2, 2, 3], [3]] }, [1, 2]],
  [
    {
      $setEquals: [
        [1, 2],
        [2, 1, 1],
      ],
    },
    true,
  ],
  [{ $setIsSubset: [[1], [1, 2]] }, true],
  [{ $setUnion: [[1], null] }, null],
  [{ $allElementsTrue: [[true, 1]] }, true],
  [{ $anyElementTrue: [[false, 0, null]] }, false],
];

const STRINGS: Row[] = [
  [{ $concat: ['a', 'b'] }, 'ab'],
  [{ $concat: ['a', '$a'] }, null],
  [{ $split: ['a-b-c', '-'] }, ['a', 'b', 'c']],
  [{ $strLenCP: 'é😀' }, 2],
  [{ $strLenBytes: 'é😀' }, 6],
  [{ $substrCP: ['é😀x', 1, 1] }, '😀'],
  [{ $substrBytes: ['éx', 2, -1] }, 'x'],
  [{ $substr: ['hello', 1, 3] }, 'ell'],
  [{ $substrCP: [null, 0, 1] }, ''],
  [{ $substrBytes: [123, 0, 2] }, '12'],
  [{ $toUpper: 'aé' }, 'Aé'],
  [{ $toLower: 'AÉ' }, 'aÉ'],
  [{ $toUpper: '$a' }, ''],
  [{ $toLower: dbl(1.5) }, '1.5'],
  [{ $trim: { input: '  a ' } }, 'a'],
  [{ $ltrim: { input: 'xxaxx', chars: 'x' } }, 'axx'],
  [{ $rtrim: { input: 'xxaxx', chars: 'x' } }, 'xxa'],
  [{ $trim: { input: null } }, null],
  [{ $replaceOne: { input: 'aXaX', find: 'X', replacement: { $literal: '$&' } } }, 'a$&aX'],
  [{ $replaceAll: { input: 'aXaX', find: 'X', replacement: 'b' } }, 'abab'],
  [{ $replaceAll: { input: '$a', find: 'X', replacement: 'b' } }, null],
  [{ $indexOfCP: ['é😀x', 'x'] }, 2],
  [{ $indexOfBytes: ['éx', 'x'] }, 2],
  [{ $indexOfCP: ['abc', 'c', 0, 2] }, -1],
  [{ $indexOfCP: [null, 'c'] }, null],
  [{ $indexOfCP: ['abc', 'bc', 0, 2] }, 1],
  [{ $indexOfBytes: ['abc', 'bc', 0, 2] }, -1],
  [{ $indexOfCP: ['abc', '', 3] }, -1],
  [{ $indexOfCP: ['', ''] }, 0],
  [{ $strcasecmp: ['A', 'b'] }, -1],
  [{ $regexMatch: { input: 'Hello', regex: 'h', options: 'i' } }, true],
  [{ $regexMatch: { input: null, regex: 'h' } }, false],
  [{ $regexFind: { input: 'é-ab', regex: '(a)(x)?' } }, { match: 'a', idx: 2, captures: ['a', null] }],
  [{ $regexFind: { input: 'b', regex: /a/ } }, null],
  [{ $regexFindAll: { input: 'aa', regex: 'a*' } }, [{ match: 'aa', idx: 0, captures: [] }]],
  [
    { $regexFindAll: { input: 'abab', regex: 'b' } },
    [
      { match: 'b', idx: 1, captures: [] },
      { match: 'b', idx: 3, captures: [] },
    ],
  ],
];

function check(rows: Row[]): void {
  it.each(
    rows.map(([expression, expected, doc]) => ({ text: shown(expression).slice(9, -1), expression, expected, doc })),
  )('an expression has the right value: $text', ({ expression, expected, doc }) => {
    expect(shown(evaluate(expression, doc))).toBe(shown(expected === undefined ? undefined : fromWire(expected)));
  });
}

describe('arithmetic keeps and promotes types', () => check(ARITHMETIC));
describe('logic, branches and variables', () => check(LOGIC));
describe('field paths', () => check(PATHS));
describe('arrays and sets', () => check(ARRAYS));
describe('strings', () => check(STRINGS));

describe('constants', () => {
  it('a constant expression does not hide that an operand is an int', () => {
    expect(evaluate({ $add: [1, 2] })).toBeInstanceOf(Int32);
  });
});
