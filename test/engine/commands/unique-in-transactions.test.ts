// A unique index that is built while a transaction is open also applies to the transaction's documents.
import { describe, expect, it } from 'vitest';
import { startTestEngine } from '../support.js';

describe('a key of a unique index that a transaction is older than', () => {
  it.each(['before', 'after'])(
    'a unique key newer than two transactions is committed once, if the other insert comes %s the commit',
    async (when) => {
      const at = await startTestEngine();
      try {
        const rows = at.db.collection<{ _id: number; a: number }>('c');
        await rows.insertOne({ _id: 0, a: 0 });
        const [older, newer] = [at.client.startSession(), at.client.startSession()];
        older.startTransaction();
        await rows.insertOne({ _id: 1, a: 1 }, { session: older });
        await rows.createIndex({ a: 1 }, { unique: true });
        newer.startTransaction();
        await rows.findOne({ _id: 0 }, { session: newer });
        const steps = [() => older.commitTransaction(), () => rows.insertOne({ _id: 2, a: 1 }, { session: newer })];
        if (when === 'before') steps.reverse();
        const refusals: unknown[] = [];
        for (const step of [...steps, () => newer.commitTransaction()])
          await step().catch((error: unknown) => refusals.push(error));
        expect(refusals[0]).toMatchObject({ code: 112 });
        expect(await rows.find({ a: 1 }, { hint: { $natural: 1 } }).toArray()).toHaveLength(1);
        await Promise.all([older.endSession(), newer.endSession()]);
      } finally {
        await at.close();
      }
    },
  );
});
