// A transaction whose session ends while one of its statements runs: nothing of it remains, no lock either.
import type { ClientSession, Collection, MongoError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { watchArrivals } from '../arrivals.js';
import { startTestEngine } from '../support.js';

const arrived = watchArrivals();

type Rows = Collection<{ _id: number; n: number }>;

describe('a statement whose transaction ends meanwhile', () => {
  it.each<[string, (rows: Rows, count: number, session: ClientSession) => Promise<unknown>]>([
    ['an update of many', (rows, _, session) => rows.updateMany({}, { $inc: { n: 1 } }, { session })],
    [
      'one of many updates',
      (rows, count, session) => {
        const updateOf = (_id: number) => ({ updateOne: { filter: { _id }, update: { $inc: { n: 1 } } } });
        return rows.bulkWrite(
          Array.from({ length: count }, (_, at) => updateOf(at)),
          { session },
        );
      },
    ],
  ])('fails so that drivers try the transaction again, and locks no document: %s', async (_name, write) => {
    const at = await startTestEngine();
    try {
      const count = 20_000;
      const rows = at.db.collection<{ _id: number; n: number }>('c');
      await rows.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, n: 0 })));
      const session = at.client.startSession();
      session.startTransaction();
      await rows.findOne({ _id: 0 }, { session });
      const running = write(rows, count, session).catch((error) => error);
      // The engine runs in this thread, a few milliseconds of the statement in each turn.
      await arrived(2, session);
      await at.db.command({ killSessions: [session.id] });
      const failure = (await running) as MongoError;
      expect([failure.code, failure.errorLabels]).toEqual([239, ['TransientTransactionError']]);
      expect((await rows.updateMany({}, { $inc: { n: 1 } })).modifiedCount).toBe(count);
      expect(await rows.countDocuments({ n: 1 })).toBe(count);
      await session.endSession();
    } finally {
      await at.close();
    }
  });
});
