// A session that another tab of the site has renewed, while calls of this tab are under way.
import { expect, it } from 'vitest';
import { CoreServiceError } from '../../../src/sdk/core/error.js';
import type { CoreEvent } from '../../../src/sdk/core/types.js';
import type { CallGateway } from '../../../src/wallet/gateway.js';
import { Session } from '../../../src/wallet/session.js';
import { Store } from '../../../src/wallet/store.js';

const resultOf = (token: string) => ({ isLoggedIn: true, id: 'holder', token, isMFASetup: false });

/** A tab with the session `first`, after another tab has begun `second` and ended `first`. Refused calls wait until they are let go. */
async function renewedElsewhere() {
  const items = new Map<string, string>();
  const store = new Store('p', () => ({
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => void items.set(key, text),
    removeItem: (key) => void items.delete(key),
  }));
  let valid = 'first';
  const refusals: (() => void)[] = [];
  const callGateway = (async (path: string, { session } = {}) => {
    if (session === valid) return path === '/v1/auth/token' ? { token: `page of ${session}` } : session;
    await new Promise<void>((resolve) => refusals.push(resolve));
    throw new CoreServiceError('NOT_LOGGED_IN', 'The session has ended.');
  }) as CallGateway;
  const events: CoreEvent['event'][] = [];
  const emit = ({ event }: CoreEvent): void => void events.push(event);
  const tab = new Session({ partnerId: 'p', store, callGateway, isAlone: true, emit, onConfig: () => {} });
  await tab.begin(resultOf('first'), 'a@example.org', () => {});
  valid = 'second';
  store.set('session', { result: resultOf('second'), email: 'a@example.org' });
  const end = (): void => {
    valid = 'none';
  };
  return { tab, events, refusals, store, end };
}

it('calls that are refused together go on with the session of the other tab, which is told once', async () => {
  const { tab, events, refusals } = await renewedElsewhere();
  const calls = Promise.all([tab.call('/a'), tab.call('/b')]);
  for (const refuse of refusals) refuse();
  expect(await calls).toEqual(['second', 'second']);
  expect(events).toEqual(['logged_in', 'logged_in']);
});

it('a call that is refused after this tab has the session of the other one goes on with that', async () => {
  const { tab, events, refusals } = await renewedElsewhere();
  const [first, late] = [tab.call('/a'), tab.call('/b')];
  refusals[0]?.();
  expect(await first).toBe('second');
  refusals[1]?.();
  expect(await late).toBe('second');
  expect(events).toEqual(['logged_in', 'logged_in']);
});

it('what a call is continued by stays when a session ends by itself, and goes with a logout', async () => {
  const { tab, refusals, store, end } = await renewedElsewhere();
  store.set('unfinished', [1]);
  store.set('issuing', { a: 1 });
  end();
  store.delete('session');
  const call = tab.call('/a');
  await expect.poll(() => refusals.length).toBe(1);
  refusals[0]?.();
  await expect(call).rejects.toMatchObject({ name: 'NOT_LOGGED_IN' });
  expect([store.get('unfinished'), store.get('issuing')]).toEqual([[1], { a: 1 }]);
  const other = await renewedElsewhere();
  other.store.set('unfinished', [1]);
  other.store.set('issuing', { a: 1 });
  const out = other.tab.logOut();
  await expect.poll(() => other.refusals.length).toBe(1);
  other.refusals[0]?.();
  await out;
  expect([other.store.get('unfinished'), other.store.get('issuing')]).toEqual([undefined, undefined]);
});
