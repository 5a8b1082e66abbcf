// $project: numbers of every type include and exclude, also where the store reads only what a pipeline needs.
import { Decimal128, Double, Int32, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

const TYPES: [string, (n: number) => unknown][] = [
  ['int', (n) => new Int32(n)],
  ['long', (n) => Long.fromNumber(n)],
  ['double', (n) => new Double(n)],
  ['decimal', (n) => Decimal128.fromString(String(n))],
  ['boolean', (n) => n !== 0],
];

describe('$project', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
    await at.db.collection<{ _id: number }>('c').insertOne({ _id: 1, key: 2, other: { a: 3, b: 4 }, last: 5 } as never);
  });
  afterAll(() => at.close());

  const project = (spec: object) =>
    at.db
      .collection('c')
      .aggregate([{ $project: spec }])
      .toArray();

  it.each(TYPES)('$project includes and excludes by a value of type %s', async (_name, flag) => {
    const [yes, no] = [flag(1), flag(0)];
    expect(await project({ _id: no, key: yes })).toEqual([{ key: 2 }]);
    expect(await project({ key: yes })).toEqual([{ _id: 1, key: 2 }]);
    expect(await project({ _id: yes })).toEqual([{ _id: 1 }]);
    expect(await project({ _id: no, key: no })).toEqual([{ other: { a: 3, b: 4 }, last: 5 }]);
    expect(await project({ key: no })).toEqual([{ _id: 1, other: { a: 3, b: 4 }, last: 5 }]);
    expect(await project({ _id: 0, other: { b: yes } })).toEqual([{ other: { b: 4 } }]);
    expect(await project({ _id: 0, 'other.a': yes, sum: { $add: ['$key', 1] } })).toEqual([
      { other: { a: 3 }, sum: 3 },
    ]);
  });

  it('$project appends a field that is excluded and added again, as MongoDB since 6.2', async () => {
    const stages = [{ $project: { key: 0, none: 0 } }, { $addFields: { x: 1, last: 6, key: 7 } }];
    const [doc] = await at.db.collection('c').aggregate(stages).toArray();
    expect(Object.keys(doc ?? {})).toEqual(['_id', 'other', 'last', 'x', 'key']);
  });
});
