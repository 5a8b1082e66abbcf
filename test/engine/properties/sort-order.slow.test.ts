// The order of empty arrays, null, missing fields and all other values is the same through an index and without one.
import fc from 'fast-check';
import type { Document, Sort } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';
import { forSomeTime, TEST_TIMEOUT } from './time.js';

const scalar = fc.constantFrom<unknown>(null, 1, 2, 'x', false);
const value = fc.oneof(
  { weight: 2, arbitrary: scalar },
  { weight: 2, arbitrary: fc.constantFrom<unknown>([], [[]], [null], [[], 1], [null, 'x']) },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
);
const docs = fc.array(fc.record({ a: value, b: scalar }, { requiredKeys: [] }), { minLength: 1, maxLength: 8 });

type Way = 1 | -1;

/** The rank of a value that is no array with elements: undefined (for an empty array) is first. */
function rankOf(each: unknown): number {
  if (each === undefined) return 0;
  if (each === null) return 1;
  if (typeof each === 'number') return 1 + each;
  if (typeof each === 'string') return 4;
  return Array.isArray(each) ? 5 : 6;
}

/**
 * The rank of a field: that of an array is the rank of its least element, or of its greatest when the order is
 * descending.
 */
function placeOf(field: unknown, way: Way): number {
  if (!Array.isArray(field)) return rankOf(field ?? null) * way;
  const ranks = (field.length === 0 ? [undefined] : field).map((each) => rankOf(each) * way);
  return Math.min(...ranks);
}

describe('documents with empty arrays, null and missing fields', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
    await at.db.collection('indexed').createIndexes([{ key: { a: 1 } }, { key: { b: 1, a: -1 } }]);
  });
  afterAll(() => at.close());

  it(
    'documents with empty arrays, null and missing fields are sorted and found alike with an index and without',
    async () => {
      const ways = fc.constantFrom<Way>(1, -1);
      await forSomeTime(
        fc.asyncProperty(docs, ways, ways, async (all, first, second) => {
          const [indexed, plain] = ['indexed', 'plain'].map((name) => at.db.collection<Document>(name));
          if (!indexed || !plain) throw new Error('two collections');
          for (const c of [indexed, plain]) {
            await c.deleteMany({});
            await c.insertMany(all.map((each, i) => ({ ...each, _id: i as never })));
          }
          const sorted = async (sort: Sort, ways: [string, Way][]): Promise<void> => {
            for (const c of [indexed, plain]) {
              for (const found of [
                await c.find().sort(sort).toArray(),
                await c.aggregate([{ $sort: sort as Document }]).toArray(),
              ]) {
                const places = found.map((each) => ways.map(([name, way]) => placeOf(each[name], way)));
                expect(places).toHaveLength(all.length);
                expect(places).toEqual(
                  [...places].sort((x, y) => (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0)),
                );
              }
            }
          };
          await sorted({ a: first }, [['a', first]]);
          await sorted({ b: first, a: second }, [
            ['b', first],
            ['a', second],
          ]);
          for (const filter of [
            { a: [] },
            { a: null },
            { a: { $in: [[], 1] } },
            { a: { $exists: false } },
            { b: 1, a: [] },
          ]) {
            const ids = async (c: typeof plain) =>
              (await c.find(filter).toArray()).map(({ _id }) => Number(_id)).sort();
            expect(await ids(indexed), JSON.stringify(filter)).toEqual(await ids(plain));
          }
        }),
      );
    },
    TEST_TIMEOUT,
  );

  it('documents with empty arrays, null and missing fields share a unique index, one of each', async () => {
    const c = at.db.collection('unique');
    await c.createIndex({ a: 1 }, { unique: true });
    await c.insertMany([{ a: [] }, { a: null }, { a: [[]] }]);
    await expect(c.insertOne({ a: [] })).rejects.toMatchObject({ code: 11000, message: /dup key: \{ a: undefined \}/ });
    await expect(c.insertOne({})).rejects.toMatchObject({ code: 11000, message: /dup key: \{ a: null \}/ });
  });
});
