// After a run that records, puts the lines that its processes added to the table of sent commands in their places.
import { mergeLines } from './table.js';

/** vitest's global setup: returns its own tear-down. */
export const setup = (): (() => void) | undefined =>
  process.env.RECORD_SENT_COMMANDS === '1' ? mergeLines : undefined;
