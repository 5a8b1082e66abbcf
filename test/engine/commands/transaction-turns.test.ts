// Few transactions read at once, so that their snapshots do not keep the pages of many commits; none waits for its turn for long.
import type { ClientSession } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

let running: TestEngine;
beforeAll(async () => {
  running = await startTestEngine();
});
afterAll(() => running.close());

const rows = () => running.db.collection<{ _id: number }>('rows');
beforeEach(async () => {
  await rows().deleteMany({});
});

const idsIn = async (session: ClientSession): Promise<number[]> =>
  (await rows().find({}, { session }).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

/** Transactions that have read, and are open. */
async function open(count: number): Promise<ClientSession[]> {
  const sessions = Array.from({ length: count }, () => running.client.startSession());
  for (const session of sessions) {
    session.startTransaction();
    await idsIn(session);
  }
  return sessions;
}

const end = (sessions: ClientSession[]): Promise<unknown> =>
  Promise.all(
    sessions.map(async (session) => {
      if (session.inTransaction()) await session.abortTransaction();
      await session.endSession();
    }),
  );

it.each([
  ['commits', (session: ClientSession) => session.commitTransaction()],
  ['aborts', (session: ClientSession) => session.abortTransaction()],
])('a fifth transaction begins when one of four %s, and sees what was written until then', async (_, finish) => {
  const others = await open(4);
  const [first, fifth] = [others[0], running.client.startSession()];
  if (!first) throw new Error('four');
  fifth.startTransaction();
  const seen = idsIn(fifth);
  // The command of the fifth is there before this one is done.
  await rows().insertOne({ _id: 5 });
  await finish(first);
  expect(await seen).toEqual([5]);
  await end([...others, fifth]);
});

it('a transaction begins beside four that stay open, and reads and writes as they do', async () => {
  const all = await open(7);
  for (const [_id, session] of all.entries()) await rows().insertOne({ _id }, { session });
  for (const [_id, session] of all.entries()) expect(await idsIn(session)).toEqual([_id]);
  for (const session of all) await session.commitTransaction();
  expect(await rows().countDocuments()).toBe(7);
  await end(all);
});

it('each of many transactions at once is done, and reads one state', async () => {
  const work = async (_id: number): Promise<boolean> => {
    const session = running.client.startSession();
    session.startTransaction();
    const before = await idsIn(session);
    await rows().insertOne({ _id }, { session });
    const after = await idsIn(session);
    await session.commitTransaction();
    await session.endSession();
    return after.length === before.length + 1;
  };
  expect(await Promise.all(Array.from({ length: 60 }, (_, i) => work(i)))).toEqual(Array(60).fill(true));
  expect(await rows().countDocuments()).toBe(60);
});
