// What a process has claimed stays its own while it renews its lease, and is free within seconds of its end, whatever clocks do.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DomainError } from '../../src/base/errors.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { Idempotency, type IdempotencyModels, idempotencyModels } from '../../src/store/idempotency.js';
import { ProcessLease } from '../../src/store/process-lease.js';
import { HOLDS, MAY_RUN, processLeaseModels, TERM_MS } from '../../src/store/process-rows.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { inOneLease } from '../support/elections.js';
import { eventually, until } from '../support/eventually.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase((connection) => [idempotencyModels(connection), processLeaseModels(connection)]);
});
afterAll(() => database.close());

const processes = () => database.connection.collection<{ _id: string; expiresAt: Date; ended?: boolean }>('processes');

/** A process with its lease, which it renews if `runs` is true. */
function processOf({ runs, connection = database.connection }: { runs: boolean; connection?: Connection }): {
  keys: Idempotency;
  lease: ProcessLease;
} {
  const lease = new ProcessLease({ models: processLeaseModels(connection) });
  onTestFinished(() => lease.stop());
  if (runs) lease.start();
  const box = new SealedBox(Buffer.alloc(32, 1));
  return { keys: new Idempotency(idempotencyModels(connection), box, lease, Date.now), lease };
}

/** Claims a key for work that ends when the test says so. */
async function take(
  keys: Idempotency,
  route: string,
): Promise<{ call: Parameters<Idempotency['run']>[0]; finish(): Promise<unknown> }> {
  const call = { caller: { kind: 'operator', keyName: 'configured', role: 'all' }, route, key: 'k', body: 1 } as const;
  let finish = (): void => {};
  let first: Promise<unknown> = Promise.resolve();
  await new Promise<void>((taken) => {
    first = keys.run(call, () => {
      taken();
      return new Promise<string>((resolve) => {
        finish = () => resolve('first');
      });
    });
  });
  return {
    call,
    finish: () => {
      finish();
      return first;
    },
  };
}

it('the key of a dead process is free once its lease is over; until then a retry gets Retry-After', async () => {
  const connection = await database.another();
  const killed = processOf({ runs: true, connection });
  const { call } = await take(killed.keys, 'killed');
  const { keys } = processOf({ runs: true });
  const retry = () => keys.run(call, async () => 'second');
  await expect(retry()).rejects.toMatchObject({ code: 'CONFLICT', data: { retryAfter: 2 } });
  // A killed process leaves a lease that is neither ended nor renewed.
  await connection.close();
  await eventually(async () => expect(await retry()).toBe('second'));
});

it('a process that stops leaves no lease that holds, although its store responds so late that the lease is lost', async () => {
  const { processes: model } = processLeaseModels(database.connection);
  const updateOne = async (...args: Parameters<typeof model.updateOne>) => {
    const written = await model.updateOne(...args);
    await pause(2_000);
    return written;
  };
  const late = Object.assign(Object.create(model), { updateOne });
  const lease = new ProcessLease({ models: { processes: late } });
  lease.start();
  const { id, lost } = await lease.held();
  await new Promise((resolve) => lost.addEventListener('abort', resolve));
  await lease.stop();
  expect(await processes().countDocuments({ _id: id, ...HOLDS })).toBe(0);
});

it('the key of a process that renews its lease is not free', async () => {
  const { keys, lease } = processOf({ runs: true });
  const others = processOf({ runs: true }).keys;
  const finish = await inOneLease(lease, async ({ id: _id, lost }) => {
    const { call, finish } = await take(keys, `alive with ${_id}`);
    const firstEnd = new Date(Date.now() + TERM_MS);
    const own = { _id, expiresAt: { $gt: firstEnd } };
    await until(async () => lost.aborted || (await processes().findOne(own)) !== null);
    await expect(others.run(call, async () => 'second')).rejects.toMatchObject({ code: 'CONFLICT' });
    return finish;
  });
  expect(await finish()).toBe('first');
});

