// The query language, operator by operator: which documents a filter finds, and how malformed filters are refused.
import { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileFilter, compileValueTest } from '../../../src/engine/query/matcher.js';
import { doc, value } from '../bson/values.js';

const id = new ObjectId('0123456789abcdef01234567');

/** Name, filter, documents that match, documents that do not. */
const CASES: [string, object, object[], object[]][] = [
  [
    'equality across number types',
    { a: 5 },
    [{ a: 5 }, { a: Long.fromNumber(5) }, { a: new Double(5) }, { a: Decimal128.fromString('5.0') }],
    [{ a: '5' }, { a: 6 }, {}],
  ],
  [
    'equality with a huge long',
    { a: Long.fromString('9007199254740993') },
    [{ a: Long.fromString('9007199254740993') }, { a: Decimal128.fromString('9007199254740993') }],
    [{ a: new Double(2 ** 53) }],
  ],
  ['equality looks into arrays', { a: 1 }, [{ a: [3, 1] }, { a: 1 }], [{ a: [[1]] }, { a: [] }]],
  [
    'equality with an array',
    { a: [1, 2] },
    [{ a: [1, 2] }, { a: [[1, 2], 3] }],
    [{ a: [2, 1] }, { a: [1, 2, 3] }, { a: 1 }],
  ],
  [
    'equality with a document, in field order',
    { a: { x: 1, y: 2 } },
    [{ a: { x: 1, y: 2 } }, { a: [{ x: 1, y: 2 }] }],
    [{ a: { y: 2, x: 1 } }, { a: { x: 1 } }],
  ],
  ['equality with an object id', { a: id }, [{ a: id }, { a: [id] }], [{ a: id.toHexString() }]],
  [
    'null matches null and missing',
    { a: null },
    [{ a: null }, {}, { a: [1, null] }],
    [{ a: 0 }, { a: [] }, { a: [1] }],
  ],
  [
    'null at a dotted path',
    { 'a.b': null },
    [{}, { a: 5 }, { a: { b: null } }, { a: [{ b: 1 }, { c: 1 }] }],
    [{ a: { b: 1 } }, { a: [] }, { a: [1, 2] }, { a: [{ b: 1 }] }],
  ],
  ['$ne is the opposite', { a: { $ne: 1 } }, [{ a: 2 }, {}, { a: [2, 3] }], [{ a: 1 }, { a: [1, 2] }]],
  ['$eq takes operators as literals', { a: { $eq: { $gt: 1 } } }, [{ a: { $gt: 1 } }], [{ a: 2 }]],
  [
    '$gt stays within its type',
    { a: { $gt: 5 } },
    [{ a: 6 }, { a: Long.MAX_VALUE }, { a: [1, 7] }],
    [{ a: 5 }, { a: '6' }, { a: null }, { a: new Date() }, { a: new Double(Number.NaN) }],
  ],
  ['$lt stays within its type', { a: { $lt: 'b' } }, [{ a: 'a' }], [{ a: 'b' }, { a: 1 }, {}]],
  ['$gte and $lte null', { a: { $gte: null } }, [{ a: null }, {}], [{ a: 1 }]],
  ['$gt null matches nothing', { a: { $gt: null } }, [], [{ a: null }, {}, { a: 1 }]],
  [
    '$gt MinKey matches all but MinKey',
    { a: { $gt: new MinKey() } },
    [{ a: 1 }, { a: null }, {}, { a: new MaxKey() }],
    [{ a: new MinKey() }],
  ],
  ['$lt MaxKey matches all but MaxKey', { a: { $lt: new MaxKey() } }, [{ a: 1 }, { a: {} }], [{ a: new MaxKey() }]],
  [
    'NaN equals NaN only',
    { a: { $gte: new Double(Number.NaN) } },
    [{ a: new Double(Number.NaN) }, { a: Decimal128.fromString('NaN') }],
    [{ a: 1 }],
  ],
  ['$gt compares whole arrays', { a: { $gt: [1, 2] } }, [{ a: [1, 3] }, { a: [2] }], [{ a: [1, 2] }, { a: 5 }]],
  ['different elements may satisfy a range', { a: { $gt: 5, $lt: 3 } }, [{ a: [1, 9] }], [{ a: [4] }, { a: 4 }]],
  [
    '$elemMatch wants one element',
    { a: { $elemMatch: { $gt: 5, $lt: 8 } } },
    [{ a: [1, 6] }],
    [{ a: [1, 9] }, { a: 6 }],
  ],
  [
    '$elemMatch on documents',
    { a: { $elemMatch: { x: 1, y: 2 } } },
    [{ a: [{ x: 1, y: 2 }] }],
    [{ a: [{ x: 1 }, { y: 2 }] }, { a: { x: 1, y: 2 } }],
  ],
  [
    '$elemMatch with $or',
    { a: { $elemMatch: { $or: [{ x: 1 }, { x: 2 }] } } },
    [{ a: [{ x: 2 }] }],
    [{ a: [{ x: 3 }] }],
  ],
  ['$elemMatch in nested arrays', { a: { $elemMatch: { $elemMatch: { $eq: 1 } } } }, [{ a: [[1]] }], [{ a: [1] }]],
  [
    '$elemMatch sees a nested array by position',
    { a: { $elemMatch: { 0: 1 } } },
    [{ a: [[1, 2]] }, { a: [{ 0: 1 }] }],
    [{ a: [[2, 1]] }],
  ],
  ['$in', { a: { $in: [1, 'x', null] } }, [{ a: 1 }, { a: ['x'] }, {}], [{ a: 2 }]],
  [
    '$in with a long list',
    { a: { $in: Array.from({ length: 50 }, (_, i) => i) } },
    [{ a: new Double(49) }, { a: [77, 3] }],
    [{ a: 50 }, {}, { a: new Double(0.5) }],
  ],
  ['$in with regular expressions', { a: { $in: [/^x/, 1] } }, [{ a: 'xy' }, { a: 1 }], [{ a: 'yx' }]],
  ['$in with an empty list', { a: { $in: [] } }, [], [{ a: 1 }, {}]],
  ['$nin', { a: { $nin: [1, 2] } }, [{ a: 3 }, {}, { a: [3] }], [{ a: [3, 1] }]],
  [
    '$and, $or, $nor',
    { $and: [{ $or: [{ a: 1 }, { b: 1 }] }, { $nor: [{ c: 1 }] }] },
    [{ a: 1 }, { b: 1 }],
    [{ a: 1, c: 1 }, { d: 1 }],
  ],
  ['$not over operators', { a: { $not: { $gt: 1, $lt: 5 } } }, [{ a: 7 }, {}, { a: 'x' }], [{ a: 3 }, { a: [0, 9] }]],
  ['$not over a regular expression', { a: { $not: /x/ } }, [{ a: 'y' }, {}], [{ a: 'x' }]],
  ['$exists', { a: { $exists: true } }, [{ a: null }, { a: [] }], [{}]],
  [
    '$exists false at a dotted path',
    { 'a.b': { $exists: false } },
    [{}, { a: 1 }, { a: [] }, { a: [{ c: 1 }] }],
    [{ a: { b: null } }, { a: [{ b: 1 }, {}] }],
  ],
  ['$type by alias', { a: { $type: 'int' } }, [{ a: 1 }, { a: ['x', 1] }], [{ a: new Double(1) }, { a: Long.ONE }]],
  ['$type number, and lists', { a: { $type: ['number', 'string'] } }, [{ a: Long.ONE }, { a: 'x' }], [{ a: null }, {}]],
  ['$type array', { a: { $type: 'array' } }, [{ a: [] }, { a: [[]] }], [{ a: 1 }]],
  ['$type by number', { a: { $type: 2 } }, [{ a: 'x' }], [{ a: 1 }]],
  ['$all', { a: { $all: [1, /x/] } }, [{ a: [1, 'xx'] }], [{ a: [1] }, { a: 1 }]],
  ['$all on a scalar', { a: { $all: [1] } }, [{ a: 1 }, { a: [1, 2] }], [{ a: 2 }]],
  [
    '$all with $elemMatch',
    { a: { $all: [{ $elemMatch: { x: 1 } }, { $elemMatch: { y: 1 } }] } },
    [{ a: [{ x: 1 }, { y: 1 }] }],
    [{ a: [{ x: 1 }] }],
  ],
  ['$all of nothing', { a: { $all: [] } }, [], [{ a: [] }, {}]],
  ['$size', { a: { $size: 2 } }, [{ a: [1, [2]] }], [{ a: [1] }, { a: 2 }, { a: [[1, 2]] }]],
  [
    '$mod',
    { a: { $mod: [4, 1] } },
    [{ a: 5 }, { a: new Double(5.9) }, { a: Long.fromNumber(9) }],
    [{ a: 4 }, { a: '5' }, { a: new Double(Number.NaN) }],
  ],
  ['$mod keeps the sign', { a: { $mod: [4, -1] } }, [{ a: -5 }], [{ a: 3 }]],
  [
    '$bitsAllSet by mask',
    { a: { $bitsAllSet: 6 } },
    [{ a: 7 }, { a: new Double(6) }, { a: -1 }],
    [{ a: 4 }, { a: new Double(6.5) }, { a: '6' }],
  ],
  ['$bitsAnyClear by positions', { a: { $bitsAnyClear: [0, 70] } }, [{ a: 2 }, { a: 1 }], [{ a: -1 }]],
  [
    '$bitsAnySet on binary',
    { a: { $bitsAnySet: new Binary(Buffer.from([0, 1])) } },
    [{ a: new Binary(Buffer.from([0, 3])) }, { a: 256 }],
    [{ a: new Binary(Buffer.from([255])) }],
  ],
  [
    'a regular expression',
    { a: /^b.*c$/i },
    [{ a: 'Bxc' }, { a: ['z', 'bc'] }, { a: new BSONRegExp('^b.*c$', 'i') }],
    [{ a: 'abc' }, { a: 1 }],
  ],
  ['$regex with $options', { a: { $options: 'i', $regex: 'x' } }, [{ a: 'X' }], [{ a: 'y' }]],
  ['paths through arrays', { 'a.b': 1 }, [{ a: [{ b: 1 }] }, { a: [{ b: [2, 1] }] }], [{ a: [[{ b: 1 }]] }]],
  [
    'positions in arrays',
    { 'a.1': 2 },
    [{ a: [1, 2] }, { a: [{ 1: 2 }] }, { a: { 1: 2 } }],
    [{ a: [2, 1] }, { a: [0, [2]] }],
  ],
  ['positions on the way', { 'a.0.b': 1 }, [{ a: [{ b: 1 }] }, { a: [{ b: [1] }] }], [{ a: [{}, { b: 1 }] }]],
  ['positions in nested arrays', { 'a.0.1': 2 }, [{ a: [[1, 2]] }], [{ a: [[2, 1]] }]],
  ['$expr', { $expr: { $gt: ['$a', '$b'] } }, [{ a: 2, b: 1 }], [{ a: 1, b: 2 }]],
  ['$comment is ignored', { $comment: 'why', a: 1 }, [{ a: 1 }], [{ a: 2 }]],
  [
    'a DBRef is a literal',
    { a: { $ref: 'c', $id: 1 } },
    [{ a: { $ref: 'c', $id: 1 } }],
    [{ a: { $ref: 'c', $id: 2 } }],
  ],
  ['names of Object.prototype', { constructor: null }, [{}], [{ constructor: 1 }]],
  ['an empty filter', {}, [{}, { a: 1 }], []],
];

