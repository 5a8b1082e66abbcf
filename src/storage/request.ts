// The body of dstorage/vcs, checked at the edge (contract §4.3).
import { z } from 'zod';
import { dateTime } from '../base/input.js';
import { PROOF_TYPES } from '../keys/proof-types.js';

const text = (max: number) => z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);
const dateTimeOrNull = ({ input }: { input?: unknown }): string =>
  input === undefined ? 'is missing' : 'must be a date-time in ISO 8601, or null';
const base64 = z.string().min(1, 'must not be empty');

const MAX_UINT64 = 2n ** 64n - 1n;

/** What a self-signing issuer says of the claim that it signed (contract §12). */
const claim = z.strictObject({
  issuerDid: text(2_048),
  credentialId: text(500),
  schemaVersion: z.int().min(1).max(1_000_000).optional(),
  coreClaimHash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case'),
  revocationNonce: z
    .string()
    .refine(
      (digits) => /^(?:0|[1-9]\d{0,19})$/.test(digits) && BigInt(digits) <= MAX_UINT64,
      'must be a whole number of at most 64 bits, in decimal digits',
    ),
});

export const storeBody = z.strictObject({
  holderDid: text(200),
  proofType: z.enum(PROOF_TYPES, `must be one of ${PROOF_TYPES.join(', ')}`).default('BJJ_SIG_2021'),
  schemaId: text(500),
  expiresAt: dateTime(dateTimeOrNull)
    .transform((iso) => new Date(iso))
    .nullable(),
  data: base64,
  iv: base64,
  authTag: base64,
  encryptedKey: base64,
  externalId: text(255),
  claim: claim.optional(),
});
export type StoreRequest = z.output<typeof storeBody>;
export type StoredClaim = z.output<typeof claim>;

/** Bytes of a request that stores a package. */
export const STORE_BODY_LIMIT = 1_048_576;
