// The sizes that mongosh's stats() and similar functions show.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

let at: TestEngine;
beforeAll(async () => {
  at = await startTestEngine();
  await at.db.collection('c').createIndex({ n: 1 });
  await at.db.collection('c').insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
});
afterAll(() => at.close());

it('$collStats returns the storage statistics of collStats, with a scale and beside the count', async () => {
  const { ns, ok: _, operationTime: __, $clusterTime: ___, ...sizes } = await at.db.command({ collStats: 'c' });
  const read = (stage: object) =>
    at.db
      .collection('c')
      .aggregate([{ $collStats: stage }])
      .next();
  expect(await read({ storageStats: {} })).toMatchObject({ ns, storageStats: sizes });
  expect(await read({ storageStats: { scale: 10 }, count: {} })).toMatchObject({
    storageStats: { size: Math.trunc(Number(sizes.size) / 10), scaleFactor: 10, nindexes: 2 },
    count: 3,
  });
  await expect(read({ storageStats: { scale: 0 } })).rejects.toMatchObject({ code: 51024 });
  await expect(read({ storageStats: { sclae: 1 } })).rejects.toMatchObject({ code: 40415 });
  await expect(read({ latencyStats: {} })).rejects.toMatchObject({ code: 238 });
});

it('statistics of a missing collection are refused', async () => {
  const stats = await at.db
    .collection('none')
    .aggregate([{ $collStats: { storageStats: {} } }])
    .next();
  expect(stats).toMatchObject({ storageStats: { count: 0, size: 0, nindexes: 0 } });
});
