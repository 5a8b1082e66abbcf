// Authorities and chains of certificates for tests of others' issuers, made by @peculiar/x509.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { exportJWK } from 'jose';
import type { Key } from '../openid4vci/wallet.js';

const SIGNING = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
x509.cryptoProvider.set(webcrypto as never);

/** A certificate and its key. */
export interface Certified {
  certificate: x509.X509Certificate;
  keys: webcrypto.CryptoKeyPair;
}

/** An extension by its OID; its content is an empty sequence. */
export const extension = (oid: string, isCritical: boolean): x509.Extension =>
  new x509.Extension(oid, isCritical, new Uint8Array([0x30, 0]));

/** What a certificate says. */
export interface CertificateFacts {
  isAuthority?: boolean;
  pathLength?: number;
  /** Days until it is over; negative: it is. */
  days?: number;
  usages?: number;
  /** Beside the usual ones. */
  extensions?: x509.Extension[];
}

const { KeyUsageFlags } = x509;
let serial = 1;

/** A certificate by an issuer; without one, signed by its own key. */
export async function certify(name: string, by?: Certified, facts: CertificateFacts = {}): Promise<Certified> {
  const { isAuthority = false, pathLength, days = 100 } = facts;
  const { usages = isAuthority ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature } = facts;
  const keys = await webcrypto.subtle.generateKey(SIGNING, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: (++serial).toString(16).padStart(4, '0'),
    subject: `CN=${name}`,
    issuer: by?.certificate.subject ?? `CN=${name}`,
    notBefore: new Date(Date.now() - 200 * DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey as never,
    signingKey: (by ?? { keys }).keys.privateKey as never,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, pathLength, true),
      new x509.KeyUsagesExtension(usages, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as never),
      await x509.AuthorityKeyIdentifierExtension.create((by ?? { keys }).keys.publicKey as never),
      ...(facts.extensions ?? []),
    ],
  });
  return { certificate, keys };
}

export const authority = (name: string, by?: Certified, facts: CertificateFacts = {}): Promise<Certified> =>
  certify(name, by, { isAuthority: true, ...facts });

export const derOf = ({ certificate }: Certified): string => Buffer.from(certificate.rawData).toString('base64');
export const pemOf = ({ certificate }: Certified): string => certificate.toString('pem');

/** Its key, to sign with. */
export async function keyOf({ keys }: Certified): Promise<Key> {
  const { kty, crv, x, y } = await exportJWK(keys.publicKey as never);
  return { privateKey: keys.privateKey, jwk: { kty, crv, x, y } as Key['jwk'] };
}
