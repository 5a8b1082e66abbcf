// Sessions, transactions and retryable writes through the real driver.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

interface Row {
  _id: number;
  n: number;
}

describe('transactions', () => {
  let at: TestEngine;
  const rows = () => at.db.collection<Row>('rows');
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    await rows().deleteMany({});
    await rows().insertMany([
      { _id: 1, n: 0 },
      { _id: 2, n: 0 },
    ]);
  });

  it('a transaction shows its writes to itself only until it commits', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await rows().insertOne({ _id: 3, n: 3 }, { session });
    await rows().updateOne({ _id: 1 }, { $set: { n: 9 } }, { session });
    expect((await rows().find({}, { session }).sort({ n: -1 }).toArray()).map((row) => row._id)).toEqual([1, 3, 2]);
    expect(await rows().countDocuments({ n: { $gt: 0 } })).toBe(0);
    await session.commitTransaction();
    expect(await rows().countDocuments({ n: { $gt: 0 } })).toBe(2);
    await session.endSession();
  });

  it('a transaction reads the state of its start, whatever others write meanwhile', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await rows().findOne({ _id: 1 }, { session });
    await rows().updateMany({}, { $set: { n: 7 } });
    await rows().insertOne({ _id: 4, n: 4 });
    expect(await rows().find({}, { session }).sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, n: 0 },
      { _id: 2, n: 0 },
    ]);
    await session.abortTransaction();
    await session.endSession();
  });

  it('a transaction that is the second writer of a document is aborted at once', async () => {
    const first = at.client.startSession();
    const second = at.client.startSession();
    first.startTransaction();
    second.startTransaction();
    await rows().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: first });
    const error = await rows()
      .updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: second })
      .catch((e) => e);
    expect(error.code).toBe(112);
    expect(error.hasErrorLabel('TransientTransactionError')).toBe(true);
    await first.commitTransaction();
    await Promise.all([first.endSession(), second.endSession()]);
  });

  it('a transaction conflicts with a write that was committed after its snapshot', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await rows().findOne({ _id: 2 }, { session });
    await rows().updateOne({ _id: 1 }, { $inc: { n: 1 } });
    await expect(rows().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session })).rejects.toMatchObject({ code: 112 });
    await session.endSession();
  });

  it('a plain write waits for the transaction that has locked its document', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await rows().updateOne({ _id: 1 }, { $set: { n: 10 } }, { session });
    const plain = rows().updateOne({ _id: 1 }, { $inc: { n: 1 } });
    await session.commitTransaction();
    await plain;
    expect((await rows().findOne({ _id: 1 }))?.n).toBe(11);
    await session.endSession();
  });

  it('ten clients that increment one document in transactions add up', async () => {
    const increment = () =>
      at.client.withSession((session) =>
        session.withTransaction(() => rows().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session })),
      );
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let i = 0; i < 10; i++) await increment();
      }),
    );
    expect((await rows().findOne({ _id: 1 }))?.n).toBe(100);
  });

  it('a transaction creates collections, and leaves none when it aborts', async () => {
    const session = at.client.startSession();
    for (const end of ['abortTransaction', 'commitTransaction'] as const) {
      session.startTransaction();
      await at.db.collection('born').insertOne({ x: 1 }, { session });
      await session[end]();
      const names = (await at.db.listCollections().toArray()).map((each) => each.name);
      expect(names.includes('born')).toBe(end === 'commitTransaction');
    }
    await session.endSession();
  });

  it('an index build waits for the transaction that creates its collection', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await at.db.collection('waited').insertOne({ x: 1 }, { session });
    const index = at.db.collection('waited').createIndex({ x: 1 });
    // Another command shows that the engine still responds meanwhile.
    await at.db.command({ ping: 1 });
    await session.commitTransaction();
    await session.endSession();
    expect(await index).toBe('x_1');
    expect(await at.db.collection('waited').countDocuments({ x: 1 })).toBe(1);
  });

  it('a transaction finds its own documents by _id among many, in their current state', async () => {
    const many = at.db.collection<{ _id: number | string; n: number }>('many');
    await many.insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id, n: 0 })));
    const session = at.client.startSession();
    session.startTransaction();
    await many.updateMany({}, { $inc: { n: 1 } }, { session });
    await many.insertOne({ _id: 'new', n: 1 }, { session });
    await many.deleteMany({ _id: { $in: [3, 4] } }, { session });
    await many.insertOne({ _id: 3, n: 30 }, { session });
    await many.updateOne({ _id: 7, n: 1 }, { $set: { n: 70 } }, { session });
    const found = await many
      .find({ _id: { $in: [3, 4, 7, 8, 'new'] } }, { session, sort: { n: -1, _id: 1 } })
      .toArray();
    expect(found.map(({ _id, n }) => [_id, n])).toEqual([
      [7, 70],
      [3, 30],
      [8, 1],
      ['new', 1],
    ]);
    expect(await many.countDocuments({ n: 1 }, { session })).toBe(48);
    await session.commitTransaction();
    await session.endSession();
    expect(await many.countDocuments({ n: 1 })).toBe(48);
  });

  it('a repeated commit gets the same reply', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await rows().insertOne({ _id: 5, n: 5 }, { session });
    await session.commitTransaction();
    await session.commitTransaction();
    expect(await rows().countDocuments({ _id: 5 })).toBe(1);
    await session.endSession();
  });

  it('a transaction has ended after an error in it', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await expect(rows().insertOne({ _id: 1, n: 1 }, { session })).rejects.toMatchObject({ code: 11000 });
    await expect(rows().insertOne({ _id: 6, n: 6 }, { session })).rejects.toMatchObject({ code: 251 });
    await session.endSession();
    expect(await rows().countDocuments({ _id: 6 })).toBe(0);
  });

  it('a transaction refuses operations that transactions do not allow', async () => {
    const session = at.client.startSession();
    session.startTransaction();
    await expect(at.db.command({ count: 'rows' }, { session })).rejects.toMatchObject({ code: 263 });
    await session.endSession();
  });
});

describe('retryable writes', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('retryable writes are applied once if the reply was lost, also if the engine was restarted in between', async () => {
    const session = at.client.startSession();
    const command = {
      update: 'once',
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }],
      lsid: session.id,
      txnNumber: 5n,
    };
    await at.db.command(command);
    expect(await at.db.command(command)).toMatchObject({ n: 1, retriedStmtIds: [0] });
    await session.endSession();
    expect(await at.db.collection('once').findOne()).toEqual({ _id: 1, n: 1 });
  });

  it('retryable writes survive a connection that breaks after the write', async () => {
    await at.client.db('admin').command({ configureFailPoint: 'onPrimaryTransactionalWrite', mode: { times: 1 } });
    await at.db.collection('broken').insertOne({ x: 1 });
    expect(await at.db.collection('broken').countDocuments()).toBe(1);
  });
});
