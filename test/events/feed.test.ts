// The log and its reader: order is commit order, each event is told once, and what is no longer kept is said.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventFeed } from '../../src/events/event-feed.service.js';
import { follow } from '../../src/events/follow.js';
import { LogState } from '../../src/events/log-state.js';
import { eventModels } from '../../src/events/models.js';
import type { NewEvent, StampedEvent } from '../../src/store/event-port.js';
import { leaseModels } from '../../src/store/lease.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let told: StampedEvent[];
beforeAll(async () => {
  gateway = await startGateway();
  gateway.app.services.eventFeed.onEvents((events) => told.push(...events));
});
beforeEach(() => {
  told = [];
});
afterAll(() => gateway.close());

const event = (name: string): NewEvent => ({
  type: 'stored',
  viewers: { partnerId: 'somebody' },
  payload: { storagePath: name },
});
const names = (events: readonly StampedEvent[]) => events.map(({ payload }) => payload.storagePath);

/** Appends in a transaction of its own, which commits when it is told to. */
async function appended(...written: NewEvent[]): Promise<() => Promise<void>> {
  const session = await gateway.app.connection.startSession();
  session.startTransaction();
  await gateway.app.services.events.append(written, session);
  return async () => {
    await session.commitTransaction();
    await session.endSession();
  };
}

describe('events', () => {
  it('events are in the order in which their transactions commit', async () => {
    const first = await appended(event('written first'));
    const second = await appended(event('written second'));
    await second();
    await eventually(() => expect(names(told)).toEqual(['written second']));
    await first();
    await eventually(() => expect(names(told)).toEqual(['written second', 'written first']));
  });

  it('events of many concurrent transactions keep commit order, each once and without gaps', async () => {
    let moment = 0;
    const commits = new Map<string, { from: number; to: number }>();
    const lane = async (lane: number): Promise<void> => {
      for (let turn = 0; turn < 12; turn += 1) {
        const name = `${lane}.${turn}`;
        const commit = await appended(event(name));
        await delay(randomInt(0, 20));
        const from = moment++;
        await commit();
        commits.set(name, { from, to: moment++ });
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, at) => lane(at)));
    await eventually(() => expect(told).toHaveLength(120));
    expect(new Set(names(told)).size).toBe(120);
    told.forEach(({ seq }, at) => {
      expect(seq).toBe((told[0]?.seq ?? 0) + at);
    });
    const order = told.map(({ payload }) => commits.get(String(payload.storagePath)) ?? { from: 0, to: 0 });
    // Whoever had committed before another began to commit comes before it.
    order.forEach(({ from }, at) => {
      expect(order.slice(at + 1).every(({ to }) => to > from)).toBe(true);
    });
  });

  it('events of an aborted transaction do not exist', async () => {
    const session = await gateway.app.connection.startSession();
    session.startTransaction();
    await gateway.app.services.events.append([event('given up')], session);
    await session.abortTransaction();
    await session.endSession();
    await (await appended(event('kept')))();
    await eventually(() => expect(names(told)).toEqual(['kept']));
  });

  it('an event type that is not in the table cannot be requested', async () => {
    const { status, body } = await gateway.admin('GET', '/v1/events?types=stored,nonsense');
    expect(status).toBe(400);
    expect(body.message).toMatch(/^"types" must be one of initialized, .*; "nonsense" is not\.$/);
  });
});

describe('a gateway that is behind', () => {
  it('does not send a client again what another gateway has sent it', async () => {
    const { connection, services } = gateway.app;
    const state = new LogState({ ...leaseModels(connection), ...eventModels(connection) });
    // Its change stream brings nothing until the test says so.
    const behind = new EventFeed({ log: services.events, state, onError: () => {} });
    behind.start();
    await behind.ready;
    const before = behind.deliveredSeq;
    await (await appended(event('seen 1'), event('seen 2')))();
    await eventually(() => expect(names(told)).toEqual(['seen 1', 'seen 2']));
    const after = before + 2;
    const end = new AbortController();
    const topic = { matches: () => true, filter: {}, after };
    const sent = follow(behind, topic, { signal: end.signal, idleMs: 10 });
    // A heartbeat: its position is an id from which the client may continue.
    expect((await sent.next()).value).toEqual({ events: [], upTo: after });
    await (await appended(event('new')))();
    await eventually(() => expect(told).toHaveLength(3));
    behind.changes.changed([{ collection: 'events', id: '', operation: 'update', set: { seq: after + 1 } }]);
    const received: StampedEvent[] = [];
    for await (const { events, upTo } of sent) {
      expect(upTo).toBeGreaterThanOrEqual(after);
      received.push(...events);
      if (upTo > after) break;
    }
    expect(names(received)).toEqual(['new']);
    end.abort();
    await behind.stop();
  });
});

describe('an id', () => {
  it('an event id does not reveal its sequence number', () => {
    const feed = gateway.app.services.eventFeed;
    const ids = [1, 2, 3].map((seq) => feed.idOf(seq));
    expect(new Set(ids.map((id) => id.slice(0, 6))).size).toBe(3);
    expect(ids.every((id) => /^[\w-]{22}$/.test(id))).toBe(true);
  });

  it.each(['0', '1', '-1', 'AAAAAAAAAAAAAAAAAAAAAA', 'x'.repeat(22), 'x'.repeat(5_000), '%00', '{"$gt":0}'])(
    'an id of another form is refused: %s',
    async (after) => {
      const { status, body } = await gateway.admin('GET', `/v1/events?after=${encodeURIComponent(after)}`);
      expect([status, body.message]).toEqual([400, '"after" is not the id of an event of this log.']);
    },
  );

  it('an event id of another log is refused', async () => {
    const other = await startGateway();
    const foreign = (await other.admin('GET', '/v1/events')).body.nextAfter;
    await other.close();
    expect((await gateway.admin('GET', `/v1/events?after=${foreign}`)).status).toBe(400);
  });
});
