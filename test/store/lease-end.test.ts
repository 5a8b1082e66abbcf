// When a lease is over, by the store's clock.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOver } from '../../src/store/lease-end.js';
import { leaseModels } from '../../src/store/lease.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

const TERM_MS = 60_000;
let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase(leaseModels);
});
afterAll(() => database.close());

describe('A lease of a minute', () => {
  it.each([
    ['without an end', undefined, true],
    ['that has just ended', -1_000, true],
    ['that ends soon', TERM_MS / 2, false],
    ['that was taken after a waiting command had begun', TERM_MS + 5_000, false],
    ['that was taken while a command waited nearly as long as it lasts', 2 * TERM_MS - 5_000, false],
    ['that ends later than that', 2.5 * TERM_MS, true],
    ['that was taken before the clock was set back by an hour', TERM_MS + 3_600_000, true],
  ])('%s', async (name, endsIn, over) => {
    const leases = database.connection.collection<{ _id: string; end?: Date }>('leases');
    await leases.insertOne({ _id: name, ...(endsIn === undefined ? {} : { end: new Date(Date.now() + endsIn) }) });
    const found = await leases.findOne({ _id: name, $expr: isOver('$end', TERM_MS) });
    expect(found !== null).toBe(over);
  });
});
