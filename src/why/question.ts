// The question of `why`, checked at the edge: an operation, whose, and what it is about.
import { z } from 'zod';
import { ALL_PARTNER_OPERATIONS, type PartnerOperation } from '../base/callers/partner-operations.js';

/** Longer than any token that is accepted, so that one that is too long is explained, too. */
const MAX_TOKEN_TEXT = 16_384;
const id = z.string().min(1).max(500);
const uuid = z.guid('must be a UUID').transform((text) => text.toLowerCase());

export const whyBody = z.strictObject({
  operation: z.enum(ALL_PARTNER_OPERATIONS as [PartnerOperation, ...PartnerOperation[]]),
  token: z.string().max(MAX_TOKEN_TEXT).optional(),
  partnerId: uuid.optional(),
  issuerDid: z.string().min(1).max(2_048).optional(),
  credentialId: id.optional(),
  schemaId: id.optional(),
  userId: uuid.optional(),
  coreClaimHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
    .optional(),
  programId: id.optional(),
  redirectUrl: z
    .string()
    .max(2_000)
    .refine((text) => URL.canParse(text), 'must be an address')
    .optional(),
});
export type WhyQuestion = z.output<typeof whyBody>;
