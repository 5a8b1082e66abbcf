// How far the planner counts: if one index leads to a few keys, other indexes are not counted up to the usual limit.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LatestView } from '../../../src/engine/store/view.js';
import { startTestEngine, type TestEngine } from '../support.js';

const all = Array.from({ length: 3_000 }, (_, n) => ({ _id: `row-${n}`, a: n % 2, b: (n * 7) % 3_000 }));
const ids = Array.from({ length: 20 }, (_, n) => `row-${n * 100}`);

let at: TestEngine;
beforeAll(async () => {
  at = await startTestEngine();
  await at.db.collection<(typeof all)[0]>('rows').insertMany(all);
  await at.db.collection('rows').createIndexes([{ key: { b: 1 } }, { key: { a: 1, b: 1 } }]);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => at.close());

describe('A filter that names a few ids counts few entries of other indexes', () => {
  it.each([
    ['in an order that an index has', {}, { b: 1 }, undefined],
    ['with a limit', {}, { b: -1 }, 5],
    ['with a value that half of the rows have', { a: 0 }, undefined, undefined],
    ['with a value and an order', { a: 1 }, { b: 1 }, undefined],
  ] as const)(
    'a filter that names a few ids counts few entries of other indexes: %s',
    async (_name, more, sort, limit) => {
      const counts = vi.spyOn(LatestView.prototype, 'countEntries');
      const options = { ...(sort && { sort }), ...(limit && { limit }) };
      const rows = await at.db
        .collection<(typeof all)[0]>('rows')
        .find({ _id: { $in: ids }, ...more }, options)
        .toArray();
      const matching = all.filter(({ _id, a }) => ids.includes(_id) && (!('a' in more) || a === more.a));
      const inOrder = matching.sort((one, other) => (sort ? (one.b - other.b) * sort.b : 0)).slice(0, limit);
      if (sort) expect(rows).toEqual(inOrder);
      else expect(new Set(rows.map(({ _id }) => _id))).toEqual(new Set(inOrder.map(({ _id }) => _id)));
      expect(counts).toHaveBeenCalled();
      const counted = counts.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
      expect(counted).toBeLessThanOrEqual(200);
    },
  );
});
