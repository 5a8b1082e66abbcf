// Results above 16 MB, and work above 100 MB: MongoDB's errors, after which the connection can still be used.
import type { Collection, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

const MB = 1024 * 1024;
const TOO_LARGE = {
  code: 10334,
  codeName: 'BSONObjectTooLarge',
  message: expect.stringMatching(
    /BSONObj size: \d+ \(0x[0-9A-F]+\) is invalid\. Size must be between 0 and 16793600\(16MB\) First element: \w+: /,
  ),
};

const PIPELINES: [string, Document[]][] = [
  ['$project', [{ $project: { a: '$text', b: '$text' } }]],
  ['$addFields', [{ $addFields: { again: '$text' } }]],
  ['$facet', [{ $facet: { all: [{ $match: {} }] } }]],
  ['$group', [{ $group: { _id: null, texts: { $push: '$text' } } }]],
  ['$lookup', [{ $lookup: { from: 'c', pipeline: [], as: 'all' } }]],
  ['a document above 64 MB', [{ $project: { list: { $map: { input: { $range: [0, 9] }, in: '$text' } } } }]],
];

describe('a result above 16 MB', () => {
  let at: TestEngine;
  let c: Collection<{ _id: number; text: string; at?: number }>;
  beforeAll(async () => {
    at = await startTestEngine();
    c = at.db.collection('c');
    for (const _id of [1, 2]) await c.insertOne({ _id, text: String(_id).repeat(9 * MB) });
  });
  afterAll(() => at.close());

  /** After the error, the same connection is used again. */
  const refused = async (work: Promise<unknown>, error: object): Promise<void> => {
    await expect(work).rejects.toMatchObject(error);
    expect((await at.db.command({ ping: 1 })).ok).toBe(1);
  };

  it.each(PIPELINES)('a result above 16 MB of %s is refused', async (name, pipeline) => {
    const error = name === 'a document above 64 MB' ? { code: 13548 } : TOO_LARGE;
    await refused(c.aggregate(pipeline).toArray(), error);
  });

  it('a result above 16 MB is refused for its own size, not for that of the reply around it', async () => {
    const rest = { $substrBytes: ['$text', 0, 7 * MB + 16 * 1024 - 100] };
    const found = await c.aggregate([{ $match: { _id: 1 } }, { $project: { a: '$text', b: rest } }]).toArray();
    expect(found.map(({ a, b }) => a.length + b.length)).toEqual([16 * MB + 16 * 1024 - 100]);
  });

  it('a result of $lookup above 100 MB is refused, whatever follows', async () => {
    const many = [{ $match: { _id: 1 } }, { $set: { n: { $range: [0, 13] } } }, { $unwind: '$n' }];
    const pipeline = [{ $lookup: { from: 'c', pipeline: many, as: 'all' } }, { $project: { all: 0 } }];
    const message = "Total size of documents in c matching pipeline's $lookup stage exceeds 104857600 bytes";
    await refused(c.aggregate(pipeline).toArray(), { code: 4568, message });
  });

  it('a result of $lookup above 16 MB may be unwound again', async () => {
    const pipeline = [{ $lookup: { from: 'c', pipeline: [], as: 'all' } }, { $unwind: '$all' }, { $count: 'n' }];
    expect(await c.aggregate(pipeline).toArray()).toEqual([{ n: 4 }]);
  });

  it('a result above 16 MB of find with computed fields is refused', () =>
    refused(c.find({}, { projection: { a: '$text', b: '$text' } }).toArray(), TOO_LARGE));

  it('a result above 16 MB of distinct is refused', () =>
    refused(c.distinct('text'), { code: 17217, message: 'distinct too big, 16mb cap' }));

  it('a result above 16 MB of a pipeline update is refused, and nothing is changed', async () => {
    await refused(c.updateOne({ _id: 1 }, [{ $set: { again: '$text' } }]), { code: 10334, message: TOO_LARGE.message });
    expect(Object.keys((await c.findOne({ _id: 1 })) ?? {})).toEqual(['_id', 'text']);
  });

  it('a result of an update just above 16 MB is refused with its own code', async () => {
    const words = c.updateOne({ _id: 1 }, { $set: { more: 'x'.repeat(7 * MB) } });
    await refused(words, { code: 17419, message: 'Resulting document after update is larger than 16777216' });
  });

  it('a result above 16 MB of explain leaves the command out, or is refused', async () => {
    const short = await c.find({ text: 'x'.repeat(4 * MB) }).explain('queryPlanner');
    expect(short.command).toBeDefined();
    const long = await c.find({ text: 'x'.repeat(5.5 * MB) }).explain('queryPlanner');
    expect(long).toMatchObject({ warning: "'command' has been omitted due to BSON size limit" });
    await refused(c.find({ text: 'x'.repeat(9 * MB) }).explain('queryPlanner'), TOO_LARGE);
  });

  it('a result above 16 MB of a change stream is refused', async () => {
    const stream = c.watch([{ $addFields: { again: '$fullDocument.text' } }], { fullDocument: 'updateLookup' });
    const next = stream.next();
    await c.updateOne({ _id: 2 }, { $set: { at: 1 } });
    await refused(next, TOO_LARGE);
    await stream.close();
  });
});

describe('more than 100 MB', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('more than 100 MB are neither sorted nor grouped, even if the disk may be used', async () => {
    // The sort keys are small; only the rows are large.
    const c = at.db.collection<{ _id: number; n: number; text: string }>('large');
    const text = 'x'.repeat(15_500_000);
    for (let _id = 0; _id < 7; _id++) await c.insertOne({ _id, n: _id, text });
    await expect(c.find().sort({ n: 1 }).allowDiskUse().toArray()).rejects.toMatchObject({ code: 292 });
    const grouped = c.aggregate([{ $group: { _id: null, all: { $push: '$text' } } }], { allowDiskUse: true });
    await expect(grouped.toArray()).rejects.toMatchObject({ code: 292 });
    // A sort with a limit need not hold all rows at once.
    expect(await c.find({}, { projection: { _id: 1 }, sort: { n: -1 }, limit: 2 }).toArray()).toEqual([
      { _id: 6 },
      { _id: 5 },
    ]);
    const best = [
      { $set: { m: '$n' } },
      { $unset: 'n' },
      { $sort: { m: -1 } },
      { $limit: 1 },
      { $unset: ['m', 'text'] },
    ];
    expect(await c.aggregate(best).toArray()).toEqual([{ _id: 6 }]);
  });
});

describe('a reply about many failed writes', () => {
  it('a reply about many failed writes has the first megabyte of messages', async () => {
    const at = await startTestEngine();
    try {
      const documents = Array.from({ length: 2_000 }, () => ({ _id: 'k'.repeat(1_000) }));
      const { writeErrors } = await at.db.command({ insert: 'c', documents, ordered: false });
      const messages = writeErrors.map(({ errmsg }: { errmsg: string }) => errmsg);
      expect(messages).toHaveLength(1999);
      expect(messages[0]).toMatch(/duplicate key/);
      expect(messages.at(-1)).toBe('');
    } finally {
      await at.close();
    }
  });
});
