// What each operator gives, its types and its treatment of null and missing: tables of (expression, expected, document).
import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, it } from 'vitest';
import { evaluate, fields, fromWire, NOW, shown } from './support.js';

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

const OID = new ObjectId('65e07a80f1a2b3c4d5e6f708');

const TYPES: Row[] = [
  [{ $type: '$a' }, 'missing'],
  [{ $type: long(1) }, 'long'],
  [{ $type: [[]] }, 'array'],
  [{ $isNumber: dec('1') }, true],
  [{ $toInt: '12' }, 12],
  [{ $toInt: 1.9 }, 1],
  [{ $toInt: dec('-1.9') }, -1],
  [{ $toLong: '9007199254740993' }, long('9007199254740993')],
  [{ $toLong: date('1970-01-01T00:00:01Z') }, long(1000)],
  [{ $toDouble: '1e3' }, dbl(1000)],
  [{ $toDecimal: 2.5 }, dec('2.50000000000000')],
  [{ $toDecimal: '1.20' }, dec('1.20')],
  [{ $toString: 1.5 }, '1.5'],
  [{ $toString: dbl(1e20) }, '1e+20'],
  [{ $toString: dbl(0.1 + 0.2) }, '0.3'],
  [{ $toString: dbl(100) }, '100'],
  [{ $toString: OID }, OID.toHexString()],
  [{ $toString: date('2020-01-02T03:04:05.006Z') }, '2020-01-02T03:04:05.006Z'],
  [{ $toBool: 'false' }, true],
  [{ $toBool: dec('0') }, false],
  [{ $toBool: null }, null],
  [{ $toDate: long(1000) }, date('1970-01-01T00:00:01Z')],
  [{ $toDate: '2018-03-20' }, date('2018-03-20T00:00:00Z')],
  [{ $toDate: '2018-03-20T11:00:06.5+02:00' }, date('2018-03-20T09:00:06.500Z')],
  [{ $toDate: OID }, OID.getTimestamp()],
  [{ $toObjectId: OID.toHexString() }, OID],
  [{ $convert: { input: 'x', to: 'int', onError: 'bad' } }, 'bad'],
  [{ $convert: { input: '$a', to: 'int', onNull: 0 } }, 0],
  [{ $convert: { input: '7', to: 18 } }, long(7)],
  [{ $convert: { input: '7', to: null } }, null],
  [{ $getField: 'a' }, 1, { a: 1 }],
  [{ $getField: { field: 'a.b', input: { $literal: { 'a.b': 2 } } } }, 2],
  [{ $setField: { field: 'a.b', input: '$$ROOT', value: 1 } }, { x: 0, 'a.b': 1 }, { x: 0 }],
  [{ $unsetField: { field: 'x', input: '$$ROOT' } }, {}, { x: 0 }],
  [{ $mergeObjects: [{ a: 1 }, null, { b: 2, a: 3 }] }, { a: 3, b: 2 }],
  [{ $binarySize: new Binary(Buffer.from('abc')) }, 3],
  [{ $bsonSize: { a: 1 } }, 12],
  [{ $tsSecond: new Timestamp({ t: 5, i: 7 }) }, long(5)],
  [{ $tsIncrement: new Timestamp({ t: 5, i: 7 }) }, long(7)],
  [{ $sum: [1, 'x', dbl(2)] }, dbl(3)],
  [{ $sum: '$a' }, long(2147483648), { a: [2147483647, 1] }],
  [{ $avg: [1, 2] }, dbl(1.5)],
  [{ $avg: [[]] }, null],
  [{ $max: [[1, 5, null]] }, 5],
  [{ $min: ['b', 'a'] }, 'a'],
  [{ $stdDevPop: [2, 4] }, dbl(1)],
  [{ $stdDevSamp: [2] }, null],
  [{ $median: { input: [3, 1, 2], method: 'approximate' } }, dbl(2)],
  [{ $percentile: { input: [1, 2, 3, 4], p: [0.5, 1], method: 'approximate' } }, [dbl(2), dbl(4)]],
];

const at = date('2024-03-31T01:30:15.250Z');
const BERLIN = 'Europe/Berlin';

