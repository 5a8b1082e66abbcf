// Work on whole collections: no command reads more rows than a piece, every row is reached, and work that was stopped
// or had a failed command continues.
import { type CommandStartedEvent, MongoNetworkError } from 'mongodb';
import mongoose, { type Collection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { deleteByIndex, deleteInPieces, readInPieces, updateByIndex, updateInPieces } from '../../src/store/pieces.js';
import { startTestEngine, type TestEngine } from '../engine/support.js';

let engine: TestEngine;
let connection: mongoose.Connection;
let collection: Collection;
const sent: CommandStartedEvent[] = [];

beforeAll(async () => {
  engine = await startTestEngine();
  const options = { dbName: 'pieces', serverApi: { version: '1' }, monitorCommands: true } as const;
  connection = await mongoose.createConnection(engine.engine.uri, options).asPromise();
  connection.getClient().on('commandStarted', (event) => void sent.push(event));
  collection = connection.collection('rows');
});
afterAll(async () => {
  await connection.close();
  await engine.close();
});

/** Rows `0000` to `0024`; every third is odd, and their `place` has the opposite order. */
beforeEach(async () => {
  await engine.client.db('pieces').dropDatabase();
  await collection.createIndex({ place: 1 }, { partialFilterExpression: { place: { $exists: true } } });
  await collection.createIndex({ owner: 1 });
  await fill();
  sent.length = 0;
});

async function fill(): Promise<void> {
  const rows = Array.from({ length: 25 }, (_, at) => ({
    ...{ _id: idOf(at), odd: at % 3 === 0, text: `of ${at}`, owner: at % 2 === 0 ? 'ada' : 'bob' },
    ...(at < 20 ? { place: 20 - at } : {}),
  }));
  const stored = engine.client.db('pieces').collection('rows');
  await stored.deleteMany({});
  await stored.insertMany(rows as never[]);
}

const idOf = (at: number): string => String(at).padStart(4, '0');
const idsOf = async (filter: object): Promise<number[]> =>
  (await engine.client.db('pieces').collection('rows').find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) =>
    Number(_id),
  );
const matching = (test: (at: number) => boolean): number[] => Array.from({ length: 25 }, (_, at) => at).filter(test);

/**
 * For the commands sent until now, the largest number of index entries or documents that one of them reads when all
 * rows exist.
 */
async function mostRead(): Promise<number> {
  let most = 0;
  await fill();
  for (const { commandName, command } of sent.splice(0)) {
    if (!['find', 'update', 'delete'].includes(commandName)) continue;
    const { lsid: _l, txnNumber: _t, $db: _d, $clusterTime: _c, apiVersion: _v, apiStrict: _s, ...explain } = command;
    const reply = await engine.client.db('pieces').command({ explain, verbosity: 'executionStats' });
    const { totalKeysExamined: keys, totalDocsExamined: docs } = reply.executionStats;
    most = Math.max(most, keys, docs);
  }
  return most;
}

for (const size of [1, 4, 5, 25, 26, 100])
  it(`Rows of any filter are updated ${size} at a time, each once`, async () => {
    const change = { $set: { seen: true }, $inc: { times: 1 } };
    await updateInPieces({ collection }, { odd: true }, change, { size });
    expect(await idsOf({ seen: true, times: 1 })).toEqual(matching((at) => at % 3 === 0));
    expect(await mostRead()).toBeLessThanOrEqual(size);
  });

it('A filter of the id itself is a filter within each piece', async () => {
  await deleteInPieces({ collection }, { _id: /5$/ }, { size: 4 });
  expect(await idsOf({})).toEqual(matching((at) => at % 10 !== 5));
  expect(await mostRead()).toBeLessThanOrEqual(4);
});

