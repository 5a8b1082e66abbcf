// Elections end when they are told to, whatever they are doing at that moment.
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { Election, leaseModels, type Term } from '../../src/store/lease.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

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

it('takes a lease that lies further ahead than its term: the clock was set back', async () => {
  const models = leaseModels(database.connection);
  const inAnHour = new Date(Date.now() + 3_600_000);
  await models.leases.create({ _id: 'ahead', holder: 'a process that was killed', token: 7, expiresAt: inAnHour });
  const elected = new Promise<Term>((resolve) => {
    const work = (term: Term) => {
      resolve(term);
      return untilAborted(term);
    };
    const election = new Election(models, 'ahead', work);
    onTestFinished(() => election.stop());
    election.start();
  });
  // Whoever held it has lost it: its token is no longer the newest.
  const checkpoint = await (await elected).checkpoint('ahead');
  await checkpoint.advance('mine');
  expect(await models.checkpoints.findById('ahead').lean()).toMatchObject({ token: 8, state: 'mine' });
});

it('ends the work at the first renewal that finds another owner', async () => {
  const models = leaseModels(database.connection);
  let election: Election | undefined;
  const asked = new Promise<number>((resolve) => {
    const work = async (term: Term): Promise<void> => {
      await models.leases.updateOne({ _id: 'given' }, { holder: 'another', expiresAt: new Date(Date.now() + 1_000) });
      const asking = vi.spyOn(models.leases, 'findOneAndUpdate');
      await untilAborted(term);
      resolve(asking.mock.calls.length);
      asking.mockRestore();
    };
    election = new Election(models, 'given', work, { ttlMs: 1_500 });
    election.start();
  });
  onTestFinished(() => election?.stop());
  // A renewal that was under way when the lease was given away is not counted.
  expect(await asked).toBeLessThanOrEqual(1);
});
