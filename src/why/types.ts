// The question to `why`: an operation, its partner and its subject; and the explanation.
import { z } from 'zod';
import { ALL_PARTNER_OPERATIONS, type PartnerOperation, partnerOperation } from '../base/callers/partner-operations.js';
import { ruleCheck, ruleSentence, ruleVerdict } from '../base/callers/rules.js';
import { choice, hash, id, record, shownAs, uuid } from '../base/record.js';
import { parsedUrl } from '../common/parsed-url.js';

/** Longer than any token that is accepted, so that `why` can explain that a token is too long. */
const MAX_TOKEN_TEXT = 16_384;
const text = (most: number) => z.string().min(1).max(most);
const lowerCase = (uuidText: string) => uuidText.toLowerCase();

const operation = choice(
  'PartnerOperation',
  'An operation of a partner.',
  Object.fromEntries(ALL_PARTNER_OPERATIONS.map((name) => [name, partnerOperation(name).does])) as Readonly<
    Record<PartnerOperation, string>
  >,
).describe('The operation.');

export const whyQuestion = z.strictObject({
  operation,
  token: z
    .string()
    .max(MAX_TOKEN_TEXT)
    .optional()
    .describe('A token of the partner, valid or not; send it as a variable.'),
  partnerId: uuid.transform(lowerCase).optional().describe('The partner; without token and partnerId, the caller.'),
  issuerDid: text(2_048).optional().describe('The issuer that the operation is for.'),
  credentialId: text(500).optional().describe('The credential that the operation is for.'),
  schemaId: text(500).optional().describe('The schema, for the CAK of a holder.'),
  userId: shownAs('String', uuid.transform(lowerCase)).optional().describe('The holder that the operation is about.'),
  coreClaimHash: hash.optional().describe('The issuance to revoke.'),
  programId: text(500).optional().describe('The program to start.'),
  redirectUrl: z
    .string()
    .max(2_000)
    .refine((url) => parsedUrl(url) !== undefined, 'must be an address')
    .optional()
    .describe('Where the holder is sent back to after a verification.'),
});
export type WhyQuestion = z.output<typeof whyQuestion>;

/** The explanation contains no token, key or secret. */
export const whyAnswer = record('WhyAnswer', 'What allows or forbids an operation of a partner.', {
  operation,
  partnerId: id.nullable().describe('The partner; null when the token names none.'),
  checks: z.array(ruleCheck).describe('The rules, in the order in which the gateway enforces them.'),
  verdict: ruleVerdict.describe(
    'FORBIDDEN if any rule forbids it, else UNKNOWN if any could not be checked, else ALLOWED.',
  ),
  sentence: ruleSentence,
}).meta({ id: 'Why' });
export type WhyAnswer = z.output<typeof whyAnswer>;