describe('filters', () => {
  it.each(CASES)('a filter matches: %s', (_name, filter, matching, others) => {
    const { test } = compileFilter(doc(filter));
    for (const each of matching) expect(test(doc(each)), JSON.stringify(each)).toBe(true);
    for (const each of others) expect(test(doc(each)), JSON.stringify(each)).toBe(false);
  });

  it('a filter with $expr can use the let variables, and no others', () => {
    const filter = doc({ $expr: { $eq: ['$a', '$$x'] } });
    expect(compileFilter(filter, { vars: { x: new Int32(1) } }).test(doc({ a: 1 }))).toBe(true);
    expect(() => compileFilter(filter)).toThrow('undefined variable: x');
  });

  it('$sampleRate 0 and 1 select none and all', () => {
    expect(compileFilter(doc({ $sampleRate: 1 })).test({})).toBe(true);
    expect(compileFilter(doc({ $sampleRate: 0 })).test({})).toBe(false);
  });

  it("a filter's conditions can be run on single values", () => {
    expect(compileValueTest(value({ $gt: 3, $lt: 6 }))(value(5))).toBe(true);
    expect(compileValueTest(value({ $in: [1, 2] }))(value(5))).toBe(false);
  });
});

const REFUSED: [string, object, number, RegExp][] = [
  ['an unknown operator', { a: { $foo: 1 } }, 2, /unknown operator: \$foo/],
  ['an unknown operator after a known one', { a: { $gt: 1, b: 2 } }, 2, /unknown operator: b/],
  ['an unknown top level operator', { $foo: 1 }, 2, /unknown top level operator: \$foo/],
  ['$and of nothing', { $and: [] }, 2, /nonempty array/],
  ['$or of values', { $or: [1] }, 2, /full objects/],
  ['$in without a list', { a: { $in: 1 } }, 2, /\$in needs an array/],
  ['$in with operators', { a: { $in: [{ $gt: 1 }] } }, 2, /cannot nest \$ under \$in/],
  ['$all without a list', { a: { $all: 1 } }, 2, /\$all needs an array/],
  ['$not of a value', { a: { $not: 1 } }, 2, /\$not needs a regex or a document/],
  ['$ne of a regular expression', { a: { $ne: /x/ } }, 2, /regex as arg to \$ne/],
  ['$gt of a regular expression', { a: { $gt: /x/ } }, 2, /RegEx as arg to predicate over field 'a'/],
  ['$mod of too few', { a: { $mod: [1] } }, 2, /not enough elements/],
  ['$mod by zero', { a: { $mod: [0, 1] } }, 2, /divisor cannot be 0/],
  ['$size of a fraction', { a: { $size: new Double(1.5) } }, 2, /\$size/],
  ['$size below zero', { a: { $size: -1 } }, 2, /\$size/],
  ['$type of an unknown name', { a: { $type: 'foo' } }, 2, /Unknown type name alias: foo/],
  ['$type of an unknown number', { a: { $type: 99 } }, 2, /Invalid numerical type code: 99/],
  ['$type of nothing', { a: { $type: [] } }, 9, /at least one type/],
  ['$options alone', { a: { $options: 'i' } }, 2, /\$options needs a \$regex/],
  ['an unknown regex option', { a: { $regex: 'x', $options: 'g' } }, 51108, /invalid flag/],
  ['a broken regular expression', { a: { $regex: '(' } }, 51091, /invalid/],
  ['a bit mask below zero', { a: { $bitsAllSet: -1 } }, 9, /non-negative/],
  ['$where', { $where: new Code('true') }, 238, /\$where is not supported/],
  ['$text', { $text: { $search: 'x' } }, 238, /\$text is not supported/],
  ['$jsonSchema', { $jsonSchema: {} }, 238, /\$jsonSchema is not supported/],
  ['geo operators', { a: { $near: [1, 2] } }, 238, /\$near is not supported/],
  ['unknown operators deep inside', { a: { $elemMatch: { b: { $nope: 1 } } } }, 2, /unknown operator: \$nope/],
];

