// Elections end when they are told to, whatever they are doing at that moment.
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Election, leaseModels, type Term } from '../src/lease.js';
import { openDatabase, type TestDatabase } from './support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase(leaseModels);
});
afterAll(() => database.close());

const untilAborted = ({ signal }: Term) =>
  new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));

it('stops while it is still asking for the lease, and at any moment after', async () => {
  const models = leaseModels(database.connection);
  for (let turns = 0; turns < 40; turns += 1) {
    const election = new Election(models, `work-${turns}`, untilAborted);
    election.start();
    for (let turn = 0; turn < turns * 25; turn += 1) await setImmediate();
    await expect(election.stop()).resolves.toBeUndefined();
  }
});
