// Public keys on P-256 that come from outside, as JWKs.
import { createPublicKey } from 'node:crypto';
import type { JWK } from 'jose';
import { z } from 'zod';

const coordinate = z.string().regex(/^[\w-]{43}$/);
const shape = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
  d: z.undefined().optional(),
});

/** The public key, without other members; undefined for another kind, one with its private part, or a point off the curve. */
export function publicP256(jwk: unknown): JWK | undefined {
  const parsed = shape.safeParse(jwk);
  if (!parsed.success) return undefined;
  const { kty, crv, x, y } = parsed.data;
  try {
    createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
    return { kty, crv, x, y };
  } catch {
    return undefined;
  }
}
