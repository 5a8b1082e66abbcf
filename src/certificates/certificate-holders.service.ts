// The holders of certificates: managed issuers and verifiers.
import type { IssuerRow, VerifierRow } from '../catalog/rows/models.js';
import type { CertificateHolder } from './certificates.service.js';

/** The identifier of a managed issuer for wallets: its `iss`, and an alternative name of its certificate. */
export const walletIssuer = (publicUrl: string, issuerId: string): string =>
  `${publicUrl}/oid4vci/${encodeURIComponent(issuerId)}`;

export const issuerHolder = ({ _id, name }: Pick<IssuerRow, '_id' | 'name'>, publicUrl: string): CertificateHolder => ({
  owner: `issuer:${_id}`,
  subject: { name, address: walletIssuer(publicUrl, _id) },
});

export const verifierHolder = (
  { _id, name }: Pick<VerifierRow, '_id' | 'name'>,
  publicUrl: string,
): CertificateHolder => ({
  owner: `verifier:${_id}`,
  subject: { name, address: publicUrl },
});
