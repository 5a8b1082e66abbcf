// When connected clients are disconnected because their rights have ended.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Caller } from '../../../src/base/callers/caller.js';
import { DomainError } from '../../../src/base/errors.js';
import { Clients, type Identity } from '../../../src/http/callers/clients.js';

const IN_AN_HOUR = 3_600_000;
const LIMITS = { perAddress: 10, perCaller: 10, total: 10, operations: 10 } as never;
const caller = (kind: 'holder' | 'partner') =>
  ({ kind, expiresAt: Date.now() + IN_AN_HOUR, scopes: [] }) as unknown as Caller;

let clients: Clients;
/** Whether credentials are refused now. */
let isOver: boolean;
beforeEach(() => {
  vi.useFakeTimers();
  isOver = false;
  const authenticate = async () => {
    if (isOver) throw new DomainError('FORBIDDEN', 'The session has ended.');
    return caller('holder');
  };
  clients = new Clients({ authenticate, limits: LIMITS, clock: Date.now });
});
afterEach(async () => {
  await clients.end();
  vi.useRealTimers();
});

/** A client whose token has just expired. */
function connect(who: Caller) {
  const identity: Identity = clients.identityOf(who);
  const client = { identity, beat: () => {}, refuse: vi.fn(), goAway: async () => {} };
  clients.add(client);
  isOver = true;
  return client;
}

it('a holder whose session was ended stays connected until it got the event that reports the end', async () => {
  const { refuse } = connect(caller('holder'));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(refuse).not.toHaveBeenCalled();
  clients.check(({ kind }) => kind === 'holder');
  await vi.advanceTimersByTimeAsync(0);
  expect(refuse).toHaveBeenCalled();
});

it('a holder whose session was ended is disconnected soon even without that event', async () => {
  const { refuse } = connect(caller('holder'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(refuse).toHaveBeenCalled();
});

it('a holder with an expired token and a partner without rights are disconnected by the next check', async () => {
  const expired = { ...caller('holder'), expiresAt: Date.now() } as Caller;
  const refused = [connect(caller('partner')), connect(expired)].map(({ refuse }) => refuse);
  await vi.advanceTimersByTimeAsync(1_500);
  for (const refuse of refused) expect(refuse).toHaveBeenCalled();
});
