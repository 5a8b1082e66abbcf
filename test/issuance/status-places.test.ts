// Places in status lists: drawn at random, several at once; each is returned once, and a full list is followed by the next one.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type IssuanceModels, issuanceModels } from '../../src/issuance/models.js';
import { LIST_BITS } from '../../src/issuance/status-list.js';
import { StatusPlaces } from '../../src/issuance/status-places.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let models: IssuanceModels;

beforeAll(async () => {
  database = await openDatabase(issuanceModels);
  models = issuanceModels(database.connection);
});
afterAll(() => database?.close());

/** Issuances that have these places. */
async function take(statusListId: string, indexes: readonly number[]): Promise<void> {
  const rowOf = (statusListIndex: number) => {
    const id = randomUUID();
    const owner = { holderId: id, credentialId: 'c', live: true };
    return { _id: id as never, coreClaimHash: id, revocationNonce: id, statusListId, statusListIndex, ...owner };
  };
  await models.issuances.collection.insertMany(indexes.map(rowOf));
}

/** Numbers in place of random ones: 0, 1, 2 and so on, below `size`. */
function counting(size: number): () => number {
  let next = 0;
  return () => next++ % size;
}

it('returns each place once, by whatever number of requests they are asked for at once', async () => {
  const places = new StatusPlaces(models);
  const drawn = await Promise.all(Array.from({ length: 200 }, () => places.draw('many')));
  // Two look-ups may draw the same place by chance; then the index of the store refuses one of them.
  expect(new Set(drawn.map(({ statusListIndex }) => statusListIndex)).size).toBeGreaterThan(190);
  expect(new Set(drawn.map(({ statusListId }) => statusListId))).toEqual(new Set(['many.1']));
  expect(Math.max(...drawn.map(({ statusListIndex }) => statusListIndex))).toBeGreaterThan(LIST_BITS / 2);
});

it('looks up many places with one command', async () => {
  const find = vi.spyOn(models.issuances.collection, 'find');
  const places = new StatusPlaces(models, counting(LIST_BITS));
  const drawn = [];
  for (let at = 0; at < 16; at += 1) drawn.push(await places.draw('few'));
  expect(new Set(drawn.map(({ statusListIndex }) => statusListIndex)).size).toBe(16);
  expect(find).toHaveBeenCalledTimes(1);
  find.mockRestore();
});

it('leaves out the places that have an issuance', async () => {
  await take('half.1', [0, 1, 2, 3, 5, 8, 13]);
  const places = new StatusPlaces(models, counting(16));
  const drawn = [];
  for (let at = 0; at < 9; at += 1) drawn.push((await places.draw('half')).statusListIndex);
  expect(drawn.sort((a, b) => a - b)).toEqual([4, 6, 7, 9, 10, 11, 12, 14, 15]);
});

it('goes on in the next list where it finds none, and stays there', async () => {
  const all = Array.from({ length: 16 }, (_, index) => index);
  await take('full.1', all);
  await take('full.2', all);
  const places = new StatusPlaces(models, counting(16));
  const drawn = await Promise.all([places.draw('full'), places.draw('full'), places.draw('full')]);
  expect(drawn.map(({ statusListId }) => statusListId)).toEqual(['full.3', 'full.3', 'full.3']);
  expect((await places.draw('full')).statusListId).toBe('full.3');
  expect((await places.draw('other')).statusListId).toBe('other.1');
});
