// Expressions over random documents have the same results in mingo, an independent implementation, and in our engine. The list of expressions has
// only those where mingo follows MongoDB.
import { EJSON } from 'bson';
import fc from 'fast-check';
import { Aggregator } from 'mingo';
import { Context } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import { describe, expect, it } from 'vitest';
import type { Doc } from '../../../src/engine/bson/types.js';
import { aggregate } from './support.js';

const context = Context.init({
  accumulator: { ...accumulators },
  expression: { ...expressions },
  pipeline: { ...stages },
} as never);

const scalar = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.constantFrom('', 'a', 'b', 'ab', 'Abc'),
  fc.boolean(),
  fc.constant(null),
);
const number = fc.integer({ min: -50, max: 50 });
const document = fc.record(
  {
    n: number,
    m: number,
    s: fc.constantFrom('a', 'b', 'ab', 'a-b'),
    x: scalar,
    list: fc.array(number, { maxLength: 5 }),
    subs: fc.array(fc.record({ k: number }), { maxLength: 3 }),
  },
  { requiredKeys: ['n', 'm', 's', 'list', 'subs'] },
);

const EXPRESSIONS: unknown[] = [
  { $add: ['$n', '$m'] },
  { $subtract: ['$n', '$m'] },
  { $multiply: ['$n', '$m', 2] },
  { $abs: '$n' },
  { $cond: ['$x', '$n', '$m'] },
  { $ifNull: ['$x', 'none'] },
  { $and: ['$x', '$n'] },
  { $not: ['$n'] },
  { $lt: ['$n', '$m'] },
  { $concat: ['$s', '-', '$s'] },
  { $toUpper: '$s' },
  { $strLenCP: '$s' },
  { $split: ['$s', '-'] },
  { $substrCP: ['$s', 0, 1] },
  { $size: '$list' },
  { $slice: ['$list', 2] },
  { $slice: ['$list', -2] },
  { $reverseArray: '$list' },
  { $concatArrays: ['$list', ['$n']] },
  { $in: ['$n', '$list'] },
  { $indexOfArray: ['$list', '$n'] },
  { $filter: { input: '$list', as: 'v', cond: { $gt: ['$$v', '$n'] } } },
  { $map: { input: '$subs', as: 'sub', in: { $add: ['$$sub.k', 1] } } },
  { $reduce: { input: '$list', initialValue: 0, in: { $add: ['$$value', '$$this'] } } },
  { $sum: '$list' },
  { $max: '$list' },
  { $objectToArray: { a: '$n' } },
  { $mergeObjects: [{ a: 1 }, { b: '$n' }] },
  '$subs.k',
];

const PIPELINES: Doc[][] = [
  [{ $unwind: '$list' }, { $project: { _id: 0, list: 1, n: 1 } }],
  [{ $group: { _id: '$s', total: { $sum: '$n' }, most: { $max: '$m' }, all: { $push: '$n' } } }, { $sort: { _id: 1 } }],
  [{ $sort: { n: 1, m: -1 } }, { $skip: 1 }, { $limit: 3 }, { $project: { n: 1, m: 1, _id: 0 } }],
  [{ $addFields: { 'sub.k': '$n' } }, { $unset: ['subs', 'x'] }],
  [{ $count: 'count' }],
];

function plain(value: unknown): unknown {
  return JSON.parse(EJSON.stringify({ value }, { relaxed: true }));
}

async function agree(docs: Doc[], pipeline: Doc[]): Promise<void> {
  const ours = await aggregate(docs, pipeline);
  const theirs = new Aggregator(pipeline, { context }).run(structuredClone(docs));
  expect(plain(ours)).toEqual(plain(theirs));
}

describe('mingo agrees', () => {
  it.each(EXPRESSIONS.map((expression) => ({ text: JSON.stringify(expression), expression })))(
    'the engine and mingo agree on the pipeline $text',
    async ({ expression }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 5 }), (docs) =>
          agree(docs, [{ $project: { _id: 0, r: expression } }]),
        ),
        { numRuns: 60 },
      );
    },
  );

  it.each(PIPELINES.map((pipeline) => ({ text: JSON.stringify(pipeline), pipeline })))(
    'the engine and mingo agree on $text',
    async ({ pipeline }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 8 }), (docs) => agree(docs, pipeline)),
        { numRuns: 60 },
      );
    },
  );
});
