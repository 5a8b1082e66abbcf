// What GraphQL and REST both say about the results of a search.
import { z } from 'zod';
import { count } from '../../base/record.js';

/** The members of a match, in addition to the entry. */
export const matchMembers = { relevance: z.number().describe('How well it matches, from 0 to 1.') };

/** The matches of one kind. */
export const groupMembers = <M extends z.ZodType>(match: M) => ({
  total: count.describe('How many match in all.'),
  items: z.array(match).describe('The best matches, best first.'),
});

/** The members of the results, beside the matches of each kind. */
export const resultMembers = {
  query: z.string().describe('The text that was searched for.'),
  totalResults: count.describe('How many entries match, over all kinds.'),
};
