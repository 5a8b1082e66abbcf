// Public keys that others send as JWKs (RFC 7517): detects private members, and reads P-256 keys.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
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

/** A P-256 public key that verifies signatures. */
export interface VerifyingKey {
  jwk: P256Jwk;
  /** RFC 7638, SHA-256, base64url. */
  thumbprint: string;
  key: KeyObject;
}

/** The P-256 public key in a JWK; undefined for any other key, one with a private member, or a point that is not on the curve. */
export function verifyingKey(jwk: unknown): VerifyingKey | undefined {
  const { success, data } = p256.safeParse(jwk);
  if (!success || privateMemberOf(jwk as object) !== undefined) return undefined;
  const named = { ...data, x: oneForm(data.x), y: oneForm(data.y) };
  try {
    const key = createPublicKey({ key: named, format: 'jwk' });
    return { jwk: named, thumbprint: p256Thumbprint(named), key };
  } catch {
    return undefined; // Not a point on the curve.
  }
}

/** As verifyingKey, without the key itself. */
export const p256Jwk = (jwk: unknown): P256Jwk | undefined => verifyingKey(jwk)?.jwk;

/** Base64url without the unused bits of the last digit. */
const oneForm = (coordinate: string): string => Buffer.from(coordinate, 'base64url').toString('base64url');

/** The RFC 7638 thumbprint of a P-256 key, which jose computes on another thread: that takes longer than the hash. */
export const p256Thumbprint = ({ x, y }: P256Jwk): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
