// Providers of wallets and keys, which attest them: an authority with a certificate for the key that signs (HAIP 1.0 §4.5).
import { randomUUID, webcrypto } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { rootCertificate, signedCertificate } from '../../src/certificates/x509.js';
import type { Key } from './wallet.js';

export interface Provider {
  /** The certificate of its authority, PEM. */
  root: string;
  /** A JWT of a type, with its chain. */
  sign(typ: string, payload: JWTPayload, header?: object): Promise<string>;
  /** The same by a key whose certificate is its own. */
  signSelfSigned(typ: string, payload: JWTPayload): Promise<string>;
}

const newKeys = () => webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
const seconds = () => Math.floor(Date.now() / 1_000);

export async function startProvider(name: string): Promise<Provider> {
  const [authority, keys] = [await newKeys(), await newKeys()];
  const now = new Date();
  const root = await rootCertificate(`${name} CA`, authority, now);
  const subject = { name, address: 'https://provider.example' };
  const certificate = await signedCertificate({ root, keys: authority }, subject, keys.publicKey, now);
  const signed = (typ: string, payload: JWTPayload, x5c: string[], key: webcrypto.CryptoKey, header: object = {}) =>
    new SignJWT({ iat: seconds(), exp: seconds() + 300, ...payload })
      .setProtectedHeader({ typ, alg: 'ES256', x5c, ...header })
      .sign(key);
  return {
    root: root.toString(),
    sign: (typ, payload, header) => signed(typ, payload, [certificate.raw.toString('base64')], keys.privateKey, header),
    signSelfSigned: (typ, payload) => signed(typ, payload, [root.raw.toString('base64')], authority.privateKey),
  };
}

/** What a test changes in an attestation of a wallet and its proof. */
export interface AttestationChanges {
  payload?: JWTPayload;
  pop?: JWTPayload;
  /** The form of the proof: with `iss` and `exp` as in earlier drafts, or with `iat` alone. */
  form?: 'earlier' | 'later';
  popKey?: Key;
  selfSigned?: boolean;
}

/** The headers of an attested wallet. @param audience the authorization server */
export async function attestationHeaders(
  provider: Provider,
  { clientId, key, audience }: { clientId: string; key: Key; audience: string },
  { payload, pop, form = 'later', popKey = key, selfSigned = false }: AttestationChanges = {},
): Promise<Record<string, string>> {
  const said = { sub: clientId, cnf: { jwk: key.jwk }, ...payload } as JWTPayload;
  const typ = 'oauth-client-attestation+jwt';
  const attestation = await (selfSigned ? provider.signSelfSigned(typ, said) : provider.sign(typ, said));
  const times = form === 'later' ? { iat: seconds() } : { iss: clientId, exp: seconds() + 60 };
  const proof = await new SignJWT({ aud: audience, jti: randomUUID(), ...times, ...pop })
    .setProtectedHeader({ typ: 'oauth-client-attestation-pop+jwt', alg: 'ES256' })
    .sign(popKey.privateKey as never);
  return { 'oauth-client-attestation': attestation, 'oauth-client-attestation-pop': proof };
}

/** An attestation of keys. */
export const keyAttestation = (provider: Provider, keys: readonly Key[], payload: JWTPayload = {}): Promise<string> =>
  provider.sign('key-attestation+jwt', { attested_keys: keys.map(({ jwk }) => jwk), ...payload } as JWTPayload);
