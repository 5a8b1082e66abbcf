// A cursor in a transaction that continues to write: it returns every document, also those that were changed after the cursor was opened.
import { describe, expect, it } from 'vitest';
import { startTestEngine } from '../support.js';

describe('a cursor in a transaction', () => {
  const filters: [string, object][] = [
    ['of a collection', {}],
    ['of an index', { n: { $gte: 0 } }],
  ];
  it.each(filters)(
    'a cursor in a transaction (%s) returns later changes of the transaction, and nothing that it removes',
    async (_name, filter) => {
      const at = await startTestEngine();
      try {
        const rows = at.db.collection<{ _id: number; n: number }>('c');
        await rows.createIndex({ n: 1 });
        await rows.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id, n: _id })));
        const session = at.client.startSession();
        session.startTransaction();
        await rows.insertOne({ _id: 100, n: 100 }, { session });
        const cursor = rows.find(filter, { session }).batchSize(2);
        await cursor.next();
        await rows.updateOne({ _id: 90 }, { $set: { n: 1_000 } }, { session });
        await rows.updateOne({ _id: 91 }, { $set: { n: -1 } }, { session });
        await rows.deleteOne({ _id: 92 }, { session });
        const rest = await cursor.toArray();
        expect(rest.find(({ _id }) => _id === 90)).toEqual({ _id: 90, n: 1_000 });
        expect(rest.some(({ _id }) => _id === 91)).toBe(Object.keys(filter).length === 0);
        expect(rest.some(({ _id }) => _id === 92)).toBe(false);
        expect(new Set(rest.map(({ _id }) => _id)).size).toBe(rest.length);
        await session.abortTransaction();
        await session.endSession();
      } finally {
        await at.close();
      }
    },
  );
});
