// When the deliverer of a process looks for due queues, by a clock that the tests move.
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { DeliveryDispatcher } from '../../src/webhooks/dispatcher.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

type Due = { ids: string[]; nextAt: number | undefined };
const NOTHING: Due = { ids: [], nextAt: undefined };
const QUIET_MS = 60_000;

/** A deliverer that is started over queues which other processes claim; how often it has looked. */
function dispatcherOver() {
  const due = vi.fn(async () => NOTHING);
  const recover = vi.fn(async () => false);
  const claims = { due, recover, claim: async () => [] };
  const readers = { targets: { ofAll: async () => [] }, due: { readAll: async () => [] } };
  const dispatcher = new DeliveryDispatcher({ ...readers, claims, onError: () => {} } as never);
  onTestFinished(() => dispatcher.stop());
  dispatcher.start();
  const ring = () => dispatcher.changes.changed([{ collection: 'webhookQueues', id: 'q', operation: 'insert' }]);
  return { due, recover, ring };
}

it('a failed read of the queues is repeated, however long there was no work before', async () => {
  const { due, ring } = dispatcherOver();
  await vi.advanceTimersByTimeAsync(QUIET_MS);
  const before = due.mock.calls.length;
  await vi.advanceTimersByTimeAsync(QUIET_MS);
  expect(due).toHaveBeenCalledTimes(before);
  due.mockImplementationOnce(() => Promise.reject(new Error('away')));
  ring();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(due).toHaveBeenCalledTimes(before + 2);
});

it.each<[string, string[], number | undefined]>([
  ['is due later', [], 9_900],
  ['is due at the time of the next look', [], 10_000],
  ['was due', ['q'], undefined],
])('a queue that %s, and that another process may have claimed, is read again', async (_name, ids, inMs) => {
  const { recover, due } = dispatcherOver();
  // It is quiet, then there is something for once.
  await vi.advanceTimersByTimeAsync(QUIET_MS);
  due.mockImplementationOnce(async () => ({ ids, nextAt: inMs === undefined ? undefined : performance.now() + inMs }));
  const quiet = due.mock.calls.length;
  while (due.mock.calls.length === quiet) await vi.advanceTimersByTimeAsync(1_000);
  const looked = recover.mock.calls.length;
  await vi.advanceTimersByTimeAsync(25_000);
  expect(recover.mock.calls.length).toBeGreaterThan(looked + 1);
});
