// Lists of values in a filter are looked up in an index, however long they are, as in MongoDB.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

const ROWS = 6_000;
const all = Array.from({ length: ROWS }, (_, n) => ({ _id: `row-${n}`, a: n % 100, b: Math.floor(n / 100) }));

let at: TestEngine;
const rows = () => at.db.collection<(typeof all)[0]>('rows');

interface Explained {
  executionStats: { nReturned: number; totalKeysExamined: number; totalDocsExamined: number };
}

beforeAll(async () => {
  at = await startTestEngine();
  await rows().insertMany(all);
  await rows().createIndex({ a: 1, b: 1 });
});
afterAll(() => at.close());

describe('a filter with a long list', () => {
  it('a filter with a long list looks up as many ids as it names', async () => {
    const ids = all.slice(100, 4_100).map(({ _id }) => _id);
    const { executionStats } = (await rows()
      .find({ _id: { $in: ids } })
      .explain('executionStats')) as unknown as Explained;
    expect(executionStats).toMatchObject({ nReturned: 4_000, totalDocsExamined: 4_000 });
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(8_000);
    expect(
      await rows()
        .find({ _id: { $in: ids } })
        .toArray(),
    ).toHaveLength(4_000);
  });

  it('a filter with two long lists uses an index for the first if their combinations are too many', async () => {
    const filter = {
      a: { $in: Array.from({ length: 50 }, (_, n) => n) },
      b: { $in: Array.from({ length: 50 }, (_, n) => n) },
    };
    const { executionStats } = (await rows().find(filter).explain('executionStats')) as unknown as Explained;
    expect(executionStats).toMatchObject({ nReturned: 2_500 });
    expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(3_000);
  });
});