it('Pieces follow a named index, and skip rows that are not in it', async () => {
  const seen: number[] = [];
  const options = { by: 'place', from: 1, size: 6 };
  for await (const rows of readInPieces<{ _id: string }>({ collection }, { odd: true }, options))
    seen.push(...rows.map(({ _id }) => Number(_id)));
  expect(seen).toEqual(matching((at) => at % 3 === 0 && at < 20).reverse());
  expect(await mostRead()).toBeLessThanOrEqual(6);
});

it('Pieces stay within a range of ids', async () => {
  await deleteInPieces({ collection }, {}, { from: idOf(7), until: idOf(19), size: 5 });
  expect(await idsOf({})).toEqual(matching((at) => at < 7 || at >= 19));
  expect(await mostRead()).toBeLessThanOrEqual(5);
});

it('Rows that an index finds are deleted and updated a piece at a time', async () => {
  await deleteByIndex({ collection }, { owner: 'ada' }, { size: 4 });
  await updateByIndex({ collection }, { owner: 'bob' }, { $set: { owner: 'nobody' } }, { size: 5 });
  expect(await idsOf({ owner: 'nobody' })).toEqual(matching((at) => at % 2 === 1));
  expect(await idsOf({})).toEqual(matching((at) => at % 2 === 1));
  expect(await mostRead()).toBeLessThanOrEqual(5);
});

it('An empty and a missing collection have no rows', async () => {
  await collection.deleteMany({});
  await updateInPieces({ collection }, {}, { $set: { a: 1 } });
  expect(await collection.countDocuments()).toBe(0);
  await deleteInPieces({ collection: connection.collection('missing') }, {}, {});
});

it('Only named fields are read', async () => {
  const rows = readInPieces<{ _id: string; text: string }>({ collection }, {}, { fields: ['text'], size: 30 });
  expect((await rows.next()).value?.[1]).toEqual({ _id: idOf(1), text: 'of 1' });
});

it('Work ends with its signal between two pieces, and the next run does the rest', async () => {
  const ending = new AbortController();
  const stop = (event: CommandStartedEvent): void => {
    if (event.commandName === 'update') ending.abort();
  };
  connection.getClient().on('commandStarted', stop);
  const change = { $set: { odd: false } };
  const options = { size: 5, signal: ending.signal };
  await expect(updateInPieces({ collection }, { odd: true }, change, options)).rejects.toThrow('aborted');
  connection.getClient().off('commandStarted', stop);
  expect(await idsOf({ odd: true })).toEqual(matching((at) => at % 3 === 0 && at >= 5));
  await updateInPieces({ collection }, { odd: true }, change, { size: 5 });
  expect(await idsOf({ odd: true })).toEqual([]);
});

it('A command that fails because the store is unavailable is sent again, and earlier pieces are not', async () => {
  await deleteInPieces({ collection }, { _id: idOf(0) }, { size: 5 });
  sent.length = 0;
  await engine.client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: { skip: 2, times: 1 },
    data: { failCommands: ['delete'], errorCode: 50 },
  });
  await deleteInPieces({ collection }, { odd: true }, { size: 5 });
  expect(await idsOf({})).toEqual(matching((at) => at % 3 !== 0));
  const deletes = sent.filter(({ commandName }) => commandName === 'delete');
  expect(deletes).toHaveLength(6);
});

it('A command that cannot succeed fails at once', async () => {
  await expect(updateInPieces({ collection }, { $and: 1 }, { $set: { a: 1 } })).rejects.toThrow('$and');
  expect(sent.filter(({ commandName }) => commandName === 'update')).toHaveLength(1);
});

it('Work fails after five attempts if the store stays unavailable', async () => {
  const gone = vi.fn(() => ({ toArray: () => Promise.reject(new MongoNetworkError('connection 1 timed out')) }));
  const away = { collection: { find: gone } as unknown as Collection };
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const failure = expect(deleteInPieces(away, {})).rejects.toThrow('timed out');
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  await failure;
  expect(gone).toHaveBeenCalledTimes(5);
});
