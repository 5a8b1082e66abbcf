// The path parameter of routes about one catalog entry.
import { z } from 'zod';
import { catalogId } from '../../base/record.js';

/** `:id`, an entry's own id. */
export const entryParams = z.object({ id: catalogId });
export type EntryParams = z.output<typeof entryParams>;
