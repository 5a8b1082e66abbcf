// The path parameter of routes about one catalog entry.
import { z } from 'zod';

/** `:id`, an entry's own id. */
export const entryParams = z.object({ id: z.string().min(1).max(500) });
export type EntryParams = z.output<typeof entryParams>;
