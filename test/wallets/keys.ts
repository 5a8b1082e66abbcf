// The wallet's keys, what it proves with them, and what its provider attests of them.
import { createHash, randomUUID } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { Json } from './faults.js';

export interface WalletKey {
  privateKey: CryptoKey;
  jwk: JWK;
  thumbprint: string;
}

/** Who attests wallets and keys: a private key and its chain. */
export interface Provider {
  privateKey: CryptoKey;
  x5c: string[];
  issuer: string;
}

export async function createKey(): Promise<WalletKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const { kty, crv, x, y } = await exportJWK(publicKey);
  const jwk = { kty, crv, x, y } as JWK;
  return { privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

const sign = (key: CryptoKey, header: Json, claims: JWTPayload): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', ...header }).sign(key);

const now = (): number => Math.floor(Date.now() / 1000);

/** Whether and how a request is bound to a key (RFC 9449, 4.2). */
export interface DpopRequest {
  url: string;
  method: string;
  accessToken?: string | undefined;
  nonce?: string | undefined;
}

export function dpopProof(key: WalletKey, { url, method, accessToken, nonce }: DpopRequest): Promise<string> {
  const { origin, pathname } = new URL(url);
  const ath = accessToken && createHash('sha256').update(accessToken).digest('base64url');
  const claims = { jti: randomUUID(), htm: method, htu: origin + pathname, iat: now() };
  return sign(
    key.privateKey,
    { typ: 'dpop+jwt', jwk: key.jwk },
    { ...claims, ...(ath ? { ath } : {}), ...(nonce ? { nonce } : {}) },
  );
}

/** A proof of type `jwt` (OpenID4VCI, F.1). */
export function keyProof(
  key: WalletKey,
  claims: { aud: string; nonce?: string | undefined; iss?: string | undefined },
  keyAttestation?: string,
): Promise<string> {
  const attested = keyAttestation === undefined ? {} : { key_attestation: keyAttestation };
  const body = JSON.parse(JSON.stringify({ ...claims, iat: now() }));
  return sign(key.privateKey, { typ: 'openid4vci-proof+jwt', jwk: key.jwk, ...attested }, body);
}

/** A key attestation (OpenID4VCI, D.1). */
export function attestKeys(provider: Provider, keys: readonly WalletKey[], nonce?: string): Promise<string> {
  const claims = {
    iat: now(),
    exp: now() + 3_600,
    attested_keys: keys.map(({ jwk }) => jwk),
    key_storage: ['iso_18045_high'],
    user_authentication: ['iso_18045_high'],
    ...(nonce ? { nonce } : {}),
  };
  return sign(provider.privateKey, { typ: 'key-attestation+jwt', x5c: provider.x5c }, claims);
}

/**
 * The headers by which a wallet authenticates (draft-ietf-oauth-attestation-based-client-auth): by the present draft, whose proof has no `iss`
 * and no `exp`.
 */
export async function attestWallet(
  provider: Provider,
  key: WalletKey,
  { clientId, audience }: { clientId: string; audience: string },
): Promise<Record<string, string>> {
  const attestation = await sign(
    provider.privateKey,
    { typ: 'oauth-client-attestation+jwt', x5c: provider.x5c },
    { iss: provider.issuer, sub: clientId, iat: now(), exp: now() + 3_600, cnf: { jwk: key.jwk } },
  );
  const proof = await sign(
    key.privateKey,
    { typ: 'oauth-client-attestation-pop+jwt' },
    { aud: audience, jti: randomUUID(), iat: now() },
  );
  return { 'oauth-client-attestation': attestation, 'oauth-client-attestation-pop': proof };
}
