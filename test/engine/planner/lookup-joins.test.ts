// A $lookup plans its first join and uses that plan for the other values, too: each join finds what a full scan finds. LOOKUP_RUNS sets the number of
// runs.
import fc from 'fast-check';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

const scalar = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 2 }) }, fc.constantFrom(null, 'a', 1.5));
const value = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar }) },
  { weight: 1, arbitrary: fc.array(fc.record({ x: scalar }), { maxLength: 2 }) },
);
const row = fc.record({ a: value, b: scalar, n: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: ['n'] });
const parents = fc.array(fc.record({ at: value }, { requiredKeys: [] }), { minLength: 3, maxLength: 6 });
const match = fc.oneof(
  fc.constantFrom<Document>({}, { b: 1 }, { b: { $in: [1, 2] } }, { b: { $gt: 0 } }, { n: 2 }, { a: 1 }),
  fc.constantFrom<Document>({ a: { $gt: 0 } }, { $expr: { $eq: ['$b', 1] } }, { 'a.x': 1 }, { b: { $ne: 1 } }),
);
const stages = fc.record({
  match,
  sort: fc.constantFrom<Document>({ n: 1, _id: 1 }, { n: -1, _id: -1 }, { _id: 1 }, { b: 1, _id: 1 }),
  window: fc.constantFrom<Document[]>([], [{ $limit: 2 }], [{ $skip: 1 }, { $limit: 1 }]),
  last: fc.constantFrom<Document[]>([], [{ $project: { a: 1, n: 1 } }], [{ $addFields: { more: '$n' } }]),
});
const field = fc.constantFrom('a', 'a', 'a.x', 'b', '_id');

/** One set of indexes at a time, because a plan is reused only if it was the only possible one. */
const INDEXES: [Record<string, 1 | -1>, Document][][] = [
  [[{ a: 1, n: 1, _id: 1 }, {}]],
  [[{ a: -1 }, { sparse: true }]],
  [[{ 'a.x': 1, n: -1 }, {}]],
  [[{ a: 1, n: 1, _id: 1 }, { partialFilterExpression: { b: 1 } }]],
  [[{ a: 1 }, { partialFilterExpression: { a: 1 } }]],
  [[{ b: 1, a: 1, n: 1, _id: 1 }, {}]],
  [[{ b: 1, n: 1, _id: 1 }, { unique: true }]],
  [[{ a: 1, n: -1 }, {}]],
  [[{ b: 1 }, { partialFilterExpression: { b: { $gt: 0 } } }]],
  [
    [{ a: 1, n: 1, _id: 1 }, { partialFilterExpression: { b: 1 } }],
    [{ b: 1, n: 1, _id: 1 }, {}],
  ],
];

describe('$lookup by an index', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
    await at.db.collection('plain').createIndex({ unused: 1 });
    for (const [i, indexes] of INDEXES.entries())
      for (const [key, options] of indexes) await at.db.collection(`indexed${i}`).createIndex(key, options);
  });
  afterAll(() => at.close());

  it('$lookup by an index finds the same for each parent as a full scan, also in a transaction', async () => {
    const fill = async (name: string, docs: Document[]) => {
      await at.db.collection(name).deleteMany({});
      if (docs.length > 0) await at.db.collection(name).insertMany(docs as never[]);
    };
    const question = fc.record({ field, stages, inTransaction: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 4, maxLength: 9 }),
        parents,
        fc.array(question, { minLength: 4, maxLength: 4 }),
        async (rows, joining, questions) => {
          const docs = rows.map((each, _id): Document => ({ ...each, _id }));
          const all = ['plain', ...INDEXES.map((_, i) => `indexed${i}`)];
          await Promise.all(all.map((name) => fill(name, docs)));
          await fill(
            'parents',
            joining.map((each, _id): Document => ({ ...each, _id })),
          );
          for (const { field: foreignField, stages: given, inTransaction } of questions) {
            const pipeline = [{ $match: given.match }, { $sort: given.sort }, ...given.window, ...given.last];
            const joined = (from: string) =>
              at.client.withSession(async (session) => {
                if (inTransaction) session.startTransaction();
                const extra = { a: 1, b: 1, n: 3, _id: 100 } as never;
                if (inTransaction) await at.db.collection(from).insertOne(extra, { session });
                const lookup = { from, localField: 'at', foreignField, pipeline, as: 'rows' };
                const results = at.db
                  .collection('parents')
                  .aggregate([{ $sort: { _id: 1 } }, { $lookup: lookup }], { session })
                  .toArray();
                return results.finally(() => inTransaction && session.abortTransaction());
              });
            const [expected, ...results] = await Promise.all(all.map(joined));
            for (const [i, result] of results.entries())
              expect(result, JSON.stringify([INDEXES[i], { foreignField, pipeline }])).toEqual(expected);
          }
        },
      ),
      { numRuns: Number(process.env.LOOKUP_RUNS ?? 12) },
    );
  });
});
