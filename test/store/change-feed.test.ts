// One change stream for each process: every listener gets each committed write of its collections, in order, and is notified when some may be
// missing.
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed, type ChangeFeedOptions, type StoreChange } from '../../src/store/change-feed.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { openCutProxy } from '../support/cut-proxy.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';

let database: TestDatabase;
let feed: ChangeFeed;
let heard: (StoreChange | 'interrupted')[];
const rows = () => database.connection.collection<{ _id: string; n?: number }>('rows');

beforeEach(async () => {
  database = await openDatabase(() => {});
  heard = [];
  feed = new ChangeFeed({ connection: database.connection, onError: () => {} });
  const note = (who: string) => (changes: readonly StoreChange[]) => {
    heard.push(...changes.map((change) => ({ ...change, id: `${who} ${change.id}` })));
  };
  feed.listen(['rows'], { changed: note('first'), interrupted: () => heard.push('interrupted') });
  feed.listen(['rows', 'others'], { changed: note('second'), interrupted: () => {} });
  feed.start();
  await eventually(() => expect(feed.asOf).not.toBeNull());
});

afterEach(async () => {
  await feed.stop();
  await database.close();
});

describe('the change feed', () => {
  it('the change feed calls each listener for its own collections, the first listener first', async () => {
    await database.connection.collection<{ _id: string }>('others').insertOne({ _id: 'x' });
    await rows().insertOne({ _id: 'a' });
    await rows().updateOne({ _id: 'a' }, { $set: { n: 1 } });
    await rows().deleteOne({ _id: 'a' });
    const told = () => heard.filter((each) => each !== 'interrupted');
    await eventually(() => expect(told()).toHaveLength(7));
    const by = (who: string) => told().filter(({ id }) => String(id).startsWith(who));
    expect(by('first').map(({ operation }) => operation)).toEqual(['insert', 'update', 'delete']);
    expect(by('second').map(({ id, operation }) => `${id} ${operation}`)).toEqual([
      'second x insert',
      'second a insert',
      'second a update',
      'second a delete',
    ]);
    expect(by('first')[1]?.paths).toEqual(['n']);
  });

  it('the change feed calls the listeners of caches first and those that read caches after them, in whatever order they were added', async () => {
    const ordered = new ChangeFeed({ connection: database.connection, onError: () => {} });
    const called: string[] = [];
    const listener = (who: string, readsCaches?: true) => ({
      ...(readsCaches && { readsCaches }),
      changed: () => called.push(who),
      interrupted: () => called.push(`${who} interrupted`),
    });
    ordered.listen(['rows'], listener('reader', true));
    ordered.listen(['rows'], listener('cache'));
    ordered.listen(['rows'], listener('other reader', true));
    ordered.listen(['rows'], listener('other cache'));
    ordered.start();
    await eventually(() => expect(ordered.asOf).not.toBeNull());
    await rows().insertOne({ _id: 'a' });
    const order = ['cache', 'other cache', 'reader', 'other reader'];
    await eventually(() => expect(called).toEqual([...order.map((who) => `${who} interrupted`), ...order]));
    await ordered.stop();
  });

  it('the change feed does not count as received what has arrived and is not reported', async () => {
    const documents = Array.from({ length: 1_500 }, (_, at) => {
      return { _id: { at }, operationType: 'insert', ns: { coll: 'rows' }, documentKey: { _id: `${at}` } };
    });
    // The first request opens the stream, the second brings all documents, the third waits.
    const replies = [[], documents];
    const asked: number[] = [];
    let buffer: typeof documents = [];
    const stream = {
      cursor: {},
      bufferedCount: () => buffer.length,
      close: async () => {},
      async tryNext() {
        if (buffer.length > 0) return buffer.shift();
        asked.push(Date.now());
        await wait(20);
        buffer = replies.shift() ?? (await new Promise<never>(() => {}));
        return buffer.shift() ?? null;
      },
    };
    const connection = { db: { watch: () => stream } } as unknown as ChangeFeedOptions['connection'];
    const busy = new ChangeFeed({ connection, onError: (error) => expect(error).toBeUndefined() });
    const reported: { count: number; asOf: number | null }[] = [];
    busy.listen(['rows'], {
      changed: ({ length: count }) => reported.push({ count, asOf: busy.asOf }),
      interrupted: () => {},
    });
    busy.start();
    await eventually(() => expect(asked).toHaveLength(3));
    await busy.stop();
    expect(reported.map(({ count }) => count)).toEqual([1_000, 500]);
    for (const { asOf } of reported) expect(asOf).toBeLessThan(asked[1] as number);
  });

  it('the change feed reports a list that a write made shorter', async () => {
    const lists = database.connection.collection<{ _id: string; list: number[] }>('rows');
    await lists.insertOne({ _id: 'a', list: [1, 2, 3] });
    await lists.updateOne({ _id: 'a' }, [{ $set: { list: { $slice: ['$list', 1] } } }]);
    const updates = () => heard.filter((each) => each !== 'interrupted' && each.operation === 'update');
    await eventually(() => expect(updates()).toHaveLength(2));
    for (const update of updates()) expect(update).toMatchObject({ paths: ['list'] });
  });

  it('the change feed skips changes that a listener ignores, and reports them to the others', async () => {
    const deaf = new ChangeFeed({ connection: database.connection, onError: () => {} });
    const told: string[] = [];
    const note = (who: string) => (changes: readonly StoreChange[]) => {
      told.push(...changes.map(({ operation }) => `${who} ${operation}`));
    };
    deaf.listen(['rows'], { ignores: ['insert', 'delete'], changed: note('deaf'), interrupted: () => {} });
    deaf.listen(['others'], { changed: note('other'), interrupted: () => {} });
    deaf.start();
    await eventually(() => expect(deaf.asOf).not.toBeNull());
    await rows().insertOne({ _id: 'a' });
    await rows().updateOne({ _id: 'a' }, { $set: { n: 1 } });
    await rows().deleteOne({ _id: 'a' });
    await database.connection.collection<{ _id: string }>('others').insertOne({ _id: 'x' });
    await eventually(() => expect(told).toContain('other insert'));
    await deaf.stop();
    expect(told).toEqual(['deaf update', 'other insert']);
  });

  it('the change feed reports an interruption when the driver has resumed the stream', async () => {
    const proxy = await openCutProxy(databaseUri(database.connection.name));
    const behind = await mongoose.createConnection(proxy.uri, { autoCreate: false }).asPromise();
    const errors: unknown[] = [];
    const resumed = new ChangeFeed({ connection: behind, onError: (error) => errors.push(error) });
    const interruptions: string[] = [];
    resumed.listen(['rows'], { changed: () => {}, interrupted: () => interruptions.push('interrupted') });
    resumed.start();
    await eventually(() => expect(interruptions).toHaveLength(1));
    proxy.cut();
    await eventually(() => expect(interruptions).toHaveLength(2));
    expect(errors).toEqual([]);
    await resumed.stop();
    await behind.close();
    await proxy.close();
  });

  it('the change feed has reported every write that was committed before asOf', async () => {
    await rows().insertOne({ _id: 'a' });
    const written = Date.now();
    await eventually(() => expect(Number(feed.asOf)).toBeGreaterThan(written));
    expect(heard.map((each) => each !== 'interrupted' && each.id)).toContain('first a');
  });

  it('after the stream has ended, the change feed reports that writes may be missing, and all later writes', async () => {
    const before = heard.filter((each) => each === 'interrupted').length;
    await rows().insertOne({ _id: 'a' });
    await rows().drop();
    await eventually(() => expect(heard.filter((each) => each === 'interrupted').length).toBe(before + 1));
    await eventually(async () => {
      await rows().updateOne({ _id: 'b' }, { $inc: { n: 1 } }, { upsert: true });
      await wait(20);
      expect(heard.map((each) => each !== 'interrupted' && each.id)).toContain('first b');
    });
  });
});
