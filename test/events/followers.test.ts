// What follows the event log, and what it does not disturb when it fails.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { EventLog } from '../../src/events/event-log.js';
import { leaseModels } from '../../src/store/lease.js';
import { ProcessLease } from '../../src/store/process-lease.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import type { NewEvent } from '../../src/store/event-port.js';

/** An event that all followers handle, one that only counts handle, and one of the catalog, which none handles. */
const OWN: NewEvent = { type: 'revoked', viewers: { partnerId: 'p' }, payload: { coreClaimHash: 'x' } };
const STORED: NewEvent = { type: 'stored', viewers: { partnerId: 'p' }, payload: {} };
const PUBLIC: NewEvent = { type: 'catalog_entry_changed', viewers: { public: true }, payload: { kind: 'x', ids: [] } };
const POSITIONS = ['traction', 'verification outcomes', 'claims of offers'];

// A gateway that stands still for seconds loses its lease, and its next term reads the log anew: the lease of these tests always holds.
beforeAll(() => {
  const held = { id: randomUUID(), lost: new AbortController().signal };
  vi.spyOn(ProcessLease.prototype, 'held').mockImplementation(async () => held);
});
afterAll(() => void vi.mocked(ProcessLease.prototype.held).mockRestore());

const append = ({ app }: TestGateway, ...events: NewEvent[]): Promise<void> =>
  app.connection.transaction((session) => app.services.events.append(events, session));

const positionIn = async ({ app }: TestGateway, name: string): Promise<number | undefined> =>
  (await leaseModels(app.connection).checkpoints.findById(name).lean<{ state?: { seq: number } }>())?.state?.seq;

it('A follower that fails ends neither the numbering of events nor the counts, and continues where it failed', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { connection, services } = gateway.app;
  const { leases } = leaseModels(connection);
  const token = async () => (await leases.findById('events').lean())?.token;
  const seqOf = (name: string) => positionIn(gateway, name);
  const newest = () => services.eventFeed.newestSeq();
  await append(gateway, OWN);
  await eventually(async () => expect(await seqOf('verification outcomes')).toBeGreaterThan(0));
  const [term, reached] = [await token(), await seqOf('verification outcomes')];
  const follow = vi.spyOn(services.verificationOutcomes, 'follow').mockRejectedValue(new Error('it cannot'));
  await append(gateway, OWN);
  await eventually(() => expect(follow.mock.calls.length).toBeGreaterThan(1));
  const before = await newest();
  await append(gateway, OWN);
  await eventually(async () => expect(await newest()).toBeGreaterThan(before));
  await eventually(async () => expect(await seqOf('traction')).toBe(await newest()));
  expect(await seqOf('verification outcomes')).toBe(reached);
  expect(await token()).toBe(term);
  follow.mockRestore();
  await eventually(async () => expect(await seqOf('verification outcomes')).toBe(await newest()));
});

it('Events that a follower does not handle move its position when many have come; one that it handles, at once', async () => {
  const looks = [vi.spyOn(EventLog.prototype, 'after'), vi.spyOn(EventLog.prototype, 'ofTypes')];
  for (const look of looks) onTestFinished(() => look.mockRestore());
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  // Each follower looks once when it begins. One that begins later may be woken again by an event that it has handled.
  const done = () => looks.flatMap(({ mock }) => mock.settledResults.filter(({ type }) => type === 'fulfilled'));
  await eventually(() => expect(done().length).toBeGreaterThanOrEqual(POSITIONS.length));
  const { eventFeed } = gateway.app.services;
  const positions = () => Promise.all(POSITIONS.map((name) => positionIn(gateway, name)));
  const reached = async (): Promise<number> => {
    const newest = await eventFeed.newestSeq();
    await eventually(async () => expect(await positions()).toEqual([newest, newest, newest]));
    return newest;
  };
  const stamped = (seq: number) => eventually(async () => expect(await eventFeed.newestSeq()).toBe(seq));
  const handled = vi.spyOn(gateway.app.services.verificationOutcomes, 'follow');
  await append(gateway, OWN);
  await stamped(1);
  await reached();
  handled.mockClear();
  await append(gateway, PUBLIC);
  await append(gateway, PUBLIC, PUBLIC);
  await stamped(4);
  // Longer than followers wait between two rounds.
  await setTimeout(600);
  expect(await positions()).toEqual([1, 1, 1]);
  expect(handled).not.toHaveBeenCalled();
  await append(gateway, STORED);
  await eventually(async () => expect(await positions()).toEqual([5, 1, 1]));
  await append(gateway, OWN, PUBLIC);
  await stamped(7);
  await reached();
  expect(handled.mock.calls.flatMap(([events]) => events.map(({ seq }) => seq))).toEqual([6]);
  await append(gateway, ...Array.from({ length: 1_010 }, () => PUBLIC));
  await stamped(1_017);
  await eventually(async () => expect(Math.min(...(await positions()).map(Number))).toBeGreaterThan(1_000));
});
