// What this driver adds to commands against the specification. The tests are about the server, so it is taken off where a test does not
// expect it, and the report says how often.
import type { Json } from './format.js';

const WTIMEOUT = 'wtimeout 10000, which the driver puts on every commit and abort that has a write concern';

/** How often each addition was taken off. */
export const driverAdditions = new Map<string, number>();

/** The sent command without the `wtimeout: 10000` of commits and aborts, unless the test expects a wtimeout. */
export function withoutDriverAdditions(expected: Json, command: Json): Json {
  const ends = 'commitTransaction' in command || 'abortTransaction' in command;
  const [wanted, sent] = [expected.writeConcern as Json | undefined, command.writeConcern as Json | undefined];
  if (!ends || sent?.wtimeout !== 10000 || !wanted || 'wtimeout' in wanted) return command;
  driverAdditions.set(WTIMEOUT, (driverAdditions.get(WTIMEOUT) ?? 0) + 1);
  return { ...command, writeConcern: { ...sent, wtimeout: undefined } };
}
