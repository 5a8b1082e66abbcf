// One process among many is elected for each kind of work. Its term ends when it is stopped, when its lease is lost, and when another process has the
// row.
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LeaseRow, leaseModels, type Term } from '../../src/store/lease.js';
import { isOver } from '../../src/store/lease-end.js';
import { processLeaseModels, TERM_MS } from '../../src/store/process-rows.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { inOneLease, openElections, type TestElections } from '../support/elections.js';
import { eventually, until } from '../support/eventually.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase((connection) => [leaseModels(connection), processLeaseModels(connection)]);
});
afterAll(() => database.close());

const rowOf = (name: string) => leaseModels(database.connection).leases.findById(name).lean();
const untilAborted = ({ signal }: Term) =>
  new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));

/** A candidate that starts at once; `terms` are its running terms, and it counts how often it was elected. */
function candidateIn({ elections }: Pick<TestElections, 'elections'>, name: string) {
  const state = { running: 0, terms: [] as Term[] };
  const worker = elections.elect(name, async (term) => {
    state.terms.push(term);
    state.running += 1;
    await untilAborted(term);
    state.running -= 1;
  });
  worker.start();
  onTestFinished(() => worker.stop());
  return { state, stop: () => worker.stop() };
}

it('a candidate stops while it is still reading the row, and at any moment after', async () => {
  const process = openElections(database.connection);
  for (let turns = 0; turns < 40; turns += 1) {
    const election = process.elections.elect(`work-${turns}`, untilAborted);
    election.start();
    for (let turn = 0; turn < turns * 25; turn += 1) await setImmediate();
    await expect(election.stop()).resolves.toBeUndefined();
  }
});

it('a candidate claims a row whose end is later than an earlier version can set it: the clock was set back', async () => {
  const models = leaseModels(database.connection);
  const inAnHour = new Date(Date.now() + 3_600_000);
  await models.leases.create({ _id: 'ahead', holder: 'a process that was killed', token: 7, expiresAt: inAnHour });
  const { state } = candidateIn(openElections(database.connection), 'ahead');
  await until(() => state.terms.length > 0);
  // The previous holder has lost its term: its token is no longer the newest.
  const checkpoint = await (state.terms[0] as Term).checkpoint('ahead');
  await checkpoint.advance('mine');
  expect(await models.checkpoints.findById('ahead').lean()).toMatchObject({ token: 8, state: 'mine' });
});

it('elected work ends when the row has another holder', async () => {
  const models = leaseModels(database.connection);
  const { elections, lease } = openElections(database.connection);
  const { row, ended, state } = await inOneLease(lease, async ({ id, lost }) => {
    const name = `given by ${id}`;
    const { state } = candidateIn({ elections }, name);
    await until(() => lost.aborted || state.running === 1);
    const given = { holder: 'another', token: 9, expiresAt: new Date(Date.now() + 1_000) };
    await models.leases.updateOne({ _id: name }, given);
    await until(() => lost.aborted || state.terms[0]?.signal.aborted === true);
    // The other process holds the row for as long as it says, by the store's clock.
    const held = { holder: 1, token: 1, isOver: { $gte: ['$$NOW', given.expiresAt] } };
    const row = await models.leases.findById(name, held).lean<{ isOver: boolean }>();
    await until(() => lost.aborted || (state.terms.length === 2 && state.running === 1));
    return { row, ended: await rowOf(name), state };
  });
  if (!row?.isOver) expect(row).toMatchObject({ holder: 'another', token: 9 });
  expect(state.terms[0]?.signal.aborted).toBe(true);
  expect(ended).toMatchObject({ token: 10 });
});

