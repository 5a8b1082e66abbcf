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
  return { tab, events, refusals };
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
