// A transaction whose session ends while one of its statements runs: nothing of it remains, no lock either.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startTestEngine } from '../support.js';

describe('a statement whose transaction ends meanwhile', () => {
  it('a statement whose transaction ends meanwhile fails, and locks no document', async () => {
    const at = await startTestEngine();
    try {
      const count = 20_000;
      const rows = at.db.collection<{ _id: number; n: number }>('c');
      await rows.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, n: 0 })));
      const session = at.client.startSession();
      session.startTransaction();
      await rows.findOne({ _id: 0 }, { session });
      const running = rows.updateMany({}, { $inc: { n: 1 } }, { session }).then(
        () => 'done',
        () => 'failed',
      );
      // The engine runs in this thread, a few milliseconds of the statement in each turn.
      for (let turn = 0; turn < 10; turn += 1) await setImmediate();
      await at.db.command({ killSessions: [session.id] });
      expect(await running).toBe('failed');
      expect((await rows.updateMany({}, { $inc: { n: 1 } })).modifiedCount).toBe(count);
      expect(await rows.countDocuments({ n: 1 })).toBe(count);
      await session.endSession();
    } finally {
      await at.close();
    }
  });
});
