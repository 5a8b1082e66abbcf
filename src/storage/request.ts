// The body of dstorage/vcs, checked at the edge (contract §4.3).
import { z } from 'zod';
import { PROOF_TYPES } from '../keys/proof-types.js';

const text = (max: number) => z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);
const dateTimeOrNull = ({ input }: { input?: unknown }): string =>
  input === undefined ? 'is missing' : 'must be a date-time in ISO 8601, or null';
const base64 = z.string().min(1, 'must not be empty');

export const storeBody = z.strictObject({
  holderDid: text(200),
  proofType: z.enum(PROOF_TYPES, `must be one of ${PROOF_TYPES.join(', ')}`).default('BJJ_SIG_2021'),
  schemaId: text(500),
  expiresAt: z.iso
    .datetime({ offset: true, error: dateTimeOrNull })
    .transform((iso) => new Date(iso))
    .nullable(),
  data: base64,
  iv: base64,
  authTag: base64,
  encryptedKey: base64,
  externalId: text(255),
});
export type StoreRequest = z.output<typeof storeBody>;

/** Bytes of a request that stores a package. */
export const STORE_BODY_LIMIT = 1_048_576;
