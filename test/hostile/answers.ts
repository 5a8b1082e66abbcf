// What must be true of every response.
import { expect } from 'vitest';

/** A request that has no response after this time will get none, even on a slow machine. */
export const HANG_MS = 240_000;

/** Traces of the code, and of the database's error messages. */
const INSIDE =
  /node_modules|\bat (async )?[\w.<>]+ \(|file:\/\/|\/(src|dist)\/|Mongo(ose|Server)?Error|ECONN|Too small|Invalid input/;

/** The sentence of operations that need a chain when none is configured; it is no fault. */
const NO_CHAIN = 'The chain does not respond right now';

/** The response is no internal error, and shows no stack trace, path or library. */
export function expectNothingInside(status: number, text: string): void {
  // An earlier token status list is asked for by `time` (draft-ietf-oauth-status-list-21 §8.4).
  const isMeant = (status === 503 && text.includes(NO_CHAIN)) || (status === 501 && text.includes('time'));
  if (!isMeant) expect(status, text.slice(0, 500)).toBeLessThan(500);
  expect(text).not.toMatch(INSIDE);
}
