// What clients of verification send (contract §14). Unknown members are refused; everything is bounded.
import { z } from 'zod';
import { dateTime, sentenceOf, wholeNumber } from '../../base/input.js';
import { catalogId, choice, hash, input, shownAs } from '../../base/record.js';
import { parsedUrl } from '../../common/parsed-url.js';
import { verificationId } from './members.js';
import { verificationStatus } from './verification.js';

const address = z
  .string()
  .max(2_000)
  .refine((text) => parsedUrl(text)?.protocol === 'https:', 'must be an https address');
/** Longer presentations are refused by the service, with the same error in GraphQL and REST. */
const MAX_TEXT = 200_000;

const walletFlow = choice('WalletFlow', 'How a wallet of others gets a request, and responds.', {
  cross_device: 'By a QR code that another device shows.',
  same_device: 'By a link on the device of the wallet, which then opens the redirectUrl.',
  dc_api: "By the browser's Digital Credentials API.",
});

export const startVerificationInput = input('StartVerificationInput', 'A verification to start.', {
  programId: catalogId.describe('The program.'),
  userId: z
    .guid('must be a UUID')
    .optional()
    .describe('userId of the holder; default: the first holder to fetch the request.'),
  redirectUrl: address
    .optional()
    .describe('Where the holder goes afterwards; its origin must be one of allowedOrigins.'),
  wallet: input('VerificationWalletInput', 'A wallet of others answers.', {
    flow: walletFlow.describe('How it gets the request, and responds.'),
  })
    .optional()
    .describe('Asks a wallet of others (OpenID4VP); default: the holder answers here.'),
  idempotencyKey: z.string().optional().describe('For 24 hours, the same key gets the first response again.'),
});
export type StartVerification = Omit<z.output<typeof startVerificationInput>, 'idempotencyKey'>;

const proofMembers = {
  coreClaimHash: hash.describe('Hash of the proved claim; required with presentation.'),
  presentation: z.string().min(1).max(MAX_TEXT).describe('The proof.'),
  opening: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
    .describe("The secret that opens the presentation's commitment: 32 bytes, base64url."),
  cakConsent: z
    .boolean()
    .optional()
    .describe('For a program with `cak`: whether the verifier may have the compliance access key.'),
};
const REFUSALS = {
  cannot: 'True: the holder cannot give a proof.',
  declined: 'True: the holder declines to give a proof.',
};

/** A refusal: the holder cannot prove the conditions, or declines. */
export interface Refusal {
  cannot?: true;
  declined?: true;
}
const proofAnswer = z.strictObject(proofMembers);
const refusal = (name: keyof typeof REFUSALS) => {
  const isTrue = z.literal(true, { error: 'must be true' }).describe(REFUSALS[name]);
  return z.strictObject({ [name]: isTrue }) as unknown as z.ZodType<Refusal>;
};

/** Determines the form of an answer by its members. Error messages then refer to that form. */
export const answerBody = z.record(z.string(), z.unknown()).transform((body, context): AnswerBody => {
  const name = (['cannot', 'declined'] as const).find((member) => Object.hasOwn(body, member));
  const parsed = (name === undefined ? proofAnswer : refusal(name)).safeParse(body, { error: sentenceOf });
  if (parsed.success) return parsed.data;
  // zod's type wants the inputs of new issues; these are complete.
  context.issues.push(...(parsed.error.issues as never[]));
  return z.NEVER;
});
/** The three forms, for the OpenAPI document. */
export const answerForms = z.union([proofAnswer, refusal('cannot'), refusal('declined')]);
export type ProofAnswer = z.output<typeof proofAnswer>;
export type AnswerBody = ProofAnswer | Refusal;

const lowerCaseId = verificationId.transform((text) => text.toLowerCase());
export const verificationParams = z.object({ id: lowerCaseId });
export const verificationInput = z.strictObject({ verificationId: lowerCaseId.describe('Its id.') });
export const verificationRequestInput = z.strictObject({ verificationId: lowerCaseId.describe('Which verification.') });

const optional = <T extends z.ZodType>(member: T) => member.optional().describe(member.description ?? '');

/**
 * The members of all three forms, because GraphQL has no unions of inputs. `answerBody` then checks which of them
 * belong together.
 */
export const answerVerificationInput = input(
  'AnswerVerificationInput',
  "A holder's answer: a proof with its claim and opening, or that there is none.",
  {
    verificationId: lowerCaseId.describe('Which verification.'),
    coreClaimHash: optional(proofMembers.coreClaimHash),
    presentation: optional(proofMembers.presentation),
    opening: optional(proofMembers.opening),
    cakConsent: proofMembers.cakConsent,
    cannot: z.boolean().optional().describe(REFUSALS.cannot),
    declined: z.boolean().optional().describe(REFUSALS.declined),
  },
);

/** Longest response of a wallet, characters. */
export const MAX_WALLET_RESPONSE = 65_536;

export const answerFromWalletInput = input(
  'AnswerFromWalletInput',
  "What a partner's page got from a wallet: a response with its origin, or a code.",
  {
    verificationId: lowerCaseId.describe('Which verification.'),
    response: z.string().min(1).max(MAX_WALLET_RESPONSE).optional().describe('For dc_api: the encrypted response.'),
    origin: z.string().max(2_000).optional().describe('For dc_api: the origin of the page that got it.'),
    responseCode: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('For same_device: `response_code` from the fragment of the redirectUrl that the wallet opened.'),
  },
);
export type AnswerFromWallet = Omit<z.output<typeof answerFromWalletInput>, 'verificationId'>;

export const checkProofInput = input('CheckProofInput', 'A proof to check.', {
  zkProof: z.string().min(1).max(MAX_TEXT).describe('A presentation.'),
});

/** Longest wait for a result, seconds. */
export const MAX_WAIT_SECONDS = 30;
export const waitQuery = z.strictObject({ wait: wholeNumber(0, MAX_WAIT_SECONDS).default(0) });

export const verificationsInput = z.strictObject({
  programId: catalogId.optional().describe('Only of this program.'),
  status: verificationStatus.optional().describe('Only those with this status.'),
});

export const proofRequestInput = z.strictObject({
  programId: catalogId.describe('Id of the program.'),
  version: hash.optional().describe('A pinned version; default: the current one.'),
  now: shownAs('DateTime', dateTime()).optional().describe('The time from which relative dates count; default: now.'),
});
export type ProofRequestInput = z.output<typeof proofRequestInput>;
