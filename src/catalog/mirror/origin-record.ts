// Where a catalog entry of another network comes from, for clients.
import { z } from 'zod';
import { record, time } from '../../base/record.js';
import type { MirroredRow } from '../rows/mirror-models.js';

export const entryOrigin = record('Origin', 'The network that a catalog entry was mirrored from.', {
  source: z.string().describe('Base address of its REST API.'),
  sourceId: z.string().describe("The entry's id at the source."),
  lastSeenAt: time.describe('When a run last found it at the source.'),
  missingSince: time.nullable().describe('When a run found that the source no longer has it; null: the source has it.'),
  editedAt: time
    .nullable()
    .describe('When an operator changed it here. Since then, runs do not change it. Null: it is as the source has it.'),
});
export type EntryOrigin = z.output<typeof entryOrigin>;

/** The origin that a row describes. */
export const originView = ({ source, entryId, seenAt, missingSince, local }: MirroredRow): EntryOrigin => ({
  source,
  sourceId: entryId,
  lastSeenAt: seenAt,
  missingSince,
  editedAt: local?.at ?? null,
});
