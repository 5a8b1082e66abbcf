// A CAK public key as it is sent (contract §17): SEC1, compressed, in hex, a point of its curve. A scalar has another length: it is refused.
import { ECDH } from 'node:crypto';
import { z } from 'zod';

export const CAK_CURVES = ['secp256r1', 'secp256k1'] as const;
export type CakCurve = (typeof CAK_CURVES)[number];

/** The curves' names in OpenSSL. */
const OPENSSL: Readonly<Record<CakCurve, string>> = { secp256r1: 'prime256v1', secp256k1: 'secp256k1' };

const COMPRESSED = /^0[23][0-9a-f]{64}$/i;

/** Whether a text is a point of a curve. */
export function isCakPublicKey(text: string, curve: CakCurve): boolean {
  if (!COMPRESSED.test(text)) return false;
  try {
    ECDH.convertKey(text, OPENSSL[curve], 'hex', 'hex', 'compressed');
    return true;
  } catch {
    return false; // No point of the curve.
  }
}

/** A key without its curve: a point of either. In lower case. */
export const cakPublicKeyText = z
  .string()
  .refine(
    (text) => CAK_CURVES.some((curve) => isCakPublicKey(text, curve)),
    'must be a public key of secp256r1 or secp256k1: SEC1, compressed, 66 hexadecimal digits',
  )
  .transform((text) => text.toLowerCase());
