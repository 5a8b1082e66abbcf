// What each stage makes of documents: tables of (name, documents, pipeline, expected).
import { Decimal128, Double, Long, type ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { runPipeline } from '../../../src/engine/aggregate/pipeline.js';
import { splitPipeline } from '../../../src/engine/aggregate/split.js';
import type { Doc } from '../../../src/engine/bson/types.js';
import { aggregate, drain, environment, fromWire, shown } from './support.js';

const long = (value: number | string) => Long.fromString(String(value));
const dbl = (value: number) => new Double(value);
const dec = (text: string) => Decimal128.fromString(text);

type Row = [name: string, docs: Doc[], stages: Doc[], expected: Doc[]];

const SHAPES: Row[] = [
  [
    '$project keeps the document order',
    [{ _id: 1, a: 1, b: 2, c: 3 }],
    [{ $project: { c: 1, a: 1 } }],
    [{ _id: 1, a: 1, c: 3 }],
  ],
  [
    '$project puts computed fields last',
    [{ _id: 1, a: 1, b: 2 }],
    [{ $project: { x: '$b', a: 1, _id: 0 } }],
    [{ a: 1, x: 2 }],
  ],
  [
    '$project excludes nested fields in arrays',
    [{ a: [{ b: 1, c: 2 }, 3] }],
    [{ $project: { 'a.b': 0 } }],
    [{ a: [{ c: 2 }, 3] }],
  ],
  [
    '$project includes nested fields in arrays',
    [{ a: [{ b: 1, c: 2 }, 3] }],
    [{ $project: { 'a.b': 1 } }],
    [{ a: [{ b: 1 }] }],
  ],
  ['$project of nothing but _id', [{ _id: 1, a: 1 }], [{ $project: { _id: 0 } }], [{ a: 1 }]],
  [
    '$addFields sets inside documents and arrays',
    [{ a: [{ b: 1 }, 2], c: 5 }],
    [{ $addFields: { 'a.d': '$c' } }],
    [{ a: [{ b: 1, d: 5 }, { d: 5 }], c: 5 }],
  ],
  ['$addFields removes with $$REMOVE', [{ a: 1, b: 2 }], [{ $addFields: { a: '$$REMOVE' } }], [{ b: 2 }]],
  ['$set keeps a field in its place', [{ a: 1, b: 2 }], [{ $set: { a: 3, c: '$b' } }], [{ a: 3, b: 2, c: 2 }]],
  ['$unset takes paths', [{ a: { b: 1, c: 2 }, d: 3 }], [{ $unset: ['a.b', 'd'] }], [{ a: { c: 2 } }]],
  ['$replaceRoot', [{ a: { b: 1 } }], [{ $replaceRoot: { newRoot: '$a' } }], [{ b: 1 }]],
  ['$replaceWith', [{ a: 1 }], [{ $replaceWith: { c: '$a' } }], [{ c: 1 }]],
  [
    '$match, $skip, $limit',
    [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }],
    [{ $match: { a: { $gt: 1 } } }, { $skip: 1 }, { $limit: 1 }],
    [{ a: 3 }],
  ],
  ['$count', [{}, {}], [{ $count: 'n' }], [{ n: 2 }]],
  ['$count of nothing gives nothing', [], [{ $count: 'n' }], []],
  [
    '$redact',
    [{ level: 1, a: { level: 5, x: 1 }, b: [{ level: 1, y: 1 }] }],
    [{ $redact: { $cond: [{ $lte: ['$level', 2] }, '$$DESCEND', '$$PRUNE'] } }],
    [{ level: 1, b: [{ level: 1, y: 1 }] }],
  ],
  ['$documents', [], [{ $documents: [{ a: 1 }, { a: 2 }] }], [{ a: 1 }, { a: 2 }]],
];

