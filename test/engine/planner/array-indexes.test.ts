// Indexes over arrays: named cases of the comparisons that the random tests in this folder make, each with MongoDB's
// rule.
import type { Document, Filter } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

let at: TestEngine;
let round = 0;
beforeAll(async () => {
  at = await startTestEngine();
});
afterAll(() => at.close());
beforeEach(() => {
  round += 1;
});

const rows = () => at.db.collection<Document>(`rows${round}`);

/** What a filter finds among one document, through an index on `path`. */
async function found(path: string, doc: Document, filter: Document): Promise<number> {
  await rows().createIndex({ [path]: 1 });
  await rows().insertOne(doc);
  return (
    await rows()
      .find(filter, { hint: { [path]: 1 } })
      .toArray()
  ).length;
}

describe('$all with an index', () => {
  it.each<[Document, Document, number]>([
    [{ x: ['ac', 'xyz2'] }, { x: { $all: [/.*b.*c/, 'ac'] } }, 0],
    [{ x: ['ac', 'abc'] }, { x: { $all: [/.*b.*c/, 'ac'] } }, 1],
    [{ x: ['ac', 'b'] }, { x: { $all: ['ac', /^x/] } }, 0],
    [{ x: ['ac', 'b'] }, { x: { $all: ['ac', /^b/i] } }, 1],
    [{ x: 'ac' }, { x: { $all: ['ac', /b/] } }, 0],
    [{ x: ['a', 'b'] }, { $and: [{ x: { $all: ['a', /c/] } }, { x: 'b' }] }, 0],
  ])(
    '$all with an index requires each regular expression of the list: in %j, %o finds %i',
    async (doc, filter, count) => {
      expect(await found('x', doc, filter)).toBe(count);
      expect(await rows().countDocuments(filter as Filter<Document>)).toBe(count);
    },
  );
});

describe('$elemMatch inside $elemMatch', () => {
  it.each<[string, Document, Document]>([
    ['a', { a: [[2]] }, { a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }],
    ['a', { a: [1, [5, 7]] }, { a: { $elemMatch: { $elemMatch: { $in: [7] } } } }],
    ['a', { a: [[[3]]] }, { a: { $elemMatch: { $elemMatch: { $elemMatch: { $eq: 3 } } } } }],
    ['a.x', { a: [[{ x: 1 }]] }, { a: { $elemMatch: { $elemMatch: { x: 1 } } } }],
    ['a', { a: [[1, 2]] }, { a: { $elemMatch: { $all: [{ $elemMatch: { $eq: 1 } }, { $elemMatch: { $eq: 2 } }] } } }],
    ['a.x', { a: [{ x: [[4]] }] }, { a: { $elemMatch: { x: { $elemMatch: { $elemMatch: { $lt: 5 } } } } } }],
  ])(
    '$elemMatch inside $elemMatch checks arrays of the array, which an index on %s does not contain: %j, %j',
    async (path, doc, filter) => {
      expect(await found(path, doc, filter)).toBe(1);
    },
  );
});

describe('a sparse index', () => {
  it.each<[string, Document]>([
    ['a document without the field', { a: [{}] }],
    ['an empty array', { a: [] }],
    ['a value', { a: [1] }],
    ['an array', { a: [[{ b: 1 }]] }],
    ['nothing at all', {}],
  ])(
    'a sparse index has no key for an array on its path that contains %s, so a unique one accepts two of them',
    async (_name, doc) => {
      await rows().createIndex({ 'a.b': 1 }, { sparse: true, unique: true });
      await rows().insertMany([{ ...doc }, { ...doc }]);
      expect(await rows().countDocuments({}, { hint: 'a.b_1' })).toBe(0);
    },
  );

  it('a sparse index has keys for null, for an empty array and for elements with the field, and no others', async () => {
    await rows().createIndex({ 'a.b': 1 }, { sparse: true, unique: true });
    await rows().insertMany([{ a: [{ b: null }] }, { a: { b: [] } }, { a: [{ b: 1 }, {}] }, { a: [{ b: 2 }, {}] }]);
    expect(await rows().countDocuments({}, { hint: 'a.b_1' })).toBe(4);
    await expect(rows().insertOne({ a: [{ b: null }] })).rejects.toMatchObject({ code: 11000 });
    await expect(rows().insertOne({ a: { b: [] } })).rejects.toMatchObject({ code: 11000 });
  });

  it('a sparse index over two fields has a key if one of them is present', async () => {
    await rows().createIndex({ 'a.b': 1, c: 1 }, { sparse: true, unique: true });
    await rows().insertMany([{ a: [{}] }, { a: [{}] }, { a: [{}], c: 1 }, { a: [{ b: 1 }] }]);
    expect(await rows().countDocuments({}, { hint: 'a.b_1_c_1' })).toBe(2);
    await expect(rows().insertOne({ a: [{}], c: 1 })).rejects.toMatchObject({ code: 11000 });
  });
});