const DATES: Row[] = [
  [{ $year: at }, 2024],
  [{ $month: { date: at } }, 3],
  [{ $hour: { date: at, timezone: BERLIN } }, 3],
  [{ $hour: { date: at, timezone: '-0530' } }, 20],
  [{ $dayOfWeek: at }, 1],
  [{ $isoDayOfWeek: at }, 7],
  [{ $dayOfYear: at }, 91],
  [{ $week: at }, 13],
  [{ $isoWeek: at }, 13],
  [{ $isoWeekYear: date('2021-01-03') }, long(2020)],
  [{ $isoWeek: date('2021-01-03') }, 53],
  [{ $week: date('2021-01-03') }, 1],
  [{ $millisecond: at }, 250],
  [{ $year: null }, null],
  [{ $year: { date: at, timezone: null } }, null],
  [{ $minute: OID }, OID.getTimestamp().getUTCMinutes()],
  [
    { $dateToParts: { date: at, iso8601: true } },
    { isoWeekYear: 2024, isoWeek: 13, isoDayOfWeek: 7, hour: 1, minute: 30, second: 15, millisecond: 250 },
  ],
  [{ $dateFromParts: { year: 2024, month: 14, day: 0 } }, date('2025-01-31T00:00:00Z')],
  [{ $dateFromParts: { year: 2024, second: 100000 } }, date('2024-01-02T03:46:40Z')],
  [{ $dateFromParts: { isoWeekYear: 2021, isoWeek: 1 } }, date('2021-01-04T00:00:00Z')],
  [{ $dateFromParts: { year: 2024, month: 7, timezone: 'America/New_York' } }, date('2024-07-01T04:00:00Z')],
  [{ $dateToString: { date: at } }, '2024-03-31T01:30:15.250Z'],
  [{ $dateToString: { date: at, timezone: BERLIN } }, '2024-03-31T03:30:15.250Z'],
  [
    { $dateToString: { date: at, format: '%d/%m/%Y %H:%M %z %Z %j %V %u %U %w %G %b %B %%', timezone: BERLIN } },
    '31/03/2024 03:30 +0200 120 091 13 7 13 1 2024 Mar March %',
  ],
  [{ $dateToString: { date: '$a', onNull: 'none' } }, 'none'],
  [{ $dateFromString: { dateString: '2024-03-31T03:30:00', timezone: BERLIN } }, date('2024-03-31T01:30:00Z')],
  [{ $dateFromString: { dateString: '31/12/2023', format: '%d/%m/%Y' } }, date('2023-12-31T00:00:00Z')],
  [{ $dateFromString: { dateString: 'nonsense', onError: 'bad' } }, 'bad'],
  [{ $dateFromString: { dateString: null, onNull: 0 } }, 0],
  [{ $dateAdd: { startDate: date('2024-01-31'), unit: 'month', amount: 1 } }, date('2024-02-29')],
  [
    { $dateAdd: { startDate: date('2024-03-30T12:00:00Z'), unit: 'day', amount: 1, timezone: BERLIN } },
    date('2024-03-31T11:00:00Z'),
  ],
  [{ $dateSubtract: { startDate: at, unit: 'hour', amount: 2 } }, date('2024-03-30T23:30:15.250Z')],
  [{ $dateAdd: { startDate: '$a', unit: 'hour', amount: 2 } }, null],
  [{ $dateDiff: { startDate: date('2023-12-31T23:59:00Z'), endDate: date('2024-01-01'), unit: 'year' } }, long(1)],
  [{ $dateDiff: { startDate: date('2024-01-06'), endDate: date('2024-01-07'), unit: 'week' } }, long(1)],
  [
    { $dateDiff: { startDate: date('2024-01-06'), endDate: date('2024-01-07'), unit: 'week', startOfWeek: 'mon' } },
    long(0),
  ],
  [{ $dateDiff: { startDate: at, endDate: date('2024-03-31T00:00:00Z'), unit: 'hour' } }, long(-1)],
  [{ $dateTrunc: { date: at, unit: 'month' } }, date('2024-03-01')],
  [{ $dateTrunc: { date: at, unit: 'day', timezone: BERLIN } }, date('2024-03-30T23:00:00Z')],
  [{ $dateTrunc: { date: at, unit: 'hour', binSize: 6 } }, date('2024-03-31T00:00:00Z')],
  [{ $dateTrunc: { date: at, unit: 'week', startOfWeek: 'monday' } }, date('2024-03-25')],
  [{ $dateTrunc: { date: at, unit: 'quarter' } }, date('2024-01-01')],
  [
    { $dateTrunc: { date: date('2021-12-01T18:23:36Z'), unit: 'hour', binSize: 4, timezone: 'America/New_York' } },
    date('2021-12-01T17:00:00Z'),
  ],
  [
    {
      $dateTrunc: {
        date: date('2000-01-30T18:00:00Z'),
        unit: 'week',
        binSize: 2,
        timezone: 'America/New_York',
        startOfWeek: 'mon',
      },
    },
    date('2000-01-17T05:00:00Z'),
  ],
  [
    { $dateTrunc: { date: date('1989-01-01T00:00:00Z'), unit: 'week', binSize: 4, startOfWeek: 'thu' } },
    date('1988-12-22T00:00:00Z'),
  ],
];

function check(rows: Row[]): void {
  it.each(
    rows.map(([expression, expected, doc]) => ({ text: shown(expression).slice(9, -1), expression, expected, doc })),
  )('$text', ({ expression, expected, doc }) => {
    expect(shown(evaluate(expression, doc))).toBe(shown(expected === undefined ? undefined : fromWire(expected)));
  });
}

describe('arithmetic keeps and promotes types', () => check(ARITHMETIC));
describe('logic, branches and variables', () => check(LOGIC));
describe('field paths', () => check(PATHS));
describe('arrays and sets', () => check(ARRAYS));
describe('strings', () => check(STRINGS));
describe('types, conversions and documents', () => check(TYPES));
describe('dates', () => check(DATES));

describe('constants', () => {
  it('do not hide that an operand is an int', () => {
    expect(evaluate({ $add: [1, 2] })).toBeInstanceOf(Int32);
  });
});