describe('what filters refuse', () => {
  it.each(REFUSED)('a filter is refused: %s', (_name, filter, code, message) => {
    expect(() => compileFilter(doc(filter))).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

const POSITIONS: [object, object, number | null][] = [
  [{ a: 5 }, { a: [1, 5] }, 1],
  [{ a: 5 }, { a: 5 }, null],
  [{ a: { $elemMatch: { x: 1 } } }, { a: [{}, {}, { x: 1 }] }, 2],
  [{ 'a.b': 1 }, { a: [{ b: 2 }, { b: [0, 1] }] }, 1],
  [{ a: 1, b: 2 }, { a: [1], b: [0, 2] }, 1],
  [{ $or: [{ a: 9 }, { a: 2 }] }, { a: [1, 2] }, 1],
  [{ a: { $all: [2, 1] } }, { a: [1, 2] }, 0],
  [{ a: { $gt: 1 } }, { a: [1, 2, 3] }, 1],
  // A position that is part of the filter's path is not reported.
  [{ 'a.0': 0 }, { a: [0, 1] }, null],
  [{ 'a.1.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, null],
  [{ 'a.1.b': 2 }, { a: [{ b: 1 }, { b: [3, 2] }] }, 1],
  [{ 'a.0.b': 2 }, { a: [[{ b: 1 }, { b: 2 }]] }, 1],
  [{ 'a.0': 0 }, { a: [{ 0: 1 }, { 0: 0 }] }, 1],
  [{ 'a.b.0': 2 }, { a: [{ b: [1] }, { b: [2] }] }, 1],
];

describe('the positional operator', () => {
  it.each(POSITIONS)('the positional operator for %j in %j is %j', (filter, document, position) => {
    expect(compileFilter(doc(filter)).positionOf(doc(document))).toBe(position);
  });
});
