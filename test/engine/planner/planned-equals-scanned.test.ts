// A planned answer is the full scan’s answer, whatever the documents, indexes and filters; PLANNER_RUNS sets how many are tried.
import fc from 'fast-check';
import type { Document, Filter, Sort } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

const RUNS = Number(process.env.PLANNER_RUNS ?? 25);

const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(null, 'a', 'ab', 'b', true, false, 1.5, new Date(0)),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.array(fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }), { maxLength: 2 }) },
);
const doc = fc.record({ a: value, b: value, c: scalar }, { requiredKeys: [] });
const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'b.x');
const condition = fc.oneof(
  scalar,
  fc.record({ $in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $gt: scalar }),
  fc.record({ $gte: scalar, $lt: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $ne: scalar }),
  fc.constant({ $regex: '^a' }),
);
const clause = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(path, condition).map(([name, test]): Document => ({ [name]: test })) },
  {
    weight: 1,
    arbitrary: fc.tuple(path, scalar).map(([name, to]): Document => ({ $expr: { $eq: [`$${name}`, to] } })),
  },
);
const filter = fc.oneof(
  fc.array(clause, { maxLength: 3 }).map((all): Document => (all.length > 0 ? { $and: all } : {})),
  fc.array(clause, { minLength: 1, maxLength: 3 }).map((any): Document => ({ $or: any })),
);
const sort = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'a.x'), fc.constantFrom(1, -1)), {
    maxLength: 2,
    selector: ([name]) => name,
  })
  .map((fields): Document => ({ ...Object.fromEntries(fields), _id: 1 }));

const INDEXES: Document[] = [{ a: 1 }, { b: -1, c: 1 }, { 'a.x': 1, c: -1 }, { 'a.x': 1, 'a.y': 1 }, { c: 1, _id: 1 }];

