// After a recording run, moves the lines that its processes have added to the table of sent commands to their places.
import { mergeLines } from './table.js';

/** The global setup for vitest; returns its tear-down. */
export const setup = (): (() => void) | undefined =>
  process.env.RECORD_SENT_COMMANDS === '1' ? mergeLines : undefined;
