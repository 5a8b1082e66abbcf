// Request bodies and queries of verification (contract §14). Unknown fields are refused; everything is bounded.
import { z } from 'zod';
import { dateTime, pageLimit, sentenceOf, wholeNumber } from '../../base/input.js';

const id = z.string().min(1).max(500);
const address = z
  .string()
  .max(2_000)
  .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'must be an https address');
/** Longer presentations are refused by the service, with the same error in GraphQL and REST. */
const MAX_TEXT = 200_000;

export const startBody = z.strictObject({
  programId: id,
  userId: z.guid('must be a UUID').optional(),
  redirectUrl: address.optional(),
});
export type StartBody = z.output<typeof startBody>;

const proofAnswer = z.strictObject({
  coreClaimHash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case'),
  presentation: z.string().min(1).max(MAX_TEXT),
  opening: z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url'),
  /** For a program that asks for the CAK: whether the verifier may have it. */
  cakConsent: z.boolean().optional(),
});
const refusal = (name: 'cannot' | 'declined') =>
  z.strictObject({ [name]: z.literal(true, { error: 'must be true' }) }) as unknown as z.ZodType<Refusal>;

/** A refusal: the holder cannot prove the conditions, or declines. */
export interface Refusal {
  cannot?: true;
  declined?: true;
}

/** Determines the form of an answer by its members; errors refer to that form. */
export const answerBody = z.record(z.string(), z.unknown()).transform((body, context): AnswerBody => {
  const name = (['cannot', 'declined'] as const).find((member) => Object.hasOwn(body, member));
  const parsed = (name === undefined ? proofAnswer : refusal(name)).safeParse(body, { error: sentenceOf });
  if (parsed.success) return parsed.data;
  context.issues.push(...(parsed.error.issues as never[]));
  return z.NEVER;
});
/** The three forms, for the OpenAPI document. */
export const answerForms = z.union([proofAnswer, refusal('cannot'), refusal('declined')]);
export type ProofAnswer = z.output<typeof proofAnswer>;
export type AnswerBody = ProofAnswer | Refusal;

export const checkBody = z.strictObject({ zkProof: z.string().min(1).max(MAX_TEXT) });

export const STATUSES = [
  'Compliant',
  'Non-Compliant',
  'Pending',
  'Revoking',
  'Revoked',
  'Expired',
  'NotFound',
] as const;

/** Longest wait for a result, seconds. */
export const MAX_WAIT_SECONDS = 30;

export const verificationParams = z.object({ id: z.guid('must be a UUID').transform((text) => text.toLowerCase()) });
export const waitQuery = z.strictObject({ wait: wholeNumber(0, MAX_WAIT_SECONDS).default(0) });
export const listQuery = z.strictObject({
  programId: id.optional(),
  status: z.enum(STATUSES).optional(),
  after: z.string().min(1).max(500).optional(),
  limit: pageLimit(),
});
export type VerificationsQuery = z.output<typeof listQuery>;

const version = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case');
export const programParams = z.object({ id });
export const proofRequestQuery = z.strictObject({
  version: version.optional(),
  now: dateTime().optional(),
});
export type ProofRequestQuery = z.output<typeof proofRequestQuery>;