describe('Of two processes', () => {
  it('of two processes, one is elected for each kind of work, and the other one as soon as it stops', async () => {
    const [first, second] = [openElections(database.connection), openElections(database.connection)];
    const names = ['a', 'b', 'c'];
    const ours = names.map((name) => candidateIn(first, name));
    await eventually(() => expect(ours.map(({ state }) => state.running)).toEqual([1, 1, 1]));
    const theirs = names.map((name) => candidateIn(second, name));
    for (const { stop } of ours) await stop();
    await eventually(() => expect(theirs.map(({ state }) => state.running)).toEqual([1, 1, 1]));
    // Each term has the next token; a process that stands still loses its lease, and has another term.
    for (const [at, name] of names.entries()) {
      const terms = [ours[at], theirs[at]].flatMap((one) => one?.state.terms ?? []);
      expect(await rowOf(name)).toMatchObject({ token: terms.length });
    }
  });

  it('of two processes, the second is elected when the lease of the first has ended, and only then', async () => {
    const connection = await database.another();
    const [killed, heir] = [openElections(connection), openElections(database.connection)];
    const { processes } = processLeaseModels(database.connection);
    const { id, name, first, second } = await inOneLease(killed.lease, async ({ id, lost }) => {
      const name = `inherited from ${id}`;
      const first = candidateIn(killed, name);
      await eventually(() => expect(first.state.running).toBe(1));
      const second = candidateIn(heir, name);
      const beat = (await processes.findById(id).lean())?.expiresAt;
      await until(
        async () => lost.aborted || Number((await processes.findById(id).lean())?.expiresAt) !== Number(beat),
      );
      expect(second.state.terms).toHaveLength(0);
      return { id, name, first, second };
    });
    // A killed process leaves a row that no process renews.
    await connection.close();
    await eventually(() => expect([first.state.running, second.state.running]).toEqual([0, 1]));
    expect(await processes.findById(id).lean()).toMatchObject({ ended: true });
    expect((await rowOf(name))?.holder).toBe(`process ${await heir.lease.id()}`);
  });

  it('a process that was suspended for longer than its lease has lost its elections, and its progress is refused', async () => {
    const [suspended, heir] = [openElections(database.connection), openElections(database.connection)];
    const first = candidateIn(suspended, 'suspended');
    await until(() => first.state.terms.length > 0);
    const checkpoint = await (first.state.terms[0] as Term).checkpoint('suspended');
    await checkpoint.advance('first');
    const second = candidateIn(heir, 'suspended');
    const id = await suspended.lease.id();
    const { processes } = processLeaseModels(database.connection);
    await processes.updateOne({ _id: id }, { $set: { expiresAt: new Date(0) } });
    heir.lease.changes.interrupted();
    await until(() => second.state.terms.length > 0);
    await (await (second.state.terms[0] as Term).checkpoint('suspended')).advance('second');
    await expect(checkpoint.advance('late')).rejects.toThrow('newer holder');
    await until(() => first.state.terms[0]?.signal.aborted === true);
  });
});

const FORMER_TERM_MS = 6_000;

/**
 * A gateway of the earlier version does this every two seconds for each kind of work: it renews the row, or takes it
 * when it has expired.
 */
async function acquiredByFormer(name: string, me: string): Promise<LeaseRow | null> {
  const { leases } = leaseModels(database.connection);
  const free = { $or: [{ $eq: ['$holder', me] }, isOver('$expiresAt', FORMER_TERM_MS)] };
  const token = { $cond: [{ $eq: ['$holder', me] }, '$token', { $add: ['$token', 1] }] };
  return leases
    .findOneAndUpdate(
      { _id: name, $expr: free },
      [{ $set: { token, holder: me, expiresAt: { $add: ['$$NOW', FORMER_TERM_MS] } } }],
      { returnDocument: 'after', updatePipeline: true },
    )
    .lean();
}

/** Renews the process lease of a gateway of the earlier version. It is over later than any that this process loses if it stands still. */
async function renewFormer(id: string): Promise<void> {
  const { processes } = processLeaseModels(database.connection);
  const set = [{ $set: { expiresAt: { $add: ['$$NOW', 2 * TERM_MS - 500] } } }];
  await processes.updateOne({ _id: id }, set, { upsert: true, updatePipeline: true });
}

