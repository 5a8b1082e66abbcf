// A session that is ended while an operation uses it or waits for it: the old session does not stay beside the new one
// of the same id.
import { setImmediate as turn } from 'node:timers/promises';
import { UUID } from 'bson';
import { type ClientSession, type Document, Long, type MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEngine } from '../../../src/engine/engine.js';
import { watchArrivals } from '../arrivals.js';
import { startTestEngine, tempFolder, type TestEngine } from '../support.js';

const arrived = watchArrivals();

interface Row {
  _id: number;
  n: number;
}

describe('a session that ends while it is busy', () => {
  let at: TestEngine;
  /**
   * A client whose sessions the driver uses for nothing else, so that the tests can choose their transaction numbers.
   */
  let raw: MongoClient;
  const rows = () => at.db.collection<Row>('rows');
  /** The code of a command's error, or 0. */
  const codeOf = (reply: Promise<unknown>): Promise<number> =>
    reply.then(
      () => 0,
      (error) => error.code,
    );
  /** An update with further fields, sent unchanged in a session that the driver takes for idle. */
  const update = (session: ClientSession, q: Document, fields: Document): Promise<Document> =>
    raw.db('test').command({ update: 'rows', updates: [{ q, u: { $inc: { n: 1 } } }], ...fields }, { session });
  const starting = (number: number) => ({
    txnNumber: Long.fromNumber(number),
    autocommit: false,
    startTransaction: true,
  });
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    raw = await at.connect();
    await rows().deleteMany({});
    await rows().insertOne({ _id: 1, n: 0 });
  });

  it('a session that ends while it is busy writes a retried write once', async () => {
    const holder = at.client.startSession();
    const session = raw.startSession();
    holder.startTransaction();
    await rows().updateOne({ _id: 1 }, { $set: { n: 5 } }, { session: holder });
    const first = update(session, { _id: 1 }, { txnNumber: Long.fromNumber(1) });
    await arrived(1, session);
    await at.db.command({ killSessions: [session.id] });
    const retry = update(session, { _id: 1 }, { txnNumber: Long.fromNumber(1) });
    await arrived(2, session);
    await holder.abortTransaction();
    expect(await first).toMatchObject({ n: 1 });
    expect(await retry).toMatchObject({ n: 1, retriedStmtIds: [0] });
    expect(await rows().findOne({ _id: 1 })).toEqual({ _id: 1, n: 1 });
    await Promise.all([holder.endSession(), session.endSession()]);
  });

  it('a session that ends while it is busy fails waiting operations, which then lock no document', async () => {
    await rows().insertOne({ _id: 2, n: 0 });
    const holder = at.client.startSession();
    const session = raw.startSession();
    holder.startTransaction();
    await rows().updateOne({ _id: 1 }, { $set: { n: 5 } }, { session: holder });
    const running = codeOf(update(session, { _id: 1 }, { txnNumber: Long.fromNumber(5) }));
    await arrived(1, session);
    const waiting = codeOf(update(session, { _id: 2 }, starting(6)));
    await arrived(2, session);
    await at.db.command({ killSessions: [session.id] });
    await holder.abortTransaction();
    const codes = [await running, await waiting];
    expect((await rows().updateOne({ _id: 2 }, { $inc: { n: 1 } }, { maxTimeMS: 300_000 })).modifiedCount).toBe(1);
    expect(codes).toEqual([0, 11601]);
    expect(await update(session, { _id: 2 }, starting(7))).toMatchObject({ n: 1 });
    await at.db.command({ killSessions: [session.id] });
    expect(await rows().findOne({ _id: 2 })).toEqual({ _id: 2, n: 1 });
    await Promise.all([holder.endSession(), session.endSession()]);
  });

  it('a commit in a session that is killed reports whether it took place, whenever the session was killed', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const session = at.client.startSession();
      session.startTransaction();
      await rows().insertOne({ _id: 100 + turns, n: 0 }, { session });
      const commit = () => codeOf(at.client.db('admin').command({ commitTransaction: 1 }, { session }));
      const first = commit();
      for (let each = 0; each < turns; each += 1) await turn();
      const killed = at.db.command({ killSessions: [session.id] });
      await turn();
      const codes = [await commit(), await first];
      await killed;
      const there = await rows().countDocuments({ _id: 100 + turns });
      expect({ turns, there, codes }).toEqual({ turns, there, codes: there ? [0, 0] : [251, 251] });
      await session.abortTransaction();
      await session.endSession();
    }
  });
});

describe('a session after a failed commit', () => {
  it('a session after a failed commit has the state of the store from the next operation on', async () => {
    const folder = tempFolder();
    const engine = await openEngine({ dataDir: folder.path });
    try {
      const lsid = { id: new UUID() };
      const session = engine.sessions.get(lsid);
      let fail = (): void => {};
      const failing = session.exclusive(async () => {
        session.beginWrite(1n);
        session.remember(0, { n: 1 });
        await new Promise<void>((resolve) => {
          fail = resolve;
        });
      });
      await turn();
      const retry = session.exclusive(async () => {
        session.beginWrite(1n);
        return session.done.size;
      });
      engine.commitFailed();
      expect(engine.sessions.get(lsid)).toBe(session);
      fail();
      await failing;
      expect(await retry).toBe(0);
      engine.commitFailed();
      expect(engine.sessions.get(lsid)).not.toBe(session);
    } finally {
      await engine.close();
      folder.remove();
    }
  });
});
