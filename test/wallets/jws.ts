// Signed tokens and certificates, with jose and node:crypto.
import { X509Certificate } from 'node:crypto';
import { type CryptoKey, compactVerify, decodeProtectedHeader, importX509, type ProtectedHeaderParameters } from 'jose';
import { isObject, type Json, must, numberOf, textOf } from './faults.js';

export type Key = CryptoKey | Uint8Array;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** How far a clock may be ahead of ours. */
const SKEW_SECONDS = 60;

const isSelfSigned = (certificate: X509Certificate): boolean => certificate.verify(certificate.publicKey);

/**
 * Verifies a chain up to a trusted root: leaf first, no root in it (HAIP, 4.1.1), each certificate signed by the next, all of them in their time.
 * @returns the leaf
 */
export function verifyChain(x5c: unknown, roots: readonly X509Certificate[]): X509Certificate {
  must(Array.isArray(x5c) && x5c.length > 0 && x5c.every((one) => BASE64.test(String(one))), 'x5c is a list of base64');
  const chain = x5c.map((der) => new X509Certificate(Buffer.from(String(der), 'base64')));
  const [leaf] = chain;
  must(leaf !== undefined && !leaf.ca, 'the leaf of x5c is no authority');
  chain.forEach((certificate, index) => {
    must(!isSelfSigned(certificate), 'x5c has no trust anchor, and no certificate that signed itself');
    const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    must(from <= Date.now() && Date.now() <= to, `a certificate is valid from ${certificate.validFrom} on`);
    const issuers = chain[index + 1] === undefined ? roots : [chain[index + 1] as X509Certificate];
    const signer = issuers.find((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
    must(signer?.ca === true, 'each certificate of x5c is issued by the next, and the last by a trusted root');
  });
  return leaf;
}

export function headerOf(jwt: string): ProtectedHeaderParameters {
  must(COMPACT.test(jwt), 'a JWS has three parts of base64url without padding');
  return decodeProtectedHeader(jwt);
}

export const keyOfCertificate = (leaf: X509Certificate): Promise<CryptoKey> => importX509(leaf.toString(), 'ES256');

/** Verifies a JWT of this type by ES256, and the times in it. @returns its claims */
export async function verifyJwt(jwt: string, key: Key, typ: string): Promise<Json> {
  const header = headerOf(jwt);
  must(header.typ === typ, `the typ is ${typ}, not ${header.typ}`);
  must(header.crit === undefined && header.jku === undefined && header.x5u === undefined, 'the header is plain');
  const { payload } = await compactVerify(jwt, key, { algorithms: ['ES256'] });
  const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  must(isObject(claims), 'the payload of a JWT is a JSON object');
  const now = Math.floor(Date.now() / 1000);
  for (const name of ['iat', 'nbf'])
    if (claims[name] !== undefined) must(numberOf(claims[name], name) <= now + SKEW_SECONDS, `${name} is not ahead`);
  if (claims.exp !== undefined) must(numberOf(claims.exp, 'exp') > now, 'exp is not over');
  return claims;
}

/** Verifies a JWT by the chain in its header. */
export async function verifyJwtOfChain(jwt: string, roots: readonly X509Certificate[], typ: string): Promise<Json> {
  return verifyJwt(jwt, await keyOfCertificate(verifyChain(headerOf(jwt).x5c, roots)), typ);
}

/** Whether an issuer's address is one of the leaf's names: its URI or its host. */
export function isNamedBy(leaf: X509Certificate, iss: string): boolean {
  const names = (leaf.subjectAltName ?? '').split(/, /).map((name) => name.replace(/^"|"$/g, ''));
  const { hostname } = new URL(textOf(iss, 'iss'));
  return [`URI:${iss}`, `DNS:${hostname}`, `IP Address:${hostname}`].some((name) => names.includes(name));
}
