// Checks CAK public keys (contract §17): SEC1, compressed, in hex, a point of its curve. A private key has another length and is refused.
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
    return false; // It is no point of the curve.
  }
}

/** A key whose curve is not stated: a point of either. Converted to lower case. */
export const cakPublicKeyText = z
  .string()
  .refine(
    (text) => CAK_CURVES.some((curve) => isCakPublicKey(text, curve)),
    'must be a public key of secp256r1 or secp256k1: SEC1, compressed, 66 hexadecimal digits',
  )
  .transform((text) => text.toLowerCase());
