// The error code of each mistake; whatever this store does not implement is refused by name.
import { Decimal128, Double } from 'bson';
import { describe, expect, it } from 'vitest';
import { checkPipeline, compileUpdatePipeline, runPipeline } from '../../../src/engine/aggregate/pipeline.js';
import { refusedStages, stageTable } from '../../../src/engine/aggregate/stage-table.js';
import type { Doc } from '../../../src/engine/bson/types.js';
import { aggregate, codeOf, drain, environment, evaluate, fields, fromWire } from './support.js';

type Row = [expression: unknown, code: number];

const EXPRESSIONS: Row[] = [
  [{ $foo: 1 }, 168],
  [{ $function: {} }, 238],
  [{ $meta: 'textScore' }, 238],
  [{ $add: 1, $subtract: 2 }, 15983],
  ['$', 16872],
  ['$$nope', 17276],
  ['$a..b', 15998],
  ['$a.', 40353],
  [{ 'a.b': 1 }, 16412],
  [{ $subtract: [1] }, 16020],
  [{ $slice: [1] }, 28667],
  [{ $add: ['a', 1] }, 14],
  [{ $add: [new Date(0), new Date(0)] }, 16612],
  [{ $subtract: ['a', 1] }, 14],
  [{ $divide: [1, 0] }, 2],
  [{ $mod: [1, 0] }, 16610],
  [{ $sqrt: -1 }, 28714],
  [{ $ln: 0 }, 28766],
  [{ $abs: 'x' }, 28765],
  [{ $pow: [0, -1] }, 28764],
  [{ $round: [1, 101] }, 51083],
  [{ $acos: 2 }, 50989],
  [{ $arrayElemAt: [1, 0] }, 28689],
  [{ $concatArrays: [1] }, 28664],
  [{ $size: '$missing' }, 17124],
  [{ $in: [1, 2] }, 40081],
  [{ $map: { input: 1, in: 1 } }, 16883],
  [{ $filter: { input: 1, cond: true } }, 28651],
  [{ $reduce: { input: 1, initialValue: 0, in: 1 } }, 40080],
  [{ $range: [0, 1, 0] }, 34449],
  [{ $concat: ['a', 1] }, 16702],
  [{ $split: ['a', ''] }, 40087],
  [{ $strLenCP: null }, 34471],
  [{ $substrBytes: ['é', 1, 1] }, 28656],
  [{ $regexMatch: { input: 1, regex: 'a' } }, 51104],
  [{ $toInt: 'x' }, 241],
  [{ $toInt: 2147483648 }, 241],
  [{ $toDate: 5 }, 241],
  [{ $toObjectId: 'abc' }, 241],
  [{ $convert: { input: 1, to: 'nope' } }, 2],
  [{ $convert: { input: 1 } }, 9],
  [{ $year: 'x' }, 16006],
  [{ $hour: { date: new Date(0), timezone: 'Mars/Olympus' } }, 40485],
  [{ $dateTrunc: { date: new Date(0), unit: 'century' } }, 5439014],
  [{ $dateAdd: { startDate: new Date(0), unit: 'century', amount: 1 } }, 9],
  [{ $dateToString: { date: new Date(0), format: '%Q' } }, 18536],
  [{ $dateFromString: { dateString: 'nonsense' } }, 241],
  [{ $switch: { branches: [fields(['case', false], ['then', 1])] } }, 40069],
  [{ $switch: { branches: [fields(['case', '$a'], ['then', 1])] } }, 40066],
  [{ $getField: { field: 'a' } }, 3041703],
  [{ $getField: '$a' }, 5654600],
  [{ $getField: { field: { $concat: ['a'] }, input: {} } }, 5654601],
  [{ $mod: [1, Decimal128.fromString('0')] }, 5733415],
  [{ $toInt: [1, 2] }, 50723],
  [{ $regexMatch: { input: 'a', regex: '(' } }, 51111],
  [{ $let: { vars: {} } }, 16877],
  [{ $dateToString: { date: null, format: '%Q' } }, 18536],
  [{ $cond: fields(['if', 1], ['then', 2]) }, 17082],
  [{ $let: { vars: { Upper: 1 }, in: 1 } }, 9],
  [{ $mergeObjects: [1] }, 40400],
  [{ $ifNull: ['$a'] }, 1257300],
];

