// What clients of holders send (contract §4.1, §4.5, §21). Unknown members are refused; everything is bounded.
import { z } from 'zod';
import { lowerUuid } from '../base/input.js';
import { input, shownAs } from '../base/record.js';
import { MAX_SIGNATURE } from '../chain/signatures.service.js';
import { checksummed } from '../keys/ethereum.js';
import { emailText, partnerUserIdText } from './email.js';
import { currencyCode } from './session-types.js';
import { consentDecision, coreIdDetails } from './types.js';

const text = (max: number) => z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);

export const initializeUserInput = input('InitializeUserInput', 'The recipient to resolve.', {
  email: emailText.describe('E-mail address of the recipient.'),
  partnerUserId: partnerUserIdText.optional().describe("The partner's own id for the recipient."),
});
export const initializeUserV2Body = z.strictObject({ partnerJwt: z.string().min(1, 'must not be empty') });

export const setSigningKeyInput = input('SetSigningKeyInput', "The holder's public signing key.", {
  jwk: z.record(z.string(), z.unknown()).describe('A P-256 public key (RFC 7517): kty, crv, x, y.'),
});
export const deviceBody = z.strictObject({ devicePublicKey: z.string() });
export const partnerParams = z.object({ partnerId: lowerUuid });
export const consentBody = z.strictObject({ consent: consentDecision });
export const mailboxQuery = z.strictObject({ email: emailText });
export const configQuery = z.object({ partnerId: lowerUuid });
export const partnerLinkBody = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be the address of a page' })
    .max(2_048, 'must be at most 2048 characters'),
});
export const redeemBody = z.strictObject({
  code: z.string().regex(/^[\w-]{43}$/, 'must be the code of a link'),
  partnerId: lowerUuid.describe('The partner of the page.'),
  origin: z.string().max(2_048).optional().describe('The origin of the page, from clients that know it.'),
});
export type RedeemInput = z.output<typeof redeemBody>;

export const initializeInput = input('InitializeInput', 'A client to initialize.', {
  token: z.string().optional().describe('The session token that the client stored; default: the one of the request.'),
  skipRehydration: z.boolean().optional().describe('True: do not resume an earlier session.'),
});

const accountText = z.string().transform((text, issue) => {
  const account = checksummed(text);
  if (account !== undefined) return account;
  issue.addIssue({ code: 'custom', message: 'must be 0x and 40 hex digits, with a right checksum if they have one' });
  return z.NEVER;
});
export const loginInput = input('LoginInput', 'Who wants to log in. Empty if the partner token has the claim email.', {
  email: emailText.optional().describe('E-mail address.'),
  address: accountText.optional().describe('Address of the account or of its owner key, instead of an e-mail address.'),
  partnerId: lowerUuid.optional().describe('The partner to log in through; required without a partner token.'),
}).refine(({ email, address }) => email === undefined || address === undefined, {
  path: ['address'],
  message: 'or email must be given, and not both',
});
export type LoginInput = z.output<typeof loginInput>;

export const verifyLoginInput = input('VerifyLoginInput', 'The mailed code, or the signature of the account.', {
  loginId: lowerUuid.describe('Which login.'),
  code: z
    .string()
    .regex(/^\d{6}$/, 'must be six digits')
    .optional()
    .describe('Six digits.'),
  signature: z
    .string()
    .max(MAX_SIGNATURE, `must be at most ${MAX_SIGNATURE} characters`)
    .optional()
    .describe(
      'The signature of the message from login, in hex with 0x: by a key (EIP-191 personal_sign) or by a contract (ERC-1271, ERC-6492).',
    ),
  repeatKey: z
    .string()
    .min(22, 'must be at least 22 characters')
    .max(64, 'must be at most 64 characters')
    .optional()
    .describe(
      'A random secret of the client, for responses that are lost: for 60 seconds, the same request with the same key gets another token of the session that it opened. Without one, a code or signature can be used once.',
    ),
})
  .refine(({ code, signature }) => code !== undefined || signature !== undefined, {
    path: ['code'],
    message: 'is missing',
  })
  .refine(({ code, signature }) => code === undefined || signature === undefined, {
    path: ['signature'],
    message: 'or code must be given, and not both',
  });
export type VerifyLoginInput = z.output<typeof verifyLoginInput>;

function isLocale(tag: string): boolean {
  try {
    return tag.length <= 35 && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false; // The text is no language tag.
  }
}

export const sessionConfigInput = input(
  'SessionConfigInput',
  'New display settings of a session; missing ones stay unchanged.',
  {
    locale: z
      .string()
      .refine(isLocale, 'must be a language tag, such as "en-GB"')
      .optional()
      .describe('Language tag, BCP 47.'),
    currency: currencyCode.optional().describe('Currency for amounts.'),
  },
);

const said = (member: keyof typeof coreIdDetails.shape): string => coreIdDetails.shape[member].description ?? '';
const coreIdInput = input('CoreIdInput', "A holder's core id: its identity record.", {
  id: text(255).describe(said('id')),
  name: text(255).optional().describe(said('name')),
  node: text(255).describe(said('node')),
  status: coreIdDetails.shape.status,
  chainId: shownAs('SafeInt', z.int('must be a whole number').positive('must be more than 0')).describe(
    said('chainId'),
  ),
  imageUrl: z
    .url('must be an address')
    .max(2_000, 'must be at most 2000 characters')
    .optional()
    .describe(said('imageUrl')),
});

export const recordCoreIdInput = input(
  'RecordCoreIdInput',
  'The result of minting a core id: the core id, or why it could not be minted.',
  {
    holderId: z.guid('must be a UUID').describe('userId of the holder.'),
    coreId: coreIdInput.optional().describe('The record.'),
    errorMessage: text(500).optional().describe('Why it could not be minted; the core id is then removed.'),
  },
).refine(({ coreId, errorMessage }) => (coreId === undefined) !== (errorMessage === undefined), {
  path: ['coreId'],
  message: 'must be given, or errorMessage, and not both',
});
export type CoreIdChange = z.output<typeof recordCoreIdInput>;
