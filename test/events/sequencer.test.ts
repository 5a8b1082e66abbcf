// Who gives places: one elected process; and what holds when for a while there are two, because one slept through the loss of its lease.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { EventLog } from '../../src/events/event-log.js';
import { type EventModels, eventModels } from '../../src/events/models.js';
import { type SequencerState, sequence } from '../../src/events/sequencer.js';
import { leaseModels, Term } from '../../src/store/lease.js';
import { startTestEngine } from '../engine/support.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';

const HOUR = 3_600_000;

let connection: mongoose.Connection;
let models: EventModels;
let log: EventLog;
let ended: AbortController;
let running: Promise<void>[];
beforeEach(async () => {
  await open(databaseUri(`test_${randomInt(2 ** 40).toString(36)}`));
});

/** Opens the store that the test is about. */
async function open(uri: string): Promise<void> {
  connection = await mongoose.createConnection(uri, { autoIndex: false, autoCreate: false }).asPromise();
  models = eventModels(connection);
  leaseModels(connection);
  await Promise.all(Object.values(connection.models).map((model) => model.createCollection()));
  await models.events.createIndexes();
  log = new EventLog(models, Date.now);
  ended = new AbortController();
  running = [];
}

async function leave(): Promise<void> {
  await stop();
  await connection.dropDatabase();
  await connection.close();
}
afterEach(leave);

/** Stamps as an elected process does, begun again whenever it fails. */
function stamping(clock: () => number = Date.now): void {
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      // Every one believes that its term is the newest.
      const term = new Term(leaseModels(connection), 1, ended.signal);
      const options = { connection, models, clock, retentionMs: HOUR, onStamped: () => {} };
      await sequence(term, options).catch(() => {});
      await delay(randomInt(1, 20));
    }
  };
  running.push(run());
}

async function stop(): Promise<void> {
  ended.abort();
  await Promise.all(running.splice(0));
  ended = new AbortController();
}

async function append(name: string): Promise<void> {
  const event = { type: 'stored', viewers: { partnerId: 'p' }, payload: { storagePath: name } } as const;
  await connection.transaction((session) => log.append([event], session));
}

const stamped = () =>
  models.events
    .find({ seq: { $gt: 0 } })
    .sort({ seq: 1 })
    .lean();

it('two concurrent sequencers give each event one number, without gaps, in commit order', async () => {
  stamping();
  stamping();
  stamping();
  const lanes = 8;
  const lane = async (at: number): Promise<void> => {
    for (let turn = 0; turn < 25; turn += 1) await append(`${at}.${turn}`);
  };
  await Promise.all(Array.from({ length: lanes }, (_, at) => lane(at)));
  await eventually(async () => expect(await models.events.countDocuments({ pending: true })).toBe(0));
  const rows = await stamped();
  expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: lanes * 25 }, (_, at) => at + 1));
  for (let at = 0; at < lanes; at += 1) {
    const own = rows.map(({ payload }) => String(payload.storagePath)).filter((name) => name.startsWith(`${at}.`));
    expect(own).toEqual(Array.from({ length: 25 }, (_, turn) => `${at}.${turn}`));
  }
});

it('the sequencer skips events that have a number if its saved progress is older', async () => {
  await append('a');
  stamping();
  await eventually(async () => expect(await stamped()).toHaveLength(1));
  await stop();
  const progress = connection.collection('checkpoints');
  const saved = await progress.findOne({ _id: 'sequencer' as never });
  for (const name of ['b', 'c']) await append(name);
  stamping();
  await eventually(async () => expect(await stamped()).toHaveLength(3));
  await stop();
  await progress.replaceOne({ _id: 'sequencer' as never }, saved ?? {});
  await append('d');
  stamping();
  await eventually(async () => expect(await stamped()).toHaveLength(4));
  expect((await stamped()).map(({ seq, payload }) => [seq, payload.storagePath])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
    [4, 'd'],
  ]);
});

it('the sequencer uses no number twice, although all numbered rows are gone', async () => {
  stamping();
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    await append(name);
    await eventually(async () => expect(await stamped()).toHaveLength(at + 1));
  }
  await stop();
  await models.events.deleteMany({});
  await append('d');
  stamping();
  await eventually(async () => expect((await stamped()).map(({ seq }) => seq)).toEqual([4]));
});

it('the sequencer uses no number twice, although of a batch that has expired the newest row is gone', async () => {
  for (const name of ['a', 'b', 'c']) await append(name);
  stamping(() => Date.now() - HOUR - 1_000);
  await eventually(async () => expect(await stamped()).toHaveLength(3));
  await stop();
  // The progress that is saved before the batch.
  const progress = { 'state.lastSeq': 0, 'state.upTo': 3 };
  await connection.collection('checkpoints').updateOne({ _id: 'sequencer' as never }, { $set: progress });
  await models.events.deleteOne({ seq: 3 });
  await append('d');
  stamping();
  await eventually(async () =>
    expect((await stamped()).at(-1)).toMatchObject({ seq: 4, payload: { storagePath: 'd' } }),
  );
});

it('the sequencer continues after the progress of an earlier version, whose rows are gone', async () => {
  const progress = { token: 0, state: { lastSeq: 7 } };
  await connection.collection('checkpoints').insertOne({ _id: 'sequencer' as never, ...progress });
  await append('a');
  stamping();
  await eventually(async () => expect((await stamped()).map(({ seq }) => seq)).toEqual([8]));
});

it('no event expires before an earlier one, although the clock of the next process lags', async () => {
  await append('first');
  stamping(() => Date.now() + 60_000);
  await eventually(async () => expect(await stamped()).toHaveLength(1));
  await stop();
  // Killed before its progress was saved.
  await connection.collection('checkpoints').deleteMany({});
  await append('second');
  stamping(() => Date.now() + 59_990);
  await eventually(async () => expect(await stamped()).toHaveLength(2));
  const [first, second] = await stamped();
  expect(Number(second?.expireAt)).toBeGreaterThanOrEqual(Number(first?.expireAt));
});

it('the sequencer continues if the store refuses the resume token of another kind of store', async () => {
  await leave();
  const engine = await startTestEngine();
  onTestFinished(() => engine.close());
  await open(`${engine.engine.uri.replace(/\/?(\?|$)/, '/moved$1')}`);
  await append('before');
  stamping();
  await eventually(async () => expect(await stamped()).toHaveLength(1));
  // A token is saved with the first batch that the stream gives.
  const checkpoint = () => leaseModels(connection).checkpoints.findById('sequencer').lean<{ state: SequencerState }>();
  await eventually(async () => {
    await append('resumed');
    expect((await checkpoint())?.state.resumeToken).toBeTruthy();
  });
  await eventually(async () => expect(await models.events.countDocuments({ pending: true })).toBe(0));
  await stop();
  const before = (await stamped()).length;
  await append('after');
  // What MongoDB 7 says of a token of the embedded store: "KeyString format error: Unknown type".
  const data = { failCommands: ['aggregate'], errorCode: 50_811 };
  await engine.client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
  const term = new Term(leaseModels(connection), 1, ended.signal);
  running.push(sequence(term, { connection, models, clock: Date.now, retentionMs: HOUR, onStamped: () => {} }));
  await eventually(async () => expect(await stamped()).toHaveLength(before + 1));
});