describe('Beside a gateway of the earlier version', () => {
  it('the elected process renews its rows for gateways of the earlier version, so that they find none over', async () => {
    const { processes } = processLeaseModels(database.connection);
    const own = openElections(database.connection);
    const { former, row } = await inOneLease(own.lease, async ({ id, lost }) => {
      const name = `upgraded by ${id}`;
      const { state } = candidateIn(own, name);
      await eventually(() => expect(state.running).toBe(1));
      const former = randomUUID();
      await renewFormer(former);
      const row = async () => await rowOf(name);
      const since = (await row())?.expiresAt as Date;
      // This takes longer than a row lasts that no process renews.
      await until(async () => {
        if (lost.aborted) return true;
        await renewFormer(former);
        expect(await acquiredByFormer(name, former)).toBeNull();
        return Number((await row())?.expiresAt) > Number(since) + 7_000;
      });
      expect(state).toMatchObject({ running: 1, terms: [expect.anything()] });
      return { former, row };
    });
    // The process notices that its lease has ended, and writes nothing from then on.
    await processes.deleteOne({ _id: former });
    await eventually(async () => {
      const before = await row();
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect(await row()).toEqual(before);
    });
  });

  it('the elected process renews its rows, although a look from before it started ends after the one that found it', async () => {
    const { processes } = processLeaseModels(database.connection);
    const exists = processes.exists.bind(processes) as (filter: object) => Promise<unknown>;
    const spy = vi.spyOn(processes, 'exists');
    onTestFinished(() => spy.mockRestore());
    const { elections, lease } = openElections(database.connection);
    await inOneLease(lease, async ({ id, lost }) => {
      const untilSeen = (isSo: () => boolean | Promise<boolean>) => until(async () => lost.aborted || isSo());
      await processes.deleteMany({ elects: { $exists: false } });
      const name = `overtaken in ${id}`;
      const { state } = candidateIn({ elections }, name);
      await untilSeen(() => state.running === 1);
      // The next check finds no process, and its result is late.
      let late: Promise<unknown> | undefined;
      let arrive = (): void => {};
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      lost.addEventListener('abort', arrive);
      spy.mockImplementation(((filter: object) => {
        if (late !== undefined) return exists(filter).then((found) => found);
        late = exists(filter).then(async (found) => {
          await arrived;
          return found;
        });
        return late;
      }) as never);
      // A process of this version; its changes are reported like all others.
      const expiresAt = new Date(Date.now() + TERM_MS);
      await database.connection
        .collection('processes')
        .insertOne({ _id: randomUUID() as never, elects: true, expiresAt });
      await untilSeen(() => late !== undefined);
      const former = randomUUID();
      await renewFormer(former);
      // A check that begins from here on finds it.
      const calls = spy.mock.calls.length;
      await untilSeen(async () => {
        await renewFormer(former);
        return spy.mock.calls.length > calls;
      });
      expect(await spy.mock.results.at(-1)?.value).not.toBeNull();
      arrive();
      expect(await late).toBeNull();
      const since = Number((await rowOf(name))?.expiresAt);
      await untilSeen(async () => {
        await renewFormer(former);
        return Number((await rowOf(name))?.expiresAt) > since + 3_000;
      });
    });
  });

  /**
   * Renews a row for longer than it lasts without that, and sees that nobody else has claimed it before it was over. Returns false if it was over:
   * this process stood still.
   */
  async function isRenewedInTime(name: string, former: string): Promise<boolean> {
    const end = Date.now() + FORMER_TERM_MS + 1_000;
    let row: Pick<LeaseRow, 'token' | 'expiresAt'> | null = await rowOf(name);
    while (Date.now() <= end) {
      const renewed = await acquiredByFormer(name, former);
      if (renewed?.token !== row?.token) {
        const claimed = await rowOf(name);
        expect(Number(claimed?.expiresAt) - FORMER_TERM_MS).toBeGreaterThanOrEqual(Number(row?.expiresAt));
        return false;
      }
      row = renewed;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;
  }

  it('nobody claims a row that a gateway of the earlier version renews', async () => {
    const former = randomUUID();
    const { leases } = leaseModels(database.connection);
    const { elections } = openElections(database.connection);
    for (let tries = 0; ; tries += 1) {
      const name = `theirs ${tries}`;
      const expiresAt = new Date(Date.now() + FORMER_TERM_MS);
      await leases.create({ _id: name, holder: former, token: 3, expiresAt });
      const { state } = candidateIn({ elections }, name);
      if (!(await isRenewedInTime(name, former))) continue;
      expect(state.terms).toHaveLength(0);
      // The process stops.
      await leases.updateOne({ _id: name, holder: former }, { $set: { expiresAt: new Date(0) } });
      await eventually(async () =>
        expect([state.terms.length > 0, (await rowOf(name))?.token]).toEqual([true, 3 + state.terms.length]),
      );
      return;
    }
  });
});
