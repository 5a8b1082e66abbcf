// Field names that updates accept as MongoDB does: those of JavaScript's own objects, and those that begin with a
// dollar.
import type { Collection, Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

/** An object with exactly these own fields, `__proto__` among them. */
const parsed = (text: string): Document => JSON.parse(text);

describe('updates by operators', () => {
  let at: TestEngine;
  let c: Collection<Document>;
  beforeAll(async () => {
    at = await startTestEngine();
    c = at.db.collection('c');
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    await c.deleteMany({});
  });

  const only = async (): Promise<string> => JSON.stringify(await c.findOne({}, { projection: { _id: 0 } }));

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'updates by operators accept the name %s like any other',
    async (name) => {
      const field = JSON.stringify(name);
      const set = (path: string, value: unknown) =>
        c.updateOne({}, parsed(`{"$set": {${JSON.stringify(path)}: ${JSON.stringify(value)}}}`));
      const stream = c.watch();
      // Opens it before anything is written.
      await stream.tryNext();
      const changed = stream.next();
      await c.insertOne({ a: 1 });
      await set(name, { x: 1 });
      await set(`${name}.y`, 2);
      await set(`deep.${name}.z`, 3);
      expect(await only()).toBe(`{"a":1,${field}:{"x":1,"y":2},"deep":{${field}:{"z":3}}}`);
      expect(await c.countDocuments(parsed(`{"${name}.y": 2}`))).toBe(1);
      expect(await c.countDocuments(parsed(`{"a.${name}": {"$exists": true}}`))).toBe(0);
      await c.updateOne({}, parsed(`{"$rename": {${field}: "moved"}, "$unset": {"deep.${name}": ""}}`));
      expect(await only()).toBe('{"a":1,"deep":{},"moved":{"x":1,"y":2}}');
      await c.updateOne({}, parsed(`{"$push": {${field}: 1}, "$inc": {"zz.${name}": 4}}`));
      expect(await only()).toBe(`{"a":1,"deep":{},"moved":{"x":1,"y":2},${field}:[1],"zz":{${field}:4}}`);
      const group = await c
        .aggregate(parsed(`[{"$group": {"_id": 1, ${field}: {"$sum": "$a"}}}]`) as Document[])
        .toArray();
      expect(JSON.stringify(group)).toBe(`[{"_id":1,${field}:1}]`);
      expect(await changed).toMatchObject({ operationType: 'insert' });
      const update = await stream.next();
      expect(
        Object.entries(update.operationType === 'update' ? (update.updateDescription.updatedFields ?? {}) : {}),
      ).toEqual([[name, { x: 1 }]]);
      await stream.close();
      expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
    },
  );

  it('updates by operators accept a dollar below the top level', async () => {
    await c.insertOne({ p: { a: 1 } });
    await c.updateOne({}, { $set: { 'p.$each': 1, 'new.$x': 2 }, $inc: { 'p.$n': 3 } });
    expect(await only()).toBe('{"p":{"a":1,"$each":1,"$n":3},"new":{"$x":2}}');
    await c.updateOne({}, { $unset: { 'p.$each': '' } });
    expect(await only()).toBe('{"p":{"a":1,"$n":3},"new":{"$x":2}}');
  });

  const DOLLAR = { code: 52, message: /The dollar \(\$\) prefixed field '\$hotel' in '\$hotel' is not allowed/ };

  it('updates by operators accept a dollar at the top level in the new document of an upsert, and in no other', async () => {
    const update = { $set: { phone: 25, $hotel: 320 } };
    await c.updateOne({ date: 1 }, update, { upsert: true });
    expect(await only()).toBe('{"date":1,"$hotel":320,"phone":25}');
    await expect(c.updateOne({ date: 1 }, { $set: { $hotel: 1 } }, { upsert: true })).rejects.toMatchObject(DOLLAR);
    await expect(c.updateOne({ date: 1 }, { $rename: { phone: '$hotel' } })).rejects.toMatchObject(DOLLAR);
    await c.updateOne({ date: 1 }, { $unset: { $hotel: '' } });
    expect(await only()).toBe('{"date":1,"phone":25}');
    expect(await c.updateOne({ date: 7 }, update)).toMatchObject({ matchedCount: 0 });
  });

  it('a replacement accepts a dollar at the top level when it is inserted, and otherwise not', async () => {
    const replace = (q: Document, u: Document, upsert: boolean) =>
      at.db.command({ update: 'c', updates: [{ q, u, upsert }] });
    expect(await replace({ _id: 1 }, { a: 1, $hotel: 2 }, true)).toMatchObject({ n: 1 });
    expect(await only()).toBe('{"a":1,"$hotel":2}');
    const again = await replace({ _id: 1 }, { a: 2, $hotel: 2 }, true);
    expect(again.writeErrors).toMatchObject([{ code: 52 }]);
    expect(await replace({ _id: 9 }, { a: 2, $hotel: 2 }, false)).toMatchObject({ n: 0, nModified: 0 });
  });

  it('$pull with $or and $and filters documents', async () => {
    const l = [{ a: 1 }, { a: 2, b: 1 }, 3, { a: 4 }, [{ a: 1 }]];
    await c.insertOne({ l });
    await c.updateOne({}, { $pull: { l: { $or: [{ a: 1 }, { b: 1 }] } } } as Document);
    expect(await only()).toBe('{"l":[3,{"a":4},[{"a":1}]]}');
    await c.updateOne({}, { $pull: { l: { $and: [{ a: { $gt: 3 } }, { a: { $lt: 5 } }] } } } as Document);
    expect(await only()).toBe('{"l":[3,[{"a":1}]]}');
    await expect(c.updateOne({}, { $pull: { l: { $expr: true } } } as Document)).rejects.toMatchObject({ code: 2 });
  });

  it('updates push and concatenate arrays of any length', async () => {
    const many = Array.from({ length: 130_000 }, (_, i) => i);
    await c.insertOne({ l: [] });
    await c.updateOne({}, { $push: { l: { $each: many } } } as Document);
    await c.updateOne({}, { $push: { l: { $each: many, $position: 1 } } } as Document);
    const lengths = [
      { $project: { all: { $size: { $concatArrays: ['$l', '$l'] } }, at: { $slice: ['$l', 0, 3] }, _id: 0 } },
    ];
    expect(await c.aggregate(lengths).toArray()).toEqual([{ all: 520_000, at: [0, 0, 1] }]);
  });
});
