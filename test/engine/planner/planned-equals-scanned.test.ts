// A query with a plan returns what a full scan returns, whatever the documents, indexes and filters. PLANNER_RUNS sets the number of runs.
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { Collection, Document, Filter, Sort } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';
import { arrayDoc, arrayFilter, doc, filter, INDEXES, sort, update } from './arbitraries.js';

const RUNS = Number(process.env.PLANNER_RUNS ?? 25);

/** Fills both collections. Documents that an index refuses are left out of both. */
async function fill(indexed: Collection<Document>, plain: Collection<Document>, docs: Document[]): Promise<void> {
  await Promise.all([indexed.deleteMany({}), plain.deleteMany({})]);
  const numbered = docs.map((each, i): Document => ({ ...each, _id: i }));
  await indexed.insertMany(numbered, { ordered: false }).catch(() => undefined);
  const stored = await indexed.find().toArray();
  if (stored.length > 0) await plain.insertMany(stored);
}

describe('any answer through an index', () => {
  let at: TestEngine;
  let indexed: Collection<Document>;
  let plain: Collection<Document>;
  beforeAll(async () => {
    at = await startTestEngine();
    indexed = at.db.collection<Document>('indexed');
    plain = at.db.collection<Document>('plain');
    for (const key of INDEXES) await indexed.createIndex(key as Record<string, 1 | -1>);
    await indexed.createIndex({ c: 1 }, { sparse: true, name: 'sparse' });
    await indexed.createIndex({ 'b.x': 1 }, { sparse: true, name: 'sparse-inner' });
    await indexed.createIndex({ b: 1 }, { partialFilterExpression: { c: { $gt: 0 } }, name: 'partial' });
  });
  afterAll(() => at.close());

  const docs = fc.array(doc, { minLength: 1, maxLength: 9 });

  it('a result through an index equals that of a full scan', async () => {
    const round = fc.array(fc.tuple(filter, sort), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(docs, round, async (given, asks) => {
        await fill(indexed, plain, given);
        for (const [where, order] of asks) {
          const find = (c: typeof plain) =>
            c
              .find(where as Filter<Document>)
              .sort(order as Sort)
              .limit(5)
              .toArray();
          // Sorting by two arrays of one document is refused, unless an index is in that order already.
          const scanned = await find(plain).catch(() => undefined);
          if (scanned) expect(await find(indexed), inspect({ where, order })).toEqual(scanned);
          const count = (c: typeof plain) => c.countDocuments(where as Filter<Document>);
          expect(await count(indexed), inspect(where)).toBe(await count(plain));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('a result through an index equals that of a full scan for conditions on arrays in arrays', async () => {
    const c = at.db.collection<Document>('arrays');
    await c.createIndexes([{ key: { a: 1 } }, { key: { 'a.x': 1 } }]);
    const given = fc.array(arrayDoc, { minLength: 1, maxLength: 9 });
    const filters = fc.array(arrayFilter, { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(given, filters, async (rows, asks) => {
        await c.deleteMany({});
        await c.insertMany(rows);
        for (const where of asks) {
          const scanned = await c.countDocuments(where, { hint: { $natural: 1 } });
          expect(await c.countDocuments(where), inspect(where, { depth: 9 })).toBe(scanned);
          for (const hint of ['a_1', 'a.x_1']) {
            expect((await c.find(where, { hint }).toArray()).length, inspect(where, { depth: 9 })).toBe(scanned);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('a result through a hinted sparse index has the documents with the field', async () => {
    await fc.assert(
      fc.asyncProperty(docs, filter, async (given, where) => {
        await fill(indexed, plain, given);
        for (const [hint, path] of [
          ['sparse', 'c'],
          ['sparse-inner', 'b.x'],
        ] as const) {
          const present = { [path]: { $exists: true } };
          for (const query of [{}, where] as Filter<Document>[]) {
            const both = { $and: [query, present] };
            expect(await indexed.countDocuments(query, { hint }), inspect(query)).toBe(
              await plain.countDocuments(both),
            );
            expect(await at.db.command({ count: 'indexed', query, hint })).toMatchObject({
              n: await plain.countDocuments(both),
            });
            const rows = await indexed.find(query, { hint, sort: { _id: 1 } }).toArray();
            expect(rows).toEqual(await plain.find(both, { sort: { _id: 1 } }).toArray());
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('an update through an index changes the same documents, or fails with the same error', async () => {
    await fc.assert(
      fc.asyncProperty(docs, filter, update, async (given, where, change) => {
        await fill(indexed, plain, given);
        // One document at a time: several that match would be updated in the order in which they are found, which may
        // differ.
        for (const { _id } of await plain.find().toArray()) {
          const query = { $and: [{ _id }, where] };
          const run = (c: typeof plain) =>
            c.updateOne(query as Filter<Document>, change as Document).then(
              ({ modifiedCount }) => modifiedCount,
              (error: { code: number }) => error.code,
            );
          const done = await run(indexed);
          // An index cannot have such a document, so only the collection with indexes refuses the update.
          if (done !== 171 && done !== 16746) expect(await run(plain), inspect({ where, change })).toBe(done);
        }
        const rows = (c: typeof plain) => c.find().sort({ _id: 1 }).toArray();
        expect(await rows(indexed), inspect({ where, change })).toEqual(await rows(plain));
      }),
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

  it('a partial index through an array returns what a full scan does, each document once, in find, count and $lookup', async () => {
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

  it('a read of only _id returns what a full scan does, also after writes of its own transaction', async () => {
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

  it('explain shows that a sorted page by a compound index needs no sort and reads no more than the page', async () => {
    const found = await at.db.collection('e').find({ g: 3 }).sort({ n: -1 }).limit(10).explain('executionStats');
    expect(JSON.stringify(found.queryPlanner.winningPlan)).not.toContain('SORT');
    expect(found.executionStats).toMatchObject({ nReturned: 10, totalKeysExamined: 10, totalDocsExamined: 10 });
  });

  it('explain shows that an equality in $expr is found by an index, for all clients', async () => {
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

  it('explain shows no other index for one `_id`, and the others for several', async () => {
    const c = at.db.collection('e');
    const [one, other] = (await c.find({}, { limit: 2 }).toArray()).map(({ _id }) => _id);
    const plans = async (_id: unknown) => (await c.find({ _id, g: { $gte: 0 } } as object).explain()).queryPlanner;
    const byId = await plans(one);
    expect(JSON.stringify(byId.winningPlan)).toContain('"indexName":"_id_"');
    expect(byId.rejectedPlans).toEqual([]);
    expect((await plans({ $in: [one, other] })).rejectedPlans).not.toEqual([]);
  });

  it('explain shows that everything is read if no index helps', async () => {
    const found = await at.db.collection('e').find({ x: 1 }).explain('executionStats');
    expect(found.queryPlanner.winningPlan.stage).toBe('COLLSCAN');
    expect(found.executionStats).toMatchObject({ nReturned: 0, totalDocsExamined: 500 });
  });
});
