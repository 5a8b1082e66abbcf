// Public keys that others send as JWKs (RFC 7517): detects private members, and reads P-256 keys.
import { createPublicKey } from 'node:crypto';
import { z } from 'zod';

/** Members of RFC 7518 §6 that only private and secret keys have. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** The first private or secret member of a JWK; undefined for a public key. */
export function privateMemberOf(jwk: object): string | undefined {
  return PRIVATE_MEMBERS.find((member) => member in jwk);
}

/** A coordinate of P-256: 32 bytes, base64url (RFC 7518 §6.2.1.2). */
const coordinate = z.string().regex(/^[\w-]{43}$/);
const p256 = z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: coordinate, y: coordinate });

/** A P-256 public key with only the members of RFC 7638. */
export type P256Jwk = z.output<typeof p256>;

/** The P-256 public key in a JWK; undefined for any other key, one with a private member, or a point that is not on the curve. */
export function p256Jwk(jwk: unknown): P256Jwk | undefined {
  const { success, data } = p256.safeParse(jwk);
  if (!success || privateMemberOf(jwk as object) !== undefined) return undefined;
  try {
    const { x = '', y = '' } = createPublicKey({ key: data, format: 'jwk' }).export({ format: 'jwk' });
    return { ...data, x, y };
  } catch {
    return undefined; // Not a point on the curve.
  }
}
