// Requests of revocations by filter.
import { z } from 'zod';

/** The token of a preview: 32 bytes in base64url. */
export const confirmBody = z.strictObject({
  token: z.string().regex(/^[\w-]{43}$/, 'must be the token of a preview'),
});
export type ConfirmBody = z.output<typeof confirmBody>;

export const jobParams = z.object({ jobId: z.guid('must be a UUID').transform((text) => text.toLowerCase()) });
export type JobParams = z.output<typeof jobParams>;

/** One name for both entry points, for idempotency keys. */
export const CONFIRM_ROUTE = 'revocations';