describe('expression errors', () => {
  it.each(EXPRESSIONS.map(([expression, code]) => ({ text: JSON.stringify(expression), expression, code })))(
    'the expression $text fails with $code',
    ({ expression, code }) => {
      expect(codeOf(() => evaluate(expression))).toBe(code);
    },
  );
});

const PIPELINES: [stages: Doc[], code: number][] = [
  [[{ $nope: {} }], 40324],
  [[{}], 40323],
  [[{ $match: {}, $limit: 1 }], 40323],
  [[{ $project: {} }], 51272],
  [[{ $project: { a: 1, b: 0 } }], 31254],
  [[{ $project: { a: 0, b: 1 } }], 31253],
  [[{ $project: { a: 1, 'a.b': 1 } }], 31249],
  [[{ $project: { x: { $foo: 1 } } }], 168],
  [[{ $addFields: { a: 1, 'a.b': 1 } }], 40176],
  [[{ $group: { n: { $sum: 1 } } }], 15955],
  [[{ $group: { _id: { a: 1 } } }], 17390],
  [[{ $group: { _id: { a: '$a', b: true } } }], 17390],
  [[{ $group: { _id: { a: new Double(0) } } }], 17390],
  [[{ $group: { _id: 1, n: { $nope: 1 } } }], 15952],
  [[{ $group: { _id: 1, n: 1 } }], 40234],
  [[{ $group: { _id: 1, r: { $firstN: { n: 1.5, input: 1 } } } }], 5787903],
  [[{ $group: { _id: 1, r: { $firstN: { n: 1 } } } }], 5787907],
  [[{ $group: { _id: 1, r: { $topN: { n: 1, sortBy: { a: 1 } } } } }], 5788004],
  [[{ $group: { _id: 1, n: { $accumulator: {} } } }], 238],
  [[{ $sort: {} }], 15976],
  [[{ $sort: { a: 2 } }], 15975],
  [[{ $limit: 0 }], 15958],
  [[{ $limit: 'x' }], 15957],
  [[{ $skip: -1 }], 15956],
  [[{ $count: '' }], 40157],
  [[{ $unwind: 'a' }], 28818],
  [[{ $lookup: { from: 'x', as: 'y' } }], 9],
  [[{ $lookup: { from: 'x', as: 'y', pipeline: [{ $nope: 1 }] } }], 40324],
  [[{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
  [[{ $facet: { a: [{ $indexStats: {} }] } }], 40600],
  [[{ $match: {} }, { $documents: [] }], 40602],
  [[{ $bucket: { groupBy: '$a', boundaries: [2, 1] } }], 40194],
];

describe('pipeline errors', () => {
  it.each(PIPELINES.map(([stages, code]) => ({ text: JSON.stringify(stages), stages, code })))(
    'the pipeline $text fails with $code',
    ({ stages, code }) => {
      expect(codeOf(() => checkPipeline(fromWire(stages) as Doc[]))).toBe(code);
    },
  );

  it.each(refusedStages.map(({ name }) => name))('the stage %s is refused by name', (name) => {
    expect(() => checkPipeline([{ [name]: {} }])).toThrow(name);
  });

  it('a document that cannot replace the root fails with 40228', async () => {
    await expect(aggregate([{ a: 1 }], [{ $replaceRoot: { newRoot: '$a' } }])).rejects.toMatchObject({ code: 40228 });
  });

  it('a group over more than 100 MB is refused with 292', async () => {
    async function* large(): AsyncGenerator<Doc> {
      for (let i = 0; i < 120; i++) yield { _id: i, text: 'x'.repeat(1_000_000) };
    }
    const stages = fromWire([{ $group: { _id: null, all: { $push: '$text' } } }]) as Doc[];
    await expect(drain(runPipeline(stages, large(), environment()))).rejects.toMatchObject({ code: 292 });
  });

  it('an update accepts only stages that change one document', () => {
    expect(codeOf(() => compileUpdatePipeline([{ $match: {} }]))).toBe(72);
    const update = compileUpdatePipeline(fromWire([{ $set: { b: { $add: ['$a', 1] } } }, { $unset: 'a' }]) as Doc[]);
    expect(update(fromWire({ _id: 1, a: 1 }) as Doc, {})).toEqual(fromWire({ _id: 1, b: 2 }));
  });
});

describe('the stage table', () => {
  it('the stage table is alphabetic, and no stage is both in it and refused', () => {
    const names = stageTable.map((row) => row.name);
    expect(names).toEqual([...names].sort());
    expect(refusedStages.filter(({ name }) => names.includes(name))).toEqual([]);
  });
});
