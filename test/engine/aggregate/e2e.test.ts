// Pipelines through the real driver and a served engine: planner, cursors, transactions and errors included.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, type Document, Long, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningEngine, serveEngine } from '../../../src/engine/server.js';

let dataDir: string;
let engine: RunningEngine;
let client: MongoClient;
let db: Db;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'engine-aggregate-'));
  engine = await serveEngine({ dataDir, port: 0 });
  client = await MongoClient.connect(engine.uri);
  db = client.db('shop');
  const parents = Array.from({ length: 20 }, (_, i) => ({ _id: i as never, name: `p${i}`, tags: [i % 2, i % 3] }));
  await db.collection('parents').insertMany(parents);
  await db.collection('children').createIndex({ parent: 1, rank: -1 });
  await db
    .collection('children')
    .insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: i as never, parent: i % 20, rank: i, price: i / 4 })));
});

afterAll(async () => {
  await client?.close();
  await engine?.close();
  await rm(dataDir, { recursive: true, force: true });
});

function run(collection: string, pipeline: Document[], options: Document = {}): Promise<Document[]> {
  return db.collection(collection).aggregate(pipeline, options).toArray();
}

describe('through the driver', () => {
  it('the driver can group, sort and limit', async () => {
    const found = await run('children', [
      { $match: { rank: { $gte: 100 } } },
      { $group: { _id: '$parent', n: { $sum: 1 }, top: { $max: '$rank' }, mean: { $avg: '$price' } } },
      { $sort: { top: -1 } },
      { $limit: 2 },
    ]);
    expect(found).toEqual([
      { _id: 19, n: 45, top: 999, mean: 139.75 },
      { _id: 18, n: 45, top: 998, mean: 139.5 },
    ]);
  });

  it('$lookup finds the best three children of each parent', async () => {
    const found = await run('parents', [
      { $sort: { _id: 1 } },
      {
        $lookup: {
          from: 'children',
          localField: '_id',
          foreignField: 'parent',
          as: 'best',
          pipeline: [{ $sort: { rank: -1 } }, { $limit: 3 }, { $project: { _id: 0, rank: 1 } }],
        },
      },
    ]);
    expect(found).toHaveLength(20);
    expect(found[3]?.best).toEqual([{ rank: 983 }, { rank: 963 }, { rank: 943 }]);
  });

  it('$lookup as the last stage, which copies bytes, finds the same documents as before another stage', async () => {
    const projections = [
      { rank: 1 },
      { _id: false, rank: true, price: 1 },
      { rank: 0 },
      { twice: { $add: ['$rank', 1] } },
    ];
    for (const stages of [[], ...projections.map((spec) => [{ $project: spec }])]) {
      const pipeline = [{ $match: { rank: { $gte: 20 } } }, { $sort: { rank: 1 } }, { $limit: 3 }, ...stages];
      const lookup = { from: 'children', localField: '_id', foreignField: 'parent', as: 'some', pipeline };
      const before = [{ $sort: { _id: 1 } }, { $lookup: lookup }];
      const last = await run('parents', before);
      expect(last).toEqual(await run('parents', [...before, { $match: { _id: { $gte: 0 } } }]));
      expect(last.flatMap(({ some }) => some)).toHaveLength(60);
    }
  });

  it('$lookup by $expr can use variables of the command and of the stage', async () => {
    const pipeline = [
      { $match: { $expr: { $eq: ['$name', '$$wanted'] } } },
      {
        $lookup: {
          from: 'children',
          let: { id: '$_id' },
          pipeline: [
            { $match: { $expr: { $and: [{ $eq: ['$parent', '$$id'] }, { $gt: ['$rank', '$$floor'] }] } } },
            { $count: 'n' },
          ],
          as: 'many',
        },
      },
    ];
    const found = await run('parents', pipeline, { let: { wanted: 'p7', floor: 900 } });
    expect(found.map((doc) => doc.many)).toEqual([[{ n: 5 }]]);
  });

  it('a long aggregation result comes in batches', async () => {
    const cursor = db
      .collection('children')
      .aggregate([{ $addFields: { twice: { $multiply: ['$rank', 2] } } }], { batchSize: 50 });
    let seen = 0;
    for await (const doc of cursor) {
      expect(doc.twice).toBe(doc.rank * 2);
      seen += 1;
    }
    expect(seen).toBe(1000);
  });

  it('an aggregation keeps types over the wire', async () => {
    await db.collection('types').insertOne({ big: Long.fromString('9007199254740993') });
    const found = await db
      .collection('types')
      .aggregate([{ $group: { _id: null, sum: { $sum: '$big' } } }], { promoteLongs: false })
      .toArray();
    expect(String(found[0]?.sum)).toBe('9007199254740993');
  });

  it('$facet, $unionWith, $unwind and $sortByCount work through the driver', async () => {
    const found = await run('parents', [
      { $unwind: '$tags' },
      {
        $facet: {
          tags: [{ $sortByCount: '$tags' }],
          count: [{ $count: 'n' }],
          more: [{ $limit: 1 }, { $unionWith: 'types' }, { $count: 'n' }],
        },
      },
    ]);
    expect(found[0]?.tags).toEqual([
      { _id: 0, count: 17 },
      { _id: 1, count: 17 },
      { _id: 2, count: 6 },
    ]);
    expect(found[0]?.count).toEqual([{ n: 40 }]);
    expect(found[0]?.more).toEqual([{ n: 2 }]);
  });

  it('$documents, $indexStats and $collStats work through the driver', async () => {
    expect(await db.aggregate([{ $documents: [{ a: 1 }, { a: 2 }] }, { $match: { a: 2 } }]).toArray()).toEqual([
      { a: 2 },
    ]);
    const indexes = await run('children', [{ $indexStats: {} }]);
    expect(indexes.map((index) => index.name).sort()).toEqual(['_id_', 'parent_1_rank_-1']);
    expect(await run('children', [{ $collStats: { count: {} } }])).toMatchObject([
      { ns: 'shop.children', count: 1000 },
    ]);
  });

  it('countDocuments returns the same as the driver expects', async () => {
    expect(await db.collection('children').countDocuments({ parent: 3 })).toBe(50);
    expect(await db.collection('children').countDocuments({}, { skip: 990 })).toBe(10);
    expect(await db.collection('children').countDocuments({ parent: 99 })).toBe(0);
  });

  it('an update by a pipeline works through the driver', async () => {
    await db.collection('totals').insertOne({ _id: 1 as never, a: 2, b: 3 });
    await db
      .collection('totals')
      .updateOne({ _id: 1 as never }, [{ $set: { sum: { $add: ['$a', '$b'] } } }, { $unset: 'a' }]);
    expect(await db.collection('totals').findOne({ _id: 1 as never })).toEqual({ _id: 1, b: 3, sum: 5 });
  });

  it('an equality in $expr is served by an index', async () => {
    const used = async (): Promise<number> => {
      const stats = await run('children', [{ $indexStats: {} }]);
      return Number(stats.find((index) => index.name === 'parent_1_rank_-1')?.accesses.ops);
    };
    const before = await used();
    const found = await run('children', [{ $match: { $expr: { $eq: ['$parent', '$$p'] } } }, { $count: 'n' }], {
      let: { p: 4 },
    });
    expect(found).toEqual([{ n: 50 }]);
    expect(await used()).toBe(before + 1);
  });

  it('statistics are refused in a transaction', async () => {
    await client.withSession(async (session) => {
      session.startTransaction();
      await expect(run('children', [{ $indexStats: {} }], { session })).rejects.toMatchObject({ code: 263 });
      await session.abortTransaction();
    });
  });

  it('an aggregation sees the writes of its own transaction, also in $lookup', async () => {
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await db.collection('children').insertOne({ _id: 5000 as never, parent: 0, rank: 5000 }, { session });
        const lookup = {
          from: 'children',
          localField: '_id',
          foreignField: 'parent',
          as: 'best',
          pipeline: [{ $sort: { rank: -1 } }, { $limit: 1 }],
        };
        const found = await run('parents', [{ $match: { _id: 0 } }, { $lookup: lookup }], { session });
        expect(found[0]?.best).toMatchObject([{ _id: 5000 }]);
        await session.abortTransaction();
      }),
    );
  });
});

describe('errors through the driver', () => {
  it.each([
    { pipeline: [{ $nope: {} }], code: 40324 },
    { pipeline: [{ $project: { a: { $foo: 1 } } }], code: 168 },
    { pipeline: [{ $graphLookup: {} }], code: 238 },
    { pipeline: [{ $project: { a: { $divide: [1, '$rank'] } } }], code: 2 },
    { pipeline: [{ $match: { $expr: { $toInt: 'x' } } }], code: 241 },
    { pipeline: [{ $out: 'x' }], code: 238 },
  ])('the driver gets error $code for $pipeline', async ({ pipeline, code }) => {
    await expect(run('children', pipeline)).rejects.toMatchObject({ code });
  });
});