describe('any answer through an index', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('is the answer of a full scan', async () => {
    const indexed = at.db.collection<Document>('indexed');
    const plain = at.db.collection<Document>('plain');
    for (const key of INDEXES) await indexed.createIndex(key as Record<string, 1 | -1>).catch(() => undefined);
    await indexed.createIndex({ c: 1 }, { sparse: true, name: 'sparse' });
    await indexed.createIndex({ b: 1 }, { partialFilterExpression: { c: { $gt: 0 } }, name: 'partial' });
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(filter, sort), { minLength: 6, maxLength: 6 }),
        async (docs, asks) => {
          const numbered = docs.map((each, i) => ({ ...each, _id: i })) as Document[];
          await Promise.all([indexed.deleteMany({}), plain.deleteMany({})]);
          // Documents with two arrays that one index would have to combine are refused; both sides then lack them.
          for (const each of numbered) {
            const kept = await indexed.insertOne({ ...each }).then(
              () => true,
              () => false,
            );
            if (kept) await plain.insertOne({ ...each });
          }
          for (const [where, order] of asks) {
            const find = (c: typeof plain) =>
              c
                .find(where as Filter<Document>)
                .sort(order as Sort)
                .limit(5)
                .toArray();
            // A sort by two arrays of one document is refused where it has to sort; an index may have it sorted already.
            const scanned = await find(plain).catch(() => undefined);
            if (scanned) expect(await find(indexed), JSON.stringify({ where, order })).toEqual(scanned);
            const count = (c: typeof plain) => c.countDocuments(where as Filter<Document>);
            expect(await count(indexed), JSON.stringify(where)).toBe(await count(plain));
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('a partial index through an array', () => {
  const letter = fc.constantFrom('a', 'b', 'c');
  const row = fc.record(
    { l: fc.array(fc.record({ x: letter }), { maxLength: 3 }), live: fc.boolean(), n: fc.integer({ min: 0, max: 3 }) },
    { requiredKeys: ['live'] },
  );
  const asked = fc.record({ live: fc.boolean(), 'l.x': fc.oneof(letter, fc.record({ $in: fc.array(letter) })) });
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('gives what a full scan gives, each document once, in find, count and $lookup', async () => {
    const indexed = at.db.collection<Document>('partial');
    const plain = at.db.collection<Document>('whole');
    await indexed.createIndex({ 'l.x': 1, n: 1, _id: 1 }, { partialFilterExpression: { live: true } });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 9 }), asked, async (docs, where) => {
        const numbered = docs.map((each, i): Document => ({ ...each, _id: i }));
        await Promise.all([indexed, plain].map((c) => c.deleteMany({})));
        await Promise.all([indexed, plain].map((c) => c.insertMany(numbered as never[])));
        const key = { _id: -1, l: [{ x: 'a' }, { x: 'b' }] } as never;
        await plain.insertOne(key);
        const results = (c: typeof plain) => {
          const rest = [{ $match: { live: where.live } }, { $sort: { n: 1, _id: 1 } }, { $limit: 3 }] as const;
          const lookup = { from: c.collectionName, localField: 'l.x', foreignField: 'l.x', pipeline: rest, as: 'rows' };
          return Promise.all([
            c.find(where as never, { sort: { n: 1, _id: 1 } }).toArray(),
            c.countDocuments(where as never),
            plain.aggregate([{ $sort: { _id: 1 } }, { $project: { l: 1 } }, { $lookup: lookup }] as never).toArray(),
          ]);
        };
        expect(await results(indexed), JSON.stringify(where)).toEqual(await results(plain));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a read of nothing but _id', () => {
  const id = fc.oneof(fc.constantFrom('a', 'b', 'ab', ''), fc.integer({ min: 0, max: 2 }), fc.constant({ a: 'a' }));
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('gives what a full scan gives, also after writes of its own transaction', async () => {
    const c = at.db.collection<Document>('ids');
    const ids = fc.uniqueArray(id, { selector: (each) => JSON.stringify(each), minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(ids, ids, ids, fc.array(id, { minLength: 1 }), async (stored, added, removed, asked) => {
        await c.deleteMany({});
        await c.insertMany(stored.map((_id) => ({ _id, n: 1 })) as never[]);
        await at.client.withSession(async (session) => {
          const results = async () => {
            const stages = [{ $match: { _id: { $in: asked } } }, { $project: { _id: 1 } }, { $addFields: { x: 1 } }];
            const planned = await c.aggregate(stages, { session }).toArray();
            const scanned = await c.aggregate(stages, { session, hint: { $natural: 1 } }).toArray();
            const sorted = (docs: Document[]) => docs.map((each) => JSON.stringify(each)).sort();
            expect(sorted(planned)).toEqual(sorted(scanned));
            expect(await c.countDocuments({ _id: { $in: asked } } as never, { session })).toBe(scanned.length);
          };
          await results();
          session.startTransaction();
          await c.deleteMany({ _id: { $in: removed } } as never, { session });
          const fresh = added.filter((each) => !stored.some((old) => JSON.stringify(old) === JSON.stringify(each)));
          if (fresh.length > 0) await c.insertMany(fresh.map((_id) => ({ _id, n: 2 })) as never[], { session });
          await results();
          await session.abortTransaction();
        });
      }),
      { numRuns: RUNS },
    );
  });
});

describe('explain', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
    const c = at.db.collection('e');
    await c.createIndex({ g: 1, n: -1 });
    await c.insertMany(Array.from({ length: 500 }, (_, i) => ({ g: i % 5, n: i })));
  });
  afterAll(() => at.close());

  it('says that a sorted page by a compound index needs no sort and reads no more than the page', async () => {
    const found = await at.db.collection('e').find({ g: 3 }).sort({ n: -1 }).limit(10).explain('executionStats');
    expect(JSON.stringify(found.queryPlanner.winningPlan)).not.toContain('SORT');
    expect(found.executionStats).toMatchObject({ nReturned: 10, totalKeysExamined: 10, totalDocsExamined: 10 });
  });

  it('says that an equality in $expr is found by an index, whoever asks', async () => {
    const where = { $expr: { $eq: ['$g', { $add: [1, 1] }] } };
    const explain = async (command: Document) =>
      JSON.stringify(await at.db.command({ explain: command, verbosity: 'queryPlanner' }));
    expect(await explain({ find: 'e', filter: where })).toContain('"indexName":"g_1_n_-1"');
    expect(await explain({ update: 'e', updates: [{ q: where, u: { $set: { m: 1 } } }] })).toContain('IXSCAN');
    expect(await explain({ delete: 'e', deletes: [{ q: where, limit: 0 }] })).toContain('IXSCAN');
    const uses = async () => {
      const stats = await at.db
        .collection('e')
        .aggregate([{ $indexStats: {} }])
        .toArray();
      return Number(stats.find(({ name }) => name === 'g_1_n_-1')?.accesses.ops);
    };
    const before = await uses();
    const match = { $match: { $expr: { $eq: ['$g', '$$key'] } } };
    const lookup = { $lookup: { from: 'e', let: { key: '$g' }, pipeline: [match, { $count: 'n' }], as: 'same' } };
    await at.db
      .collection('e')
      .aggregate([{ $limit: 1 }, lookup])
      .toArray();
    expect(await uses()).toBeGreaterThan(before);
  });

  it('looks at no other index for one `_id`, and at the others for several', async () => {
    const c = at.db.collection('e');
    const [one, other] = (await c.find({}, { limit: 2 }).toArray()).map(({ _id }) => _id);
    const plans = async (_id: unknown) => (await c.find({ _id, g: { $gte: 0 } } as object).explain()).queryPlanner;
    const byId = await plans(one);
    expect(JSON.stringify(byId.winningPlan)).toContain('"indexName":"_id_"');
    expect(byId.rejectedPlans).toEqual([]);
    expect((await plans({ $in: [one, other] })).rejectedPlans).not.toEqual([]);
  });

  it('says that everything is read where no index helps', async () => {
    const found = await at.db.collection('e').find({ x: 1 }).explain('executionStats');
    expect(found.queryPlanner.winningPlan.stage).toBe('COLLSCAN');
    expect(found.executionStats).toMatchObject({ nReturned: 0, totalDocsExamined: 500 });
  });
});
