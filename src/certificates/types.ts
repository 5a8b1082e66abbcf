// Certificates as operators see and send them.
import { z } from 'zod';
import { catalogId, hash, input, record, time } from '../base/record.js';

export const certificate = record('Certificate', 'The certificate of a signing key.', {
  subject: z.string().describe('Distinguished name of its subject.'),
  notBefore: time.describe('It is valid from then on.'),
  notAfter: time.describe('It is valid until then.'),
  sha256: hash.describe('SHA-256 of the certificate (DER).'),
}).meta({ id: 'Certificate' });
export type Certificate = z.output<typeof certificate>;

/** The id of the issuer or verifier whose certificate it is. */
export const certificateParams = z.object({ id: catalogId });
export type CertificateParams = z.output<typeof certificateParams>;

/** The most characters of a chain: enough for four certificates with large keys. */
const MAX_PEM = 32_768;

export const putCertificateInput = input('PutCertificateInput', 'The certificate of a signing key.', {
  chain: z
    .string()
    .min(1)
    .max(MAX_PEM)
    .describe(
      'Certificates in PEM: that of the newest key, then those of its authorities, without the root; at most 4.',
    ),
});

export const rotatedKey = record('RotatedKey', 'The newest key of an issuer or a verifier.', {
  kid: z.string().describe('Its id: the thumbprint of RFC 7638.'),
}).meta({ id: 'RotatedKey' });
