// The request to erase a holder, the same over REST and GraphQL.
import { z } from 'zod';
import { emailText } from '../holders/holders.service.js';

/** One of its names. */
export const eraseBody = z.strictObject({
  userId: z
    .guid('must be a UUID')
    .transform((id) => id.toLowerCase())
    .optional(),
  email: emailText.optional(),
  did: z.string().min(1, 'must not be empty').max(2_048, 'must be at most 2048 characters').optional(),
});
