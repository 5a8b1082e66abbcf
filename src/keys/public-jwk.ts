// Public keys that others send as JWKs (RFC 7517): detects private members, and reads P-256 keys.
import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** Members of RFC 7518 §6 that only private and secret keys have. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** The first private or secret member of a JWK; undefined for a public key. */
export function privateMemberOf(jwk: object): string | undefined {
  return PRIVATE_MEMBERS.find((member) => member in jwk);
}

/** A P-256 public key with only the members of RFC 7638. */
export interface P256Jwk {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/** The P-256 public key in a JWK; undefined for any other key, or for a point that is not on the curve. */
export function p256Jwk(jwk: Readonly<Record<string, unknown>>): P256Jwk | undefined {
  const { kty, crv, x, y } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || privateMemberOf(jwk) !== undefined) return undefined;
  try {
    const key = createPublicKey({ key: { kty, crv, x, y } as JsonWebKey, format: 'jwk' }).export({ format: 'jwk' });
    return { kty, crv, x: key.x ?? '', y: key.y ?? '' };
  } catch {
    return undefined; // Not a point on the curve.
  }
}
