// Chains of certificates that come with signatures of others (`x5c`, RFC 7515 §4.1.6): which key they certify, under the
// anchors of a catalog issuer (contract §37). No revocation lists are read.
import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { MAX_CHAIN } from './chain.js';
import { authorityFacts, hasUnknownCritical, maySign } from './x509.js';

/**
 * The key that a chain certifies; undefined if it does not: more than four certificates, one that cannot be read, is
 * self-signed, not valid now, or has an unknown critical extension, one that the next did not issue, or a last one that no anchor issued.
 * @param anchors certificates of authorities, PEM
 */
export async function trustedKey(
  x5c: readonly unknown[],
  anchors: readonly string[],
  now: Date,
): Promise<KeyObject | undefined> {
  const chain = x5c.length <= MAX_CHAIN ? x5c.map(certificateOf) : [];
  const [first] = chain;
  if (first === undefined || first.ca || !(await maySign(first))) return undefined;
  const known = chain.filter((one) => one !== undefined);
  if (known.length < chain.length || known.some((one) => isSelfSigned(one) || !isValid(one, now))) return undefined;
  if ((await Promise.all(known.map(hasUnknownCritical))).includes(true)) return undefined;
  for (const [at, certificate] of known.entries()) {
    const next = known[at + 1];
    const issuers = next ? [next] : anchors.map((pem) => new X509Certificate(pem)).filter((one) => isValid(one, now));
    const isIssued = await Promise.all(issuers.map((issuer) => hasIssued(issuer, certificate, at)));
    if (!isIssued.includes(true)) return undefined;
  }
  return first.publicKey;
}

/** The key identifier of an authority (RFC 5280 §4.2.1.2), base64url: what its certificates name as their authority's. */
export async function keyIdentifier(pem: string): Promise<string> {
  const certificate = new X509Certificate(pem);
  const { keyId } = await authorityFacts(certificate);
  const own = keyId ?? createHash('sha1').update(keyBitsOf(certificate.publicKey)).digest();
  return own.toString('base64url');
}

/** The bits of a public key without their algorithm: of the usual identifier, if a certificate does not say its own. */
function keyBitsOf(publicKey: KeyObject): Buffer {
  if (publicKey.asymmetricKeyType !== 'ec') return publicKey.export({ type: 'pkcs1', format: 'der' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}

function certificateOf(text: unknown): X509Certificate | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}

const isSelfSigned = (one: X509Certificate): boolean => one.checkIssued(one) && one.verify(one.publicKey);

const isValid = ({ validFrom, validTo }: X509Certificate, now: Date): boolean =>
  new Date(validFrom) <= now && new Date(validTo) > now;

/** @param between how many authorities there are between the issuer and the first certificate */
async function hasIssued(issuer: X509Certificate, certificate: X509Certificate, between: number): Promise<boolean> {
  if (!issuer.ca || !certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return false;
  const { pathLength } = await authorityFacts(issuer);
  return pathLength === undefined || between <= pathLength;
}
