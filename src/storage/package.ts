// A ciphertext package as partners send it and as receipts prove it: one canonical form, one hash.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { checkEnvelope, type Envelope } from '../keys/envelope.js';
import type { ProofType, StoredCredentialRow } from './models.js';

/** What is stored for a holder, checked at the edge. */
export interface CredentialPackage extends Envelope {
  holderDid: string;
  proofType: ProofType;
  schemaId: string;
  expiresAt: Date | null;
}

/** The ciphertext's parts as bytes. @throws DomainError BAD_USER_INPUT naming the part that does not fit (contract §4.3). */
export function packageBytes(
  envelope: Envelope,
): Pick<StoredCredentialRow, 'data' | 'iv' | 'authTag' | 'encryptedKey'> {
  const { data, iv, authTag } = checkEnvelope(envelope);
  return { data, iv, authTag, encryptedKey: Buffer.from(envelope.encryptedKey, 'base64') };
}

/** SHA-256, hex, over the RFC 8785 form of the package: the receipt's proof, and how a repeated body is known. */
export function packageHash(from: CredentialPackage): string {
  const { holderDid, proofType, schemaId, expiresAt, data, iv, authTag, encryptedKey } = from;
  const stated = {
    holderDid,
    proofType,
    schemaId,
    expiresAt: expiresAt?.toISOString() ?? null,
    data,
    iv,
    authTag,
    encryptedKey,
  };
  return createHash('sha256')
    .update(canonicalize(stated) ?? '')
    .digest('hex');
}

/** The package's address in answers. */
export function storagePath(id: string): string {
  return `dstorage://vc/${id}`;
}