const UNWIND: Row[] = [
  [
    'an element each',
    [{ _id: 1, a: [1, 2] }, { _id: 2, a: [] }, { _id: 3 }, { _id: 4, a: null }, { _id: 5, a: 7 }],
    [{ $unwind: '$a' }],
    [
      { _id: 1, a: 1 },
      { _id: 1, a: 2 },
      { _id: 5, a: 7 },
    ],
  ],
  [
    'null and empty arrays on request',
    [{ _id: 1, a: ['x'] }, { _id: 2, a: [] }, { _id: 3 }, { _id: 4, a: null }],
    [{ $unwind: { path: '$a', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } }],
    [
      { _id: 1, a: 'x', i: long(0) },
      { _id: 2, i: null },
      { _id: 3, i: null },
      { _id: 4, a: null, i: null },
    ],
  ],
  [
    'a nested path',
    [{ a: { b: [1, 2], c: 3 } }],
    [{ $unwind: '$a.b' }],
    [{ a: { b: 1, c: 3 } }, { a: { b: 2, c: 3 } }],
  ],
];

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
    'inside a document key they are two',
    [{}, { a: null }],
    [{ $group: { _id: { a: '$a' } } }],
    [{ _id: {} }, { _id: { a: null } }],
  ],
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

const SORTS: Row[] = [
  [
    'by BSON type, missing as null',
    [{ _id: 1, a: 'x' }, { _id: 2, a: 1 }, { _id: 3 }, { _id: 4, a: null }],
    [{ $sort: { a: 1, _id: 1 } }],
    [{ _id: 3 }, { _id: 4, a: null }, { _id: 2, a: 1 }, { _id: 1, a: 'x' }],
  ],
  [
    'arrays by their least or greatest element',
    [
      { _id: 1, a: [1, 9] },
      { _id: 2, a: 5 },
    ],
    [{ $sort: { a: -1 } }],
    [
      { _id: 1, a: [1, 9] },
      { _id: 2, a: 5 },
    ],
  ],
  [
    'the best k before a limit',
    Array.from({ length: 300 }, (_, i) => ({ _id: (i * 7) % 300 })),
    [{ $sort: { _id: -1 } }, { $skip: 1 }, { $limit: 2 }],
    [{ _id: 298 }, { _id: 297 }],
  ],
];

function check(rows: Row[]): void {
  it.each(rows.map(([name, docs, stages, expected]) => ({ name, docs, stages, expected })))(
    '$name',
    async ({ docs, stages, expected }) => {
      expect(shown(await aggregate(docs, stages))).toBe(shown(fromWire(expected)));
    },
  );
}

describe('stages that shape documents', () => check(SHAPES));
describe('$unwind', () => check(UNWIND));
describe('$group and its accumulators', () => check(GROUPS));
describe('$sort', () => check(SORTS));

const CHILDREN = {
  children: [{ _id: 1, p: 1, n: 3 }, { _id: 2, p: 1, n: 1 }, { _id: 3, p: 2, n: 2 }, { _id: 4, p: null }, { _id: 5 }],
};

async function lookup(docs: Doc[], spec: Doc, asked: Doc[] = []): Promise<Doc[]> {
  return aggregate(docs, [{ $lookup: { from: 'children', as: 'c', ...spec } }], environment(CHILDREN, asked));
}

