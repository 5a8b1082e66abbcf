// What clients of storage send (contract §4.3, §4.4), checked at the edge.
import { z } from 'zod';
import { dateTime, pageLimit } from '../base/input.js';
import { hash, input, shownAs } from '../base/record.js';
import { textFilter } from '../graphql/shapes/filters.js';
import { PROOF_TYPES } from '../keys/proof-types.js';
import { idempotencyKey } from '../store/idempotency.js';

const text = (max: number) => z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);
const dateTimeOrNull = ({ input }: { input?: unknown }): string =>
  input === undefined ? 'is missing' : 'must be a date-time in ISO 8601, or null';
const base64 = z.string().min(1, 'must not be empty');

const MAX_UINT64 = 2n ** 64n - 1n;

/** What a self-signing issuer states about the claim that it signed (contract §12). */
export const signedClaim = input('SignedClaimInput', 'The claim that a self-signing issuer has signed.', {
  issuerDid: text(2_048).describe('DID of the issuer.'),
  credentialId: text(500).describe('Id of the credential.'),
  schemaVersion: z.int().min(1).max(1_000_000).optional().describe("Version of the schema; default: the credential's."),
  coreClaimHash: hash.describe('Hash of the claim, 64 hex digits in lower case.'),
  revocationNonce: z
    .string()
    .refine(
      (digits) => /^(?:0|[1-9]\d{0,19})$/.test(digits) && BigInt(digits) <= MAX_UINT64,
      'must be a whole number of at most 64 bits, in decimal digits',
    )
    .describe('Random number of 64 bits, decimal.'),
});

export const storeCredentialInput = input(
  'StoreCredentialInput',
  'A credential that its issuer signed and encrypted to the holder.',
  {
    holderDid: text(200).describe('DID of the holder.'),
    proofType: shownAs('String', z.enum(PROOF_TYPES, `must be one of ${PROOF_TYPES.join(', ')}`))
      .default('BJJ_SIG_2021')
      .describe('Its proof type; default BJJ_SIG_2021.'),
    schemaId: text(500).describe('Id of the schema.'),
    expiresAt: shownAs(
      'DateTime',
      dateTime(dateTimeOrNull).transform((iso) => new Date(iso)),
    )
      .nullable()
      .describe('When it expires; null: never.'),
    data: base64.describe('Ciphertext, base64.'),
    iv: base64.describe('IV of 12 bytes, base64.'),
    authTag: base64.describe('Authentication tag of 16 bytes, base64.'),
    encryptedKey: base64.describe('Ephemeral X25519 public key, SPKI DER, base64.'),
    externalId: text(255).describe("The partner's own id for it."),
    claim: signedClaim
      .optional()
      .describe(
        'The claim in the package. With it, the package has a status and counts as issued; without it, it is only stored.',
      ),
    idempotencyKey,
  },
);
export type StoreRequest = Omit<z.output<typeof storeCredentialInput>, 'idempotencyKey'>;
export type StoredClaim = z.output<typeof signedClaim>;

/** Bytes of a request that stores a package. */
export const STORE_BODY_LIMIT = 1_048_576;

const storedPackageWhere = input('StoredPackageWhere', 'A filter of packages; all given fields must match.', {
  holderDid: textFilter.optional().describe('By the DID of the holder.'),
  schemaId: textFilter.optional().describe('By schema.'),
  externalId: textFilter.optional().describe("By the partner's own id."),
});
export type StoredPackageWhere = z.output<typeof storedPackageWhere>;

export const storedPackagesInput = z.strictObject({
  where: storedPackageWhere.optional().describe('A filter; default: all.'),
});

const value = z.string().min(1).max(500).optional();
/** The filter and page of REST: one value for each field. */
export const packagesQuery = z.strictObject({
  holderDid: value,
  schemaId: value,
  externalId: value,
  after: value,
  limit: pageLimit(),
});
export type PackagesQuery = z.output<typeof packagesQuery>;

export const packageParams = z.object({ id: z.guid('must be a UUID') });
export const heldCredentialsQuery = z.strictObject({
  schemaId: z.string().min(1).max(500).optional(),
  after: z.guid('must be the id of an item').optional(),
  limit: pageLimit(),
});