it('a lease that ends later than possible, because the clock was set back, is over', async () => {
  const { keys, lease } = processOf({ runs: false });
  const { call } = await take(keys, 'clock');
  const inAnHour = { $set: { expiresAt: new Date(Date.now() + 3_600_000) } };
  await processes().updateOne({ _id: await lease.id() }, inAnHour);
  expect(await processOf({ runs: true }).keys.run(call, async () => 'second')).toBe('second');
});

it('if a key cannot be released, the lease that it depends on is given up', async () => {
  const { keys, lease } = processOf({ runs: true });
  const before = await lease.id();
  const call = {
    caller: { kind: 'operator', keyName: 'configured', role: 'all' },
    route: 'orphan',
    key: 'k',
    body: 1,
  } as const;
  const { idempotencyKeys } = idempotencyModels(database.connection);
  const failing = vi
    .spyOn(idempotencyKeys, 'deleteOne')
    .mockImplementationOnce((() => Promise.reject(new Error('away'))) as never);
  onTestFinished(() => failing.mockRestore());
  const fails = keys.run(call, () => Promise.reject(new Error('the store is away')));
  await expect(fails).rejects.toThrow('the store is away');
  expect(await lease.id()).not.toBe(before);
  await eventually(async () => expect(await keys.run(call, async () => 'second')).toBe('second'));
});

it('a lease that is given up during its renewal is replaced before its id is used', async () => {
  const { lease } = processOf({ runs: false });
  const before = await lease.id();
  lease.start();
  lease.renounce(before);
  const after = await lease.id();
  expect(after).not.toBe(before);
  expect(await lease.holds(after)).toBe(true);
});

it('a lease that is given up is deleted, and giving up an old id does not end the current lease', async () => {
  const { lease } = processOf({ runs: false });
  const before = await lease.id();
  lease.renounce(before);
  await eventually(async () => expect(await processes().findOne({ _id: before })).toBeNull());
  const { id, lost } = await lease.held();
  lease.renounce(before);
  expect(await lease.id()).toBe(id);
  expect(lost.aborted).toBe(false);
});

it('a process that stops after it stood still leaves no row', async () => {
  const { lease } = processOf({ runs: false });
  const id = await lease.id();
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 2 * TERM_MS);
  onTestFinished(() => clock.mockRestore());
  await lease.stop();
  expect(await processes().findOne({ _id: id })).toBeNull();
});

it('a process whose lease was over has a row at any time, and in the end one', async () => {
  const { lease } = processOf({ runs: false });
  const before = await lease.id();
  const rows = (): Promise<number> => processes().countDocuments({ _id: { $in: [before, after] }, ...MAY_RUN });
  let after = '';
  await processes().updateOne({ _id: before }, { $set: { expiresAt: new Date(Date.now() - 1_000) } });
  const { processes: model } = processLeaseModels(database.connection);
  const deleteMany = model.deleteMany.bind(model);
  const counts: number[] = [];
  const deleting = vi.spyOn(model, 'deleteMany').mockImplementation((async (filter: object) => {
    ({ _id: after = '' } = (await processes().findOne({ _id: { $ne: before }, ...HOLDS })) ?? {});
    counts.push(await rows());
    return deleteMany(filter);
  }) as never);
  onTestFinished(() => deleting.mockRestore());
  lease.start();
  await eventually(async () => expect(await processes().findOne({ _id: before })).toBeNull());
  expect(await lease.id()).toBe(after);
  expect([counts[0], await rows()]).toEqual([2, 1]);
});

it('a process that has stopped its lease gets no other one', async () => {
  const { lease } = processOf({ runs: true });
  const id = await lease.id();
  await lease.stop();
  const count = await processes().countDocuments({});
  await expect(lease.held()).rejects.toThrow('has stopped');
  expect(await processes().findOne({ _id: id })).toBeNull();
  expect(await processes().countDocuments({})).toBe(count);
});

