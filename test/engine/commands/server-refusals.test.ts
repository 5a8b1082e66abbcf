// Requests that a MongoDB server refuses are refused with the same code, so that programs that work with the engine
// also work with a server.
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

let at: TestEngine;
beforeAll(async () => {
  at = await startTestEngine();
  await at.db.collection('c').insertOne({ a: [1, 2], s: 'x' });
});
afterAll(() => at.close());

const refused = (command: Document, code: number) => expect(at.db.command(command)).rejects.toMatchObject({ code });

function createIndex(spec: Document): Document {
  return { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', ...spec }] };
}

describe('an index', () => {
  it.each<[string, Document]>([
    ['a regular expression', { a: /x/ }],
    ['$regex', { a: { $regex: 'x' } }],
    ['a regular expression inside $and', { $and: [{ b: 1 }, { a: /x/i }] }],
    ['a regular expression inside $or', { $or: [{ b: 1 }, { a: /x/ }] }],
    ['$exists: false', { a: { $exists: false } }],
    ['$exists: 0', { a: { $exists: 0 } }],
    ['$not', { a: { $not: { $gt: 1 } } }],
    ['an operator after an allowed one', { a: { $gt: 1, $mod: [2, 0] } }],
  ])('an index cannot be partial by %s (67)', async (_name, partialFilterExpression) => {
    await refused(createIndex({ partialFilterExpression }), 67);
  });

  it('an index may be partial by a regular expression as a value', async () => {
    const c = at.db.collection('partial');
    await c.createIndex({ a: 1 }, { name: 'one', partialFilterExpression: { a: { $eq: /x/ } } });
    await c.createIndex({ a: 1 }, { name: 'two', partialFilterExpression: { a: { b: /x/ } } });
    expect(await c.indexes()).toHaveLength(3);
  });

  it.each(['$db', '$id', '$ref', '$db.a', '$x', 'a.$x'])('an index cannot be on the field %s (67)', async (path) => {
    await refused(createIndex({ key: { [path]: 1 } }), 67);
  });

  it.each(['a.$db', 'a.$id', 'a.$ref.x'])('an index may be on the field %s of a reference', async (path) => {
    expect(await at.db.collection('references').createIndex({ [path]: 1 })).toBe(`${path}_1`);
  });

  it.each(['a\0b', '\0', 'a\0'])('an index has no NUL in its name: %j (67)', async (name) => {
    await refused(createIndex({ name }), 67);
  });
});

describe('a regular expression above 32,764 bytes', () => {
  const long = 'c'.repeat(32_765);

  it.each<[string, Document]>([
    ['$regex', { s: { $regex: long } }],
    ['a literal', { s: new RegExp(long) }],
    ['$in', { s: { $in: [new RegExp(long)] } }],
    ['$not', { s: { $not: new RegExp(long) } }],
    ['$all', { s: { $all: [new RegExp(long)] } }],
    ['characters of several bytes', { s: { $regex: 'ü'.repeat(16_383) } }],
  ])('a regular expression above 32,764 bytes is refused in a filter (51091): %s', async (_name, filter) => {
    await refused({ find: 'c', filter }, 51091);
  });

  it('a regular expression above 32,764 bytes is refused in an expression (51111)', async () => {
    const stages = [{ $project: { x: { $regexMatch: { input: '$s', regex: long } } } }];
    await refused({ aggregate: 'c', pipeline: stages, cursor: {} }, 51111);
  });

  it('a regular expression of 32,765 bytes is the first that is refused', async () => {
    expect(await at.db.collection('c').countDocuments({ s: { $regex: 'c'.repeat(32_764) } })).toBe(0);
  });
});

describe('a query that is not valid', () => {
  const q = { a: { $nope: 1 } };
  it.each<[Document]>([
    [{ find: 'none', filter: q }],
    [{ count: 'none', query: q }],
    [{ distinct: 'none', key: 'a', query: q }],
    [{ aggregate: 'none', pipeline: [{ $match: q }], cursor: {} }],
    [{ findAndModify: 'none', query: q, update: { $set: { b: 1 } } }],
    [{ findAndModify: 'none', query: q, remove: true }],
    [{ findAndModify: 'none', query: q, update: { $set: { b: 1 } }, upsert: true }],
    [{ explain: { count: 'none', query: q } }],
  ])('an invalid query is also refused for a missing collection (2): %j', async (command) => {
    await refused(command, 2);
  });

  it.each<[Document]>([
    [{ update: 'none', updates: [{ q, u: { $set: { b: 1 } } }] }],
    [{ update: 'none', updates: [{ q, u: { $set: { b: 1 } }, upsert: true }] }],
    [{ update: 'none', updates: [{ q, u: { $set: { b: 1 } }, multi: true }] }],
    [{ delete: 'none', deletes: [{ q, limit: 0 }] }],
  ])('an invalid query also fails its statement for a missing collection (2): %j', async (command) => {
    expect(await at.db.command(command)).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 2 }] });
    expect(await at.db.listCollections({ name: 'none' }).toArray()).toEqual([]);
  });
});

describe('a positional projection', () => {
  const change = { findAndModify: 'c', query: { a: 2 }, update: { $set: { s: 'y' } }, fields: { 'a.$': 1 } };

  it.each<[string, Document]>([
    ['of a field', {}],
    ['beside others', { fields: { s: 1, 'a.$': 1 } }],
    ['of a nested field', { fields: { 'b.a.$': 1 } }],
    ['with an upsert', { query: { a: 99 }, upsert: true }],
  ])('a positional projection is not returned of the new document (2): %s', async (_name, more) => {
    await refused({ ...change, new: true, ...more }, 2);
    expect(await at.db.collection('c').findOne({}, { projection: { _id: 0 } })).toEqual({ a: [1, 2], s: 'x' });
  });

  it('a positional projection is returned of the old document', async () => {
    expect((await at.db.command({ ...change, update: { $set: { t: 1 } } })).value).toMatchObject({ a: [2] });
  });
});

describe('the positional operator of an update', () => {
  it.each<[Document, Document]>([
    [{ a: [0, 1] }, { 'a.0': 0 }],
    [{ a: [[0], 1] }, { 'a.1': 1 }],
    [{ a: [{ b: 1 }] }, { 'a.0.b': 1 }],
    [{ a: [{ b: { c: 1 } }] }, { 'a.0.b.c': { $gt: 0 } }],
  ])(
    'the positional operator of an update finds no element in %j by %j, which names a position (2)',
    async (doc, query) => {
      const c = at.db.collection('positions');
      await c.deleteMany({});
      await c.insertOne({ ...doc });
      const update = c.updateOne(query, { $set: { 'a.$': 5 } } as Document);
      await expect(update).rejects.toMatchObject({
        code: 2,
        message: 'The positional operator did not find the match needed from the query.',
      });
      expect(await c.findOne({}, { projection: { _id: 0 } })).toEqual(doc);
    },
  );
});

describe('a transaction', () => {
  it.each(['config', 'local', 'admin'])('a transaction does not read or write the database %s (263)', async (name) => {
    const c = at.client.db(name).collection('c');
    await at.client.withSession(async (session) => {
      for (const run of [
        () => c.find({}, { session }).toArray(),
        () => c.aggregate([{ $match: {} }], { session }).toArray(),
        () => c.distinct('a', {}, { session }),
        () => c.insertOne({ a: 1 }, { session }),
      ]) {
        session.startTransaction();
        await expect(run()).rejects.toMatchObject({ code: 263 });
        await session.abortTransaction();
      }
    });
    expect(await c.find().toArray()).toEqual([]);
  });
});
