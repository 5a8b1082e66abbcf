// What each stage does with documents: tables of (name, documents, pipeline, expected).
import { Long, type ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { runPipeline } from '../../../src/engine/aggregate/pipeline.js';
import { splitPipeline } from '../../../src/engine/aggregate/split.js';
import type { Doc } from '../../../src/engine/bson/types.js';
import { aggregate, drain, environment, fromWire, shown } from './support.js';

const long = (value: number | string) => Long.fromString(String(value));

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
    'a stage has the right result: $name',
    async ({ docs, stages, expected }) => {
      expect(shown(await aggregate(docs, stages))).toBe(shown(fromWire(expected)));
    },
  );
}

describe('stages that shape documents', () => check(SHAPES));
describe('$unwind', () => check(UNWIND));
describe('$sort', () => check(SORTS));

const CHILDREN = {
  children: [{ _id: 1, p: 1, n: 3 }, { _id: 2, p: 1, n: 1 }, { _id: 3, p: 2, n: 2 }, { _id: 4, p: null }, { _id: 5 }],
};

async function lookup(docs: Doc[], spec: Doc, asked: Doc[] = []): Promise<Doc[]> {
  return aggregate(docs, [{ $lookup: { from: 'children', as: 'c', ...spec } }], environment(CHILDREN, asked));
}

describe('$lookup', () => {
  it('$lookup joins by equal fields, null with missing and each element of an array', async () => {
    const docs = [{ _id: 1 }, { _id: 2, k: 2 }, { _id: 3, k: [1, 2] }, { _id: 4, k: 9 }];
    const found = await lookup(docs, { localField: 'k', foreignField: 'p' });
    const ids = found.map((doc) => (doc.c as Doc[]).map((child) => Number(child._id)));
    expect(ids).toEqual([[4, 5], [3], [1, 2, 3], []]);
  });

  it('$lookup reads once for each distinct local value', async () => {
    const asked: Doc[] = [];
    await lookup([{ k: 1 }, { k: 2 }, { k: 1 }, { k: 1 }], { localField: 'k', foreignField: 'p' }, asked);
    expect(asked.map((filter) => shown(filter))).toEqual(
      [{ p: { $eq: 1 } }, { p: { $eq: 2 } }].map((filter) => shown(fromWire(filter))),
    );
  });

  it('$lookup runs a sub-pipeline for each parent', async () => {
    const found = await lookup([{ k: 1 }], {
      localField: 'k',
      foreignField: 'p',
      pipeline: [{ $sort: { n: 1 } }, { $limit: 1 }, { $project: { n: 1 } }],
    });
    expect(shown(found)).toBe(shown(fromWire([{ k: 1, c: [{ _id: 2, n: 1 }] }])));
  });

  it('$lookup reads its variables in $expr', async () => {
    const pipeline = [{ $match: { $expr: { $and: [{ $eq: ['$p', '$$key'] }, { $gt: ['$n', 1] }] } } }];
    const found = await lookup([{ k: 1 }, { k: 2 }], { let: { key: '$k' }, pipeline });
    expect(found.map((doc) => (doc.c as Doc[]).map((child) => Number(child._id)))).toEqual([[1], [3]]);
  });

  it('a nested $lookup sees the outer variables', async () => {
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
  it('$facet runs pipelines that read different amounts over one input', async () => {
    const docs = Array.from({ length: 10 }, (_, i) => ({ _id: i }));
    const stages = [{ $facet: { few: [{ $limit: 2 }], all: [{ $count: 'n' }], none: [{ $match: { _id: -1 } }] } }];
    expect(shown(await aggregate(docs, stages))).toBe(
      shown(fromWire([{ few: [{ _id: 0 }, { _id: 1 }], all: [{ n: 10 }], none: [] }])),
    );
  });
});

describe('laziness', () => {
  it('a pipeline reads no further than a limit needs', async () => {
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

  it('the planner gets filters after a sort, then skip and limit', () => {
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

  it('the planner does not get a filter after a limit', () => {
    expect(split([{ $limit: 1 }, { $match: { a: 1 } }]).rest).toHaveLength(1);
  });

  it('the planner does not get a skip after which nothing would remain', () => {
    const lead = split([{ $limit: 2 }, { $skip: 2 }]);
    expect([lead.limit, lead.rest.length]).toEqual([2, 1]);
  });

  it('a pipeline knows which fields it reads', () => {
    expect(split([{ $group: { _id: '$a.b', n: { $sum: '$c' } } }]).fields).toEqual(['a.b', 'c']);
    expect(split([{ $count: 'n' }]).fields).toEqual([]);
    expect(split([{ $group: { _id: 1, all: { $push: '$$ROOT' } } }]).fields).toBeNull();
    expect(split([{ $set: { a: 1 } }]).fields).toBeNull();
  });
});