it('the lease is renewed while the work after a renewal is in progress, which is started once', async () => {
  const { lease } = processOf({ runs: false });
  let begun = 0;
  let finish = (): void => {};
  lease.afterBeat(() => {
    begun += 1;
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  lease.start();
  await inOneLease(lease, async ({ id: _id, lost }) => {
    const own = { _id, expiresAt: { $gt: new Date(Date.now() + TERM_MS) } };
    await until(async () => lost.aborted || (await processes().findOne(own)) !== null);
  });
  expect(begun).toBe(1);
  finish();
  await eventually(() => expect(begun).toBe(2));
  finish();
});

const REFUSAL = new DomainError('NOT_FOUND', 'There is no such thing.');
const lostReply = () => new Error('the connection broke');

it.each<[string, (models: IdempotencyModels) => unknown]>([
  [
    'that was claimed, but whose reply was lost',
    ({ idempotencyKeys: { collection } }) => {
      const insertOne = collection.insertOne.bind(collection);
      const insert = vi.spyOn(collection, 'insertOne');
      return insert.mockImplementationOnce((row) => insertOne(row).then(() => Promise.reject(lostReply())));
    },
  ],
  [
    'of a dead process that was taken over, but whose reply was lost',
    async ({ idempotencyKeys }) => {
      const dead = processOf({ runs: false });
      await take(dead.keys, 'half-way');
      await processes().deleteOne({ _id: await dead.lease.id() });
      const updateOne = idempotencyKeys.updateOne.bind(idempotencyKeys);
      const update = vi.spyOn(idempotencyKeys, 'updateOne');
      update.mockImplementationOnce(((filter: object, change: object) =>
        updateOne(filter, change)
          .exec()
          .then(() => Promise.reject(lostReply()))) as never);
    },
  ],
  [
    'whose refusal could not be stored',
    ({ idempotencyKeys }) =>
      vi.spyOn(idempotencyKeys, 'updateOne').mockImplementationOnce((() => Promise.reject(lostReply())) as never),
  ],
])('a key %s is free for the next request', async (_name, fail) => {
  onTestFinished(() => void vi.restoreAllMocks());
  const { keys, lease } = processOf({ runs: true });
  const before = await lease.id();
  const models = idempotencyModels(database.connection);
  await models.idempotencyKeys.deleteMany({});
  await fail(models);
  const caller = { kind: 'operator', keyName: 'configured', role: 'all' } as const;
  const call = { caller, route: 'half-way', key: 'k', body: 1 };
  await expect(keys.run(call, () => Promise.reject(REFUSAL))).rejects.toThrow('the connection broke');
  expect(await keys.run(call, async () => 'second')).toBe('second');
  expect(await lease.id()).toBe(before);
});

it('a lease from before the clock was set back has ended, and a change of the key still waits for its process', async () => {
  const { lease } = processOf({ runs: false });
  await processes().insertOne({ _id: 'of before', expiresAt: new Date(Date.now() + 1_800_000) });
  expect(await lease.holds('of before')).toBe(false);
  expect(await lease.others()).toContainEqual(expect.objectContaining({ _id: 'of before' }));
});

describe('A lease of an earlier version, which renews it whatever the row says,', () => {
  const renew = (_id: string) =>
    processes().updateOne({ _id }, { $set: { expiresAt: new Date(Date.now() + 4_000) } }, { upsert: true });

  it.each([
    ['that was late', {}],
    ['of which a row says that it has ended', { ended: true }],
  ])('a lease of an earlier version %s is over until it is renewed, and holds from then on', async (_name, said) => {
    const { lease } = processOf({ runs: false });
    const id = randomUUID();
    await processes().insertOne({ _id: id, expiresAt: new Date(0), ...said });
    const ofIt = { _id: id, ...HOLDS };
    expect(await lease.holds(id)).toBe(false);
    expect(await processes().countDocuments(ofIt)).toBe(0);
    await renew(id);
    expect(await lease.holds(id)).toBe(true);
    expect(await processes().countDocuments(ofIt)).toBe(1);
  });
});
