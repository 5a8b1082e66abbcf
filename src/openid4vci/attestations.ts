// Attestations: JWTs in which a provider says that a wallet, or a key, is as it should be (OpenID4VCI 1.0, appendices D and E; HAIP 1.0 §4.5).
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import { CLOCK_TOLERANCE_S } from '../common/token-times.js';
import { trustedKey } from '../certificates/trusted-chain.service.js';
import { p256Jwk } from '../keys/public-jwk.js';

const MAX_ATTESTATION = 32_768;

/** The payload of a JWT of one of these types, signed by ES256; undefined: it is none, is over, or its signature is wrong. */
export async function payloadOf(
  jwt: string,
  { types, key, now }: { types: readonly string[]; key: KeyObject; now: number },
): Promise<JWTPayload | undefined> {
  try {
    const { payload, protectedHeader } = await jwtVerify(jwt, key, {
      algorithms: ['ES256'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
    });
    return types.includes(String(protectedHeader.typ).toLowerCase()) ? payload : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The key of an attestation's signature; undefined if there is none.
 * @param anchors certificates of the authorities that its chain must lead to; undefined: anyone, by the key that it names itself
 */
export async function attesterKey(
  jwt: string,
  anchors: readonly string[] | undefined,
  now: number,
): Promise<KeyObject | undefined> {
  if (jwt.length > MAX_ATTESTATION) return undefined;
  try {
    const { x5c, jwk } = decodeProtectedHeader(jwt);
    if (anchors !== undefined) return Array.isArray(x5c) ? await trustedKey(x5c, anchors, new Date(now)) : undefined;
    if (Array.isArray(x5c)) return new X509Certificate(Buffer.from(String(x5c[0]), 'base64')).publicKey;
    const named = p256Jwk(jwk);
    return named && createPublicKey({ key: named, format: 'jwk' });
  } catch {
    return undefined;
  }
}
