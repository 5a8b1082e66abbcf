// Expressions of types, conversions, documents and dates: tables of (name, expression, document, expected).
import { Binary, Decimal128, Double, Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, it } from 'vitest';
import { evaluate, fromWire, shown } from '../aggregate/support.js';

const dec = (text: string) => Decimal128.fromString(text);
const long = (value: number | string) => Long.fromString(String(value));
const dbl = (value: number) => new Double(value);
const date = (text: string) => new Date(text);

type Row = [expression: unknown, expected: unknown, doc?: Record<string, unknown>];

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
  [{ $dateToParts: { date: at, iso8601: '$missing' } }, null],
  [{ $dateToParts: { date: at, iso8601: null } }, null],
  [{ $dateToParts: { date: at, timezone: '$missing' } }, null],
  [{ $dateToParts: { date: '$missing', iso8601: true } }, null],
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
  )('an expression on types or dates has the right value: $text', ({ expression, expected, doc }) => {
    expect(shown(evaluate(expression, doc))).toBe(shown(expected === undefined ? undefined : fromWire(expected)));
  });
}

describe('types, conversions and documents', () => check(TYPES));
describe('dates', () => check(DATES));
