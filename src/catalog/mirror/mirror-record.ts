// What operators send to mirror another network, and see of its newest run.
import { z } from 'zod';
import { choice, count, record, time } from '../../base/record.js';
import type { MirrorRow } from '../rows/mirror-models.js';

/** How a source is mirrored. */
export const mirrorRequest = z.strictObject({
  from: z.string().min(1).max(2_000).describe('Base address of the network, with or without /v1.'),
  full: z.boolean().default(false).describe('Whether every entry is read in full, also if its list says nothing new.'),
  overwrite: z.boolean().default(false).describe('Whether entries that were changed here are changed back.'),
});
export type MirrorRequest = z.input<typeof mirrorRequest>;

const state = choice('MirrorState', 'The state of a run over another network.', {
  running: 'It reads the source.',
  done: 'It has read all of the source.',
  stopped: 'It ended early; the next run continues it.',
});

const phase = choice('MirrorPhase', 'The parts of a run over another network, in order.', {
  schemas: 'It reads schemas.',
  programs: 'It reads programs, with their verifiers, credentials and issuers.',
  missing: 'It looks for entries that the source no longer has.',
});

export const mirrorRun = record('MirrorRun', 'The newest run over another network. Operator only.', {
  source: z.string().describe('Base address of the network.'),
  state: state.describe('Its state.'),
  startedAt: time.describe('When it began.'),
  finishedAt: time.nullable().describe('When it ended; null: it has not.'),
  phase: phase.describe('Which part it is in, or was last in.'),
  page: count.describe('Which page it reads next.'),
  created: count.describe('Entries that it created.'),
  updated: count.describe('Entries that it changed.'),
  unchanged: count.describe('Entries that were as they are.'),
  refused: count.describe('Entries that do not fit the catalog.'),
  kept: count.describe('Entries that were changed here, and left as they are.'),
  missing: count.describe('Entries that the source no longer has.'),
  message: z.string().nullable().describe('Why it stopped.'),
}).meta({ id: 'MirrorRun' });

/** A run for clients. */
export function viewOf({ _id: source, counts, ...row }: MirrorRow): z.output<typeof mirrorRun> {
  const { state, startedAt, finishedAt, phase, page, message } = row;
  return { source, state, startedAt, finishedAt, phase, page, ...counts, message };
}
