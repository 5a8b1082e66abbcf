// How long events are kept, and what is said when they are not there any more. The gateway's clock is hours behind the database's, so
// that what it stamps is due at once.
import { randomInt } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { EventFeed } from '../../src/events/event-feed.service.js';
import type { EventLog } from '../../src/events/event-log.js';
import type { LogState } from '../../src/events/log-state.js';
import type { NewEvent, StampedEvent } from '../../src/store/event-port.js';
import { eventually } from '../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';

const HOUR = 3_600_000;
const gateways: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0).reverse()) await gateway.close();
});

const stored = (name: string): NewEvent => ({ type: 'stored', viewers: {}, payload: { storagePath: name } });

async function start(clock: { now: number }, env: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await startGateway({ env: { EVENT_RETENTION_HOURS: '1', ...env }, clock: () => clock.now });
  gateways.push(gateway);
  return gateway;
}

/** Writes events one after the other and waits until they have their places; answers their ids. */
async function write({ app }: TestGateway, names: readonly string[]): Promise<string[]> {
  const { events, eventFeed } = app.services;
  const before = await eventFeed.newestSeq();
  for (const name of names) await app.connection.transaction((session) => events.append([stored(name)], session));
  await eventually(() => expect(eventFeed.deliveredSeq).toBe(before + names.length));
  return names.map((_, at) => eventFeed.idOf(before + 1 + at));
}

const named = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const behind = (gateway: TestGateway, after: string) => gateway.admin('GET', `/v1/events?after=${after}`);

describe('events that are past their time', () => {
  it('expired events are reported as lost, with the id after which the log is complete, and are not shown', async () => {
    const clock = { now: Date.now() - 2 * HOUR };
    const gateway = await start(clock);
    const [first = '', last = ''] = await write(gateway, ['old', 'older than an hour']);
    expect((await behind(gateway, last)).body.items).toEqual([]);
    const { status, body } = await behind(gateway, first);
    expect(status).toBe(410);
    expect(body.message).toBe(`Events after this one have expired; the stored events come after ${last}.`);
    clock.now = Date.now();
    const [fresh = '', newest = ''] = await write(gateway, ['fresh', 'newest']);
    expect((await behind(gateway, first)).body).toEqual({
      error: 410,
      message: `Events after this one have expired; the stored events come after ${last}.`,
    });
    const ids = (items: { id: string }[]) => items.map(({ id }) => id);
    expect(ids((await behind(gateway, last)).body.items)).toEqual([fresh, newest]);
    expect(ids((await gateway.admin('GET', '/v1/events')).body.items)).toEqual([fresh, newest]);
  });

  it('GraphQL also reports expired events as lost, with a code and the id to continue from', async () => {
    const clock = { now: Date.now() - 2 * HOUR };
    const gateway = await start(clock);
    const [first = '', gone = ''] = await write(gateway, ['old', 'gone']);
    clock.now = Date.now();
    const [fresh] = await write(gateway, ['fresh']);
    const topics = gateway.app.services.eventTopics;
    await expect(
      topics.issuanceEvents({ kind: 'operator', keyName: 'configured', role: 'all' }, {}, first),
    ).rejects.toMatchObject({
      code: 'EVENT_HISTORY_LOST',
      data: { field: 'after', oldest: gone },
    });
    expect((await behind(gateway, gone)).body.items).toMatchObject([{ id: fresh }]);
  });

  it('expired events never leave a gap, whichever of them the database has removed', async () => {
    const clock = { now: Date.now() - 2 * HOUR };
    const gateway = await start(clock);
    const old = await write(gateway, named(20, 'old'));
    clock.now = Date.now();
    const fresh = await write(gateway, named(5, 'fresh'));
    const all = [...old, ...fresh];
    const removed = new Set(Array.from({ length: 12 }, () => `old${randomInt(20)}`));
    await gateway.app.connection.collection('events').deleteMany({ 'payload.storagePath': { $in: [...removed] } });
    for (const [at, id] of all.entries()) {
      const { status, body } = await behind(gateway, id);
      if (status === 410) expect(at).toBeLessThan(old.length - 1);
      else expect(body.items.map((item: { id: string }) => item.id)).toEqual(all.slice(at + 1));
    }
    expect((await behind(gateway, old.at(-1) ?? '')).status).toBe(200);
  });

  it('if all events have expired, the newest sequence number is still valid', async () => {
    const clock = { now: Date.now() - 2 * HOUR };
    const gateway = await start(clock);
    const [, last = ''] = await write(gateway, ['old', 'gone']);
    await gateway.app.connection.collection('events').deleteMany({});
    expect((await behind(gateway, last)).body).toEqual({ items: [], nextAfter: last, hasMore: false });
    clock.now = Date.now();
    const [fresh] = await write(gateway, ['fresh']);
    expect((await behind(gateway, last)).body.items).toMatchObject([{ id: fresh }]);
  });

  it('a client that has read all expired events is not refused because of an event without a number', async () => {
    const clock = { now: Date.now() - 2 * HOUR };
    const gateway = await start(clock);
    const [, , last = ''] = await write(gateway, ['old', 'older', 'gone']);
    await gateway.app.connection.collection('events').deleteMany({});
    // What the sequencer saves before it numbers the next event.
    const batch = { 'state.lastSeq': 3, 'state.upTo': 4, 'state.batchExpireAt': new Date(Date.now() + HOUR) };
    const sequencer = { _id: 'sequencer' as never };
    await gateway.app.connection.collection('checkpoints').updateOne(sequencer, { $set: batch });
    expect((await behind(gateway, last)).body).toEqual({ items: [], nextAfter: last, hasMore: false });
  });

  it('an event that arrives while the oldest is read is not skipped', async () => {
    const arrived = { seq: 8 } as StampedEvent;
    const answers = [undefined, arrived];
    const log = { oldest: async () => answers.shift() } as unknown as EventLog;
    const state = { newestSeq: async () => arrived.seq } as unknown as LogState;
    const feed = new EventFeed({ log, state, onError: () => {} });
    expect(await feed.seqBeforeOldest()).toBe(7);
  });
});

describe('a retention that is made shorter', () => {
  it('a shorter retention applies to existing events, in the order of their sequence numbers', async () => {
    const MONGODB_URI = databaseUri(`test_${randomInt(1e9)}`);
    const clock = { now: Date.now() };
    const before = await start(clock, { MONGODB_URI, EVENT_RETENTION_HOURS: '48' });
    await write(before, named(3, 'long'));
    const events = before.app.connection.collection('events');
    const kept = async () =>
      (await events.find().sort({ seq: 1 }).toArray()).map(({ expireAt }) => (expireAt.getTime() - clock.now) / HOUR);
    expect(await kept()).toEqual([48, 48, 48]);
    await before.app.close();
    gateways.splice(0);
    const after = await start(clock, { MONGODB_URI, EVENT_RETENTION_HOURS: '2' });
    await write(after, ['short']);
    const rows = await after.app.connection.collection('events').find().sort({ seq: 1 }).toArray();
    expect(rows.map(({ expireAt }) => (expireAt.getTime() - clock.now) / HOUR)).toEqual([2, 2, 2, 2]);
  });
});
