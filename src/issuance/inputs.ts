// What clients of issuance send (contract §4 to §7). Unknown members are refused; everything is bounded.
import { z } from 'zod';
import { dateTime, lowerUuid, pageLimit, pageNumber } from '../base/input.js';
import { isJsonObject, type JsonObject } from '../base/json/json-object.js';
import { catalogId, hash, input, shownAs } from '../base/record.js';
import { emailText } from '../holders/holders.service.js';
import { PROOF_TYPES } from '../keys/proof-types.js';
import { idempotencyKey } from '../store/idempotency.js';
import { cakPublicKeyText } from './cak/public-key.js';
import { issuanceWhere } from './list-filter.js';
import { HISTORY_ORDERS } from './status.service.js';
import { onDuplicate } from './types.js';

const text = (max: number) => z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);
const nonce = z.string().regex(/^\d{1,20}$/, {
  error: ({ input }) => (/^\d+$/.test(`${input}`) ? 'must have at most 20 digits' : 'must be a decimal number'),
});

export const issueOnBehalfInput = input('IssueOnBehalfInput', 'A credential to issue for a managed issuer.', {
  issuerDid: text(2_048).describe('DID of the managed issuer.'),
  credentialId: text(500).describe('Id of the credential.'),
  // Not copied field by field, so that a name like __proto__ is detected and refused like any other.
  credentialSubject: shownAs(
    'JSON',
    z
      .custom<JsonObject>(isJsonObject, {
        error: ({ input }) => (input === undefined ? 'is missing' : 'must be an object'),
      })
      .meta({ type: 'object', additionalProperties: true }),
  ).describe("Its content: an object that fits the schema's data points."),
  onDuplicate: onDuplicate
    .default('revoke')
    .describe('What to do when the holder has a live credential of this kind; default REVOKE.'),
  email: emailText.optional().describe('E-mail address of the recipient; this or userId.'),
  userId: lowerUuid.optional().describe('userId of the recipient; this or email.'),
  expiresAt: shownAs(
    'DateTime',
    dateTime().transform((iso) => new Date(iso)),
  )
    .optional()
    .describe("When it expires; default: after the credential's expirationDuration."),
  idempotencyKey,
});
export type IssueRequest = Omit<z.output<typeof issueOnBehalfInput>, 'idempotencyKey'>;

export const revokeCredentialInput = input(
  'RevokeCredentialInput',
  'An issuance to revoke, by its claim hash or its nonce (operator only).',
  {
    coreClaimHash: hash.optional().describe('Hash of the claim.'),
    nonce: nonce.optional().describe('Revocation nonce, decimal.'),
  },
);
export const revokeBody = z.strictObject({ coreClaimHash: hash });

/** Any text: GraphQL returns null if it is not the hash of a claim; REST refuses texts that are no hashes. */
export const credentialStatusInput = z.strictObject({ coreClaimHash: z.string().describe('Hash of the claim.') });
export const statusQuery = z.strictObject({ coreClaimHash: hash });

export const availableCredentialsInput = z.strictObject({
  issuerId: catalogId.optional().describe('Only of this issuer.'),
  schemaId: catalogId.optional().describe('Only on this schema.'),
});

export const issueHostedBody = z.strictObject({
  issuerId: catalogId,
  schemaId: catalogId,
  proofType: z.enum(PROOF_TYPES).optional(),
  cakPublicKey: cakPublicKeyText.optional(),
});
export type HostedRequest = z.output<typeof issueHostedBody>;

export const nonceParams = z.object({ nonce });

export const historyQuery = z.strictObject({
  page: pageNumber,
  limit: pageLimit(),
  order: z.enum(HISTORY_ORDERS as [string, ...string[]]).default('id_asc'),
  holderDid: z.string().min(1).max(200).optional(),
  schemaId: catalogId.optional(),
  revocationNonce: nonce.optional(),
});

export const issuancesInput = z.strictObject({
  where: issuanceWhere.optional().describe('A filter; default: all.'),
});
