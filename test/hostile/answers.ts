// What holds for every answer, whatever was asked.
import { expect } from 'vitest';

/** A request that is not answered by then hangs, on any machine. */
export const HANG_MS = 240_000;

/** Traces of the code, and of the database's own words. */
const INSIDE =
  /node_modules|\bat (async )?[\w.<>]+ \(|file:\/\/|\/(src|dist)\/|Mongo(ose|Server)?Error|ECONN|Too small|Invalid input/;

/** What needs a chain says so where there is none: that is no fault. */
const NO_CHAIN = 'The chain does not respond right now';

/** An answer is no fault of ours, and shows no stack, path or library. */
export function expectNothingInside(status: number, text: string): void {
  if (!(status === 503 && text.includes(NO_CHAIN))) expect(status, text.slice(0, 500)).toBeLessThan(500);
  expect(text).not.toMatch(INSIDE);
}
