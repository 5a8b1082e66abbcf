// Certificate chains that operators upload (RFC 5280): read from PEM, and checked.
import { createPublicKey, X509Certificate } from 'node:crypto';
import type { JWK } from 'jose';
import { badInput } from '../base/errors.js';
import { maySign } from './x509.js';

/** The most certificates of a chain. */
export const MAX_CHAIN = 4;
const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** What is stored of a chain: its certificates as DER in base64, and facts of the first one. */
export interface ReadChain {
  chain: string[];
  subject: string;
  notBefore: Date;
  notAfter: Date;
  sha256: string;
}

/**
 * Reads a chain: the certificate of a key, then that of its issuer, and so on; without the root, which verifiers have.
 * @param pem up to 4 certificates in PEM
 * @param publicJwk the key that the first certificate must be for
 * @throws DomainError BAD_USER_INPUT (chain)
 */
export async function readChain(pem: string, publicJwk: JWK, now: Date): Promise<ReadChain> {
  const certificates = parse(pem);
  const [first] = certificates;
  if (first === undefined) throw refused('must have at least one certificate in PEM');
  if (certificates.length > MAX_CHAIN) throw refused(`must have at most ${MAX_CHAIN} certificates`);
  if (!first.publicKey.equals(createPublicKey({ key: publicJwk, format: 'jwk' })))
    throw refused('must begin with a certificate of the current key: have the present CSR signed');
  if (first.ca) throw refused('must begin with a certificate that is not of an authority');
  if (certificates.some(isSelfSigned)) throw refused('must not have a self-signed certificate; leave the root out');
  if (!(await maySign(first))) throw refused('must begin with a certificate whose key may sign (digitalSignature)');
  for (const certificate of certificates) requireValid(certificate, now);
  for (const [index, issuer] of certificates.slice(1).entries())
    requireIssued(certificates[index] as X509Certificate, issuer, index + 1);
  return factsOf(certificates);
}

/** What is stored of certificates that have been checked. */
export function factsOf(certificates: readonly X509Certificate[]): ReadChain {
  const [first] = certificates;
  if (first === undefined) throw new Error('a chain has at least one certificate');
  return {
    chain: certificates.map(({ raw }) => raw.toString('base64')),
    subject: first.subject.replaceAll('\n', ', '),
    notBefore: new Date(first.validFrom),
    notAfter: new Date(first.validTo),
    sha256: first.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

const refused = (why: string): Error => badInput(`"chain" ${why}.`, 'chain');

function parse(pem: string): X509Certificate[] {
  const blocks = pem.match(BLOCK) ?? [];
  if (pem.replaceAll(BLOCK, '').trim() !== '') throw refused('must have certificates in PEM and nothing else');
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw refused(`has a certificate that cannot be read, number ${index + 1}`);
    }
  });
}

const isSelfSigned = (one: X509Certificate): boolean => one.checkIssued(one) && one.verify(one.publicKey);

function requireValid({ validFrom, validTo }: X509Certificate, now: Date): void {
  if (new Date(validFrom) > now) throw refused(`has a certificate that is valid only from ${iso(validFrom)}`);
  if (new Date(validTo) <= now) throw refused(`has a certificate that expired at ${iso(validTo)}`);
}

function requireIssued(certificate: X509Certificate, issuer: X509Certificate, number: number): void {
  const isIssued = issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (!isIssued) throw refused(`must be in order: certificate ${number} was not signed by certificate ${number + 1}`);
}

const iso = (date: string): string => new Date(date).toISOString();