describe('an index with a position in its path', () => {
  it.each<[string, string, Document]>([
    ['in an array', 'a.0', { a: [{ 0: 1 }] }],
    ['before a field', 'a.0.x', { a: [{ x: 1 }, { 0: { x: 2 } }] }],
    ['that another element has', 'a.1', { a: [5, { 1: 5 }] }],
    ['inside a document', 'd.a.0', { d: { a: [{ 0: null }] } }],
  ])(
    'an index with a position in its path refuses a document in which it is also a field (16746): %s, %s',
    async (_name, path, doc) => {
      await rows().createIndex({ [path]: 1 });
      await expect(rows().insertOne({ ...doc })).rejects.toMatchObject({ code: 16746 });
      const before = at.db.collection<Document>(`before${round}`);
      await before.insertOne({ ...doc });
      await expect(before.createIndex({ [path]: 1 })).rejects.toMatchObject({ code: 16746 });
      await expect(
        before
          .find()
          .sort({ [path]: 1 })
          .toArray(),
      ).rejects.toMatchObject({ code: 16746 });
    },
  );

  it('an index with a position in its path accepts a document in which it is only one of the two', async () => {
    await rows().createIndex({ 'a.1': 1 });
    await rows().insertMany([
      { a: [1, 2] },
      { a: [{ 1: 3 }] },
      { a: { 1: 4 } },
      {
        a: [
          [7, 8],
          [5, 6],
        ],
      },
      { a: [] },
    ]);
    const sorted = await rows().find().sort({ 'a.1': 1 }).project({ _id: 0 }).toArray();
    const scanned = await rows().find().sort({ 'a.1': 1 }).hint({ $natural: 1 }).project({ _id: 0 }).toArray();
    expect(sorted).toEqual([
      { a: [] },
      { a: [1, 2] },
      { a: [{ 1: 3 }] },
      { a: { 1: 4 } },
      {
        a: [
          [7, 8],
          [5, 6],
        ],
      },
    ]);
    expect(scanned).toEqual(sorted);
  });

  it('an index with a position in its path runs through that array, so no other array may be in it (171)', async () => {
    await rows().createIndex({ 'a.0': 1, b: 1 });
    await expect(rows().insertOne({ a: [1], b: [2] })).rejects.toMatchObject({ code: 171 });
    await rows().insertMany([
      { a: [1], b: 2 },
      { a: { 0: 1 }, b: [2] },
    ]);
  });
});

describe('a hint', () => {
  beforeEach(async () => {
    await rows().insertMany([{ a: 1 }, { a: 2 }, {}]);
    await rows().createIndex({ a: 1 }, { sparse: true });
  });
  const count = (more: Document) => at.db.command({ count: `rows${round}`, ...more });

  it('a hint of a sparse index restricts count to the documents in it', async () => {
    expect(await count({})).toMatchObject({ n: 3 });
    expect(await count({ hint: 'a_1' })).toMatchObject({ n: 2 });
    expect(await count({ hint: { a: 1 }, skip: 1 })).toMatchObject({ n: 1 });
    expect(await count({ hint: 'a_1', limit: 1 })).toMatchObject({ n: 1 });
    expect(await rows().countDocuments({}, { hint: 'a_1' })).toBe(2);
    expect(await rows().countDocuments({}, { hint: '_id_' })).toBe(3);
  });

  it('a hint of a missing index is refused by count (2)', async () => {
    await expect(count({ hint: 'nothing' })).rejects.toMatchObject({ code: 2 });
    await expect(rows().countDocuments({}, { hint: 'nothing' })).rejects.toMatchObject({ code: 2 });
  });
});
