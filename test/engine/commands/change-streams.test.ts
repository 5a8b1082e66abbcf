// Change streams through the real driver.
import type { ChangeStream, ChangeStreamDocument, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

/** The next events of a stream. */
async function take(stream: ChangeStream<Document, ChangeStreamDocument>, count: number) {
  const events: ChangeStreamDocument[] = [];
  while (events.length < count) events.push(await stream.next());
  return events;
}

/** Opens the stream's cursor on the server, so that later writes are seen. */
async function opened<S extends ChangeStream<Document, ChangeStreamDocument>>(stream: S): Promise<S> {
  await stream.tryNext();
  return stream;
}

describe('change streams', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('change streams report inserts, updates, replacements and deletes in commit order', async () => {
    const c = at.db.collection<{ _id: number; a?: number; b?: number }>('events');
    const stream = await opened(c.watch());
    await c.insertOne({ _id: 1, a: 1 });
    await c.updateOne({ _id: 1 }, { $set: { a: 2 }, $unset: { b: 1 } });
    await c.replaceOne({ _id: 1 }, { b: 3 });
    await c.deleteOne({ _id: 1 });
    const events = await take(stream, 4);
    expect(events.map((event) => event.operationType)).toEqual(['insert', 'update', 'replace', 'delete']);
    expect(events[1]).toMatchObject({ updateDescription: { updatedFields: { a: 2 }, removedFields: [] } });
    await stream.close();
  });

  it('change streams report nothing of an aborted transaction, and one time for all changes of a committed one', async () => {
    const c = at.db.collection<{ _id: number }>('txn');
    await c.insertOne({ _id: 0 });
    const stream = await opened(c.watch());
    const session = at.client.startSession();
    session.startTransaction();
    await c.insertOne({ _id: 1 }, { session });
    await session.abortTransaction();
    await session.withTransaction(async () => {
      await c.insertOne({ _id: 2 }, { session });
      await c.insertOne({ _id: 3 }, { session });
    });
    const events = await take(stream, 2);
    expect(events.map((event) => 'documentKey' in event && event.documentKey._id)).toEqual([2, 3]);
    expect(events[0]?.clusterTime).toEqual(events[1]?.clusterTime);
    // An event of a transaction names the transaction; one of a single write does not.
    expect(events[1]).toMatchObject({ lsid: session.id, txnNumber: expect.anything() });
    await c.insertOne({ _id: 4 });
    expect(await stream.next()).not.toHaveProperty('txnNumber');
    await Promise.all([stream.close(), session.endSession()]);
  });

  it('change streams continue after a token, also over a restart of the engine', async () => {
    const name = 'resume';
    const stream = await opened(at.db.collection(name).watch());
    await at.db.collection<{ _id: number }>(name).insertMany([{ _id: 1 }, { _id: 2 }]);
    const [first] = await take(stream, 1);
    await stream.close();
    await at.restart();
    const again = at.db.collection(name).watch([], { resumeAfter: first?._id });
    const [second] = await take(again, 1);
    expect(second).toMatchObject({ operationType: 'insert', documentKey: { _id: 2 } });
    await again.close();
  });

  it('change streams start at a time that a write returned', async () => {
    const c = at.db.collection<{ _id: number }>('time');
    const reply = await at.db.command({ insert: 'time', documents: [{ _id: 1 }] });
    await c.insertOne({ _id: 2 });
    const stream = c.watch([], { startAtOperationTime: reply.operationTime });
    expect((await take(stream, 2)).map((event) => 'documentKey' in event && event.documentKey._id)).toEqual([1, 2]);
    await stream.close();
  });

  it("change streams look up the current document, and run the client's stages", async () => {
    const c = at.db.collection<{ _id: number; a: number }>('lookup');
    await c.insertOne({ _id: 1, a: 1 });
    const stream = c.watch([{ $match: { operationType: 'update' } }, { $project: { fullDocument: 1 } }], {
      fullDocument: 'updateLookup',
    });
    await stream.tryNext();
    await c.insertOne({ _id: 2, a: 2 });
    await c.updateOne({ _id: 1 }, { $set: { a: 5 } });
    expect(await stream.next()).toMatchObject({ fullDocument: { _id: 1, a: 5 } });
    await stream.close();
  });

  it('change streams can match on members that they leave out, and show members on which they do not match', async () => {
    const c = at.db.collection<{ _id: number; a: number }>('parts');
    const matching = await opened(c.watch([{ $match: { 'fullDocument.a': 2 } }, { $project: { documentKey: 1 } }]));
    const showing = await opened(c.watch([{ $match: { operationType: 'insert' } }, { $project: { fullDocument: 1 } }]));
    const bare = await opened(c.watch([{ $match: { operationType: 'insert' } }, { $project: { documentKey: 1 } }]));
    await at.db.collection<{ _id: number }>('parts-of-others').insertOne({ _id: 9 });
    await c.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
      { _id: 3, a: 3 },
    ]);
    expect(await matching.next()).toEqual({ _id: expect.anything(), documentKey: { _id: 2 } });
    const shown = await take(showing, 3);
    expect(shown.map((event) => ('fullDocument' in event ? event.fullDocument?.a : null))).toEqual([1, 2, 3]);
    expect((await take(bare, 3)).map((event) => Object.keys(event))).toEqual(Array(3).fill(['_id', 'documentKey']));
    await Promise.all([matching.close(), showing.close(), bare.close()]);
  });

  it.each(['documentKey', 'wallTime', 'lsid', 'txnNumber', 'ns', 'clusterTime', 'operationType', 'updateDescription'])(
    'a change stream that shows only %s shows it as others do',
    async (field) => {
      const c = at.db.collection<{ _id: number; a?: number }>(`only-${field}`);
      const whole = await opened(c.watch());
      const alone = await opened(c.watch([{ $project: { [field]: 1 } }]));
      await at.client.withSession((session) =>
        session.withTransaction(async () => {
          await c.insertOne({ _id: 1, a: 1 }, { session });
          await c.updateOne({ _id: 1 }, { $set: { a: 2 } }, { session });
          await c.replaceOne({ _id: 1 }, { a: 3 }, { session });
          await c.deleteOne({ _id: 1 }, { session });
        }),
      );
      const events = (await take(whole, 4)) as unknown as Record<string, unknown>[];
      const expected = events.map(({ _id, [field]: value }) => ({
        _id,
        ...(value !== undefined && { [field]: value }),
      }));
      expect(events.some((event) => event[field] !== undefined)).toBe(true);
      expect(await take(alone, 4)).toEqual(expected);
      await Promise.all([whole.close(), alone.close()]);
    },
  );

  it('change streams end with an invalidation when the collection is dropped', async () => {
    const c = at.db.collection('dropped');
    await c.insertOne({});
    const stream = await opened(c.watch());
    await c.drop();
    expect((await take(stream, 2)).map((event) => event.operationType)).toEqual(['drop', 'invalidate']);
  });

  it('change streams can watch a database and the whole deployment', async () => {
    const streams = await Promise.all([opened(at.db.watch()), opened(at.client.watch())]);
    await at.db.collection('anywhere').insertOne({});
    for (const stream of streams) {
      expect(await stream.next()).toMatchObject({ operationType: 'insert', ns: { db: 'test', coll: 'anywhere' } });
      await stream.close();
    }
  });
});

describe('a change stream whose history is gone', () => {
  it('a change stream whose history is lost fails instead of leaving events out', async () => {
    const at = await startTestEngine({ oplogMb: 0 });
    try {
      const stream = await opened(at.db.collection('h').watch());
      await at.db.collection('h').insertMany([{ a: 1 }, { a: 2 }]);
      const token = (await stream.next())._id;
      await stream.close();
      const resumed = async () => {
        const again = at.db.collection('h').watch([], { resumeAfter: token });
        try {
          await at.db.collection('other').insertOne({});
          return await again.tryNext();
        } finally {
          await again.close();
        }
      };
      await expect.poll(() => resumed().catch((error: { code?: number }) => error.code)).toBe(286);
    } finally {
      await at.close();
    }
  });
});