describe('$lookup', () => {
  it('joins by equal fields, null with missing and each element of an array', async () => {
    const docs = [{ _id: 1 }, { _id: 2, k: 2 }, { _id: 3, k: [1, 2] }, { _id: 4, k: 9 }];
    const found = await lookup(docs, { localField: 'k', foreignField: 'p' });
    const ids = found.map((doc) => (doc.c as Doc[]).map((child) => Number(child._id)));
    expect(ids).toEqual([[4, 5], [3], [1, 2, 3], []]);
  });

  it('asks once for each distinct local value', async () => {
    const asked: Doc[] = [];
    await lookup([{ k: 1 }, { k: 2 }, { k: 1 }, { k: 1 }], { localField: 'k', foreignField: 'p' }, asked);
    expect(asked.map((filter) => shown(filter))).toEqual(
      [{ p: { $eq: 1 } }, { p: { $eq: 2 } }].map((filter) => shown(fromWire(filter))),
    );
  });

  it('runs a sub-pipeline for each parent', async () => {
    const found = await lookup([{ k: 1 }], {
      localField: 'k',
      foreignField: 'p',
      pipeline: [{ $sort: { n: 1 } }, { $limit: 1 }, { $project: { n: 1 } }],
    });
    expect(shown(found)).toBe(shown(fromWire([{ k: 1, c: [{ _id: 2, n: 1 }] }])));
  });

  it('turns an equality in $expr into a predicate an index can serve', async () => {
    const asked: Doc[] = [];
    const pipeline = [{ $match: { $expr: { $and: [{ $eq: ['$p', '$$key'] }, { $gt: ['$n', 1] }] } } }];
    const found = await lookup([{ k: 1 }, { k: 2 }], { let: { key: '$k' }, pipeline }, asked);
    expect(found.map((doc) => (doc.c as Doc[]).map((child) => Number(child._id)))).toEqual([[1], [3]]);
    expect(asked.map((filter) => shown((filter.$and as Doc[])[1]))).toEqual(
      [{ p: { $eq: 1 } }, { p: { $eq: 2 } }].map((filter) => shown(fromWire(filter))),
    );
  });

  it('sees the outer variables in a nested $lookup', async () => {
    const inner = {
      $lookup: {
        from: 'children',
        let: { own: '$_id' },
        pipeline: [{ $match: { $expr: { $and: [{ $eq: ['$p', '$$key'] }, { $ne: ['$_id', '$$own'] }] } } }],
        as: 'd',
      },
    };
    const found = await lookup([{ k: 1 }], {
      let: { key: '$k' },
      pipeline: [{ $match: { $expr: { $eq: ['$p', '$$key'] } } }, inner],
    });
    expect(((found[0] as Doc).c as Doc[]).map((child) => (child.d as Doc[]).map((other) => Number(other._id)))).toEqual(
      [[2], [1]],
    );
  });

  it('$unionWith appends another collection', async () => {
    const env = environment(CHILDREN);
    const found = await aggregate(
      [{ _id: 0 }],
      [{ $unionWith: { coll: 'children', pipeline: [{ $match: { p: 2 } }, { $project: { _id: 1 } }] } }],
      env,
    );
    expect(shown(found)).toBe(shown(fromWire([{ _id: 0 }, { _id: 3 }])));
  });
});

describe('$facet', () => {
  it('runs pipelines of different appetite over one input', async () => {
    const docs = Array.from({ length: 10 }, (_, i) => ({ _id: i }));
    const stages = [{ $facet: { few: [{ $limit: 2 }], all: [{ $count: 'n' }], none: [{ $match: { _id: -1 } }] } }];
    expect(shown(await aggregate(docs, stages))).toBe(
      shown(fromWire([{ few: [{ _id: 0 }, { _id: 1 }], all: [{ n: 10 }], none: [] }])),
    );
  });
});

describe('laziness', () => {
  it('reads no further than a limit needs', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Doc> {
      for (;;) yield { _id: read++ as unknown as ObjectId, a: [1, 2] };
    }
    const stages = fromWire([{ $match: { a: 1 } }, { $unwind: '$a' }, { $limit: 3 }]) as Doc[];
    expect(await drain(runPipeline(stages, endless(), environment()))).toHaveLength(3);
    expect(read).toBe(2);
  });
});

describe('the part a planner can do', () => {
  const split = (stages: Doc[]) => splitPipeline(fromWire(stages) as Doc[]);

  it('takes filters past a sort, then skip and limit', () => {
    const lead = split([
      { $match: { a: 1 } },
      { $sort: { b: 1 } },
      { $match: { c: 2 } },
      { $skip: 5 },
      { $limit: 10 },
      { $skip: 2 },
      { $project: { b: 1 } },
    ]);
    expect(shown(lead.filter)).toBe(shown(fromWire({ $and: [{ a: 1 }, { c: 2 }] })));
    expect([lead.skip, lead.limit, lead.rest.length]).toEqual([7, 8, 1]);
    expect(lead.fields).toEqual(['b', '_id']);
  });

  it('leaves a filter after a limit where it is', () => {
    expect(split([{ $limit: 1 }, { $match: { a: 1 } }]).rest).toHaveLength(1);
  });

  it('leaves a skip that would leave nothing', () => {
    const lead = split([{ $limit: 2 }, { $skip: 2 }]);
    expect([lead.limit, lead.rest.length]).toEqual([2, 1]);
  });

  it('knows which fields are read', () => {
    expect(split([{ $group: { _id: '$a.b', n: { $sum: '$c' } } }]).fields).toEqual(['a.b', 'c']);
    expect(split([{ $count: 'n' }]).fields).toEqual([]);
    expect(split([{ $group: { _id: 1, all: { $push: '$$ROOT' } } }]).fields).toBeNull();
    expect(split([{ $set: { a: 1 } }]).fields).toBeNull();
  });
});
