// Creates requests for certificates (PKCS#10), and the sandbox's authority with the certificates that it signs.
import 'reflect-metadata';
import { randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import type * as x509 from '@peculiar/x509';

const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const ROOT_DAYS = 3_650;
const LEAF_DAYS = 365;
/** How long before now certificates become valid, milliseconds: clocks of verifiers may be slow. */
const EARLIER_MS = 3_600_000;
/** The longest common name (RFC 5280, appendix A). */
const MAX_NAME = 64;

/** Whom a certificate is for. */
export interface CertificateSubject {
  name: string;
  /** Its address on the web. The certificate has the address and its host as alternative names. */
  address: string;
}

type Library = typeof x509;
/** Loads the library when it is first needed, because it is large. */
const load = (): Promise<Library> => import('@peculiar/x509');

/** A certificate signing request (PKCS#10) in PEM. */
export async function certificateRequest(subject: CertificateSubject, keys: webcrypto.CryptoKeyPair): Promise<string> {
  const library = await load();
  const request = await library.Pkcs10CertificateRequestGenerator.create(
    {
      name: nameOf(library, subject.name),
      keys,
      signingAlgorithm: SIGNING,
      extensions: [alternativeNames(library, subject), digitalSignature(library)],
    },
    webcrypto as never,
  );
  return `${request.toString('pem')}\n`;
}

/** Creates the root certificate of an authority. */
export async function rootCertificate(
  name: string,
  keys: webcrypto.CryptoKeyPair,
  now: Date,
): Promise<X509Certificate> {
  const library = await load();
  const { KeyUsageFlags } = library;
  const root = await library.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serialNumber(),
      name: nameOf(library, name),
      ...during(now, ROOT_DAYS),
      keys,
      signingAlgorithm: SIGNING,
      extensions: [
        new library.BasicConstraintsExtension(true, 0, true),
        new library.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await library.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto as never),
      ],
    },
    webcrypto as never,
  );
  return new X509Certificate(Buffer.from(root.rawData));
}

/** An authority: its root certificate, and the keys of that certificate. */
export interface Authority {
  root: X509Certificate;
  keys: webcrypto.CryptoKeyPair;
}

/** Creates a certificate that an authority signs, for a year. */
export async function signedCertificate(
  { root, keys }: Authority,
  subject: CertificateSubject,
  publicKey: webcrypto.CryptoKey,
  now: Date,
): Promise<X509Certificate> {
  const library = await load();
  const certificate = await library.X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(),
      subject: nameOf(library, subject.name),
      issuer: new library.X509Certificate(root.raw).subjectName,
      ...during(now, LEAF_DAYS),
      publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: SIGNING,
      extensions: [
        new library.BasicConstraintsExtension(false, undefined, true),
        digitalSignature(library),
        alternativeNames(library, subject),
        await library.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto as never),
        await library.AuthorityKeyIdentifierExtension.create(keys.publicKey, false, webcrypto as never),
      ],
    },
    webcrypto as never,
  );
  return new X509Certificate(Buffer.from(certificate.rawData));
}

/** Whether a certificate allows its key to sign: it names no usage, or this one. */
export async function maySign(certificate: X509Certificate): Promise<boolean> {
  const library = await load();
  const usages = new library.X509Certificate(certificate.raw).getExtension(library.KeyUsagesExtension);
  return usages === null || (usages.usages & library.KeyUsageFlags.digitalSignature) !== 0;
}

/**
 * Extensions that this code heeds, and those that change nothing here: subjectAltName, certificatePolicies and extKeyUsage do not say whether a
 * chain is one.
 */
const HEEDED: ReadonlySet<string> = new Set(['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.32', '2.5.29.37']);

/** Whether a certificate has a critical extension that is not heeded, such as name constraints: then it does not count (RFC 5280 §4.2). */
export async function hasUnknownCritical(certificate: X509Certificate): Promise<boolean> {
  const library = await load();
  const { extensions } = new library.X509Certificate(certificate.raw);
  return extensions.some(({ critical, type }) => critical && !HEEDED.has(type));
}

/** What an authority's certificate says of its key and of the chains under it. */
export async function authorityFacts(
  certificate: X509Certificate,
): Promise<{ keyId: Buffer | undefined; pathLength: number | undefined }> {
  const library = await load();
  const parsed = new library.X509Certificate(certificate.raw);
  const keyId = parsed.getExtension(library.SubjectKeyIdentifierExtension)?.keyId;
  return {
    keyId: keyId === undefined ? undefined : Buffer.from(keyId, 'hex'),
    pathLength: parsed.getExtension(library.BasicConstraintsExtension)?.pathLength,
  };
}

/** Typed, because the library takes plain text after `#` for hexadecimal digits; cut between characters. */
const nameOf = ({ Name }: Library, name: string): x509.Name =>
  new Name([{ CN: [{ utf8String: [...name].slice(0, MAX_NAME).join('') }] }]);

const during = (now: Date, days: number) => ({
  notBefore: new Date(now.getTime() - EARLIER_MS),
  notAfter: new Date(now.getTime() + days * DAY_MS),
});

/** 16 random bytes; the first bit is 0, because serial numbers are positive. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

const digitalSignature = ({ KeyUsageFlags, KeyUsagesExtension }: Library) =>
  new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true);

function alternativeNames(library: Library, { address }: CertificateSubject) {
  const { hostname } = new URL(address);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const host = isAddress
    ? { type: 'ip' as const, value: hostname.replace(/[[\]]/g, '') }
    : { type: 'dns' as const, value: hostname };
  return new library.SubjectAlternativeNameExtension([host, { type: 'url', value: address }]);
}
