// JWTs that others sign by ES256 (RFC 7515, RFC 7518 §3.4, RFC 7519), verified on this thread. jose hands each key and each signature to a thread of
// WebCrypto, which takes longer than the verification (decision 0073).
import { type KeyObject, verify } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { timeFault } from '../common/token-times.js';

/** What a JWT must be. */
export interface Es256Terms {
  typ: string;
  /** Where it is given, `aud` must be it, or have it. */
  audience?: string;
  /** For `exp` and `nbf`, ms since 1970 UTC; absent: the current time. */
  now?: number;
}

/** Whether a compact JWS says ES256, has no extensions that must be understood, and is signed by this P-256 key. */
export function isSignedBy(jws: string, key: KeyObject): boolean {
  const [header = '', payload = '', signature = '', ...more] = jws.split('.');
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  if (asymmetricKeyType !== 'ec' || asymmetricKeyDetails?.namedCurve !== 'prime256v1' || more.length > 0) return false;
  try {
    const { alg, crit } = decodeProtectedHeader({ protected: header });
    if (alg !== 'ES256' || crit !== undefined) return false;
    const signed = Buffer.from(`${header}.${payload}`);
    return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
  } catch {
    return false; // Not a JWS.
  }
}

/** The payload of a JWT that is signed by this P-256 key, of the type, for the audience, and in its time; else undefined. */
export function verifiedJwt(jwt: string, key: KeyObject, { typ, audience, now }: Es256Terms): JWTPayload | undefined {
  try {
    if (mediaType(decodeProtectedHeader(jwt).typ) !== mediaType(typ) || !isSignedBy(jwt, key)) return undefined;
    const payload = decodeJwt(jwt);
    const isFor = audience === undefined || [payload.aud].flat().includes(audience);
    return isFor && isInTime(payload, now) ? payload : undefined;
  } catch {
    return undefined; // Not a JWT.
  }
}

/** A `typ` may leave out `application/`; its case does not matter (RFC 7515 §4.1.9). */
const mediaType = (typ = ''): string => (typ.includes('/') ? typ : `application/${typ}`).toLowerCase();

/** `iat` is of each kind of token: some may be made ahead of our clock. It must be a number (RFC 7519 §4.1). */
const isInTime = ({ exp, nbf, iat }: JWTPayload, now = Date.now()): boolean =>
  timeFault({ exp, nbf }, now) === undefined && (iat === undefined || typeof iat === 'number');
