// When an engine that runs in this thread has had the operations of a session.
import { setImmediate as turn } from 'node:timers/promises';
import type { ClientSession } from 'mongodb';
import { afterAll, vi } from 'vitest';
import { Session } from '../../src/engine/sessions/sessions.js';

/** Watches the sessions of this file's engines. The function waits until one has had this many operations: the newest runs, or waits for its turn. */
export function watchArrivals(): (count: number, session: ClientSession) => Promise<void> {
  const operations = vi.spyOn(Session.prototype, 'exclusive');
  afterAll(() => operations.mockRestore());
  return async (count, { id }) => {
    const key = id?.id.toString('hex');
    const had = () => operations.mock.contexts.filter((session) => (session as Session).key === key);
    while (had().length < count) await turn();
  };
}
