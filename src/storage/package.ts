// A ciphertext package as partners send it and as receipts prove it: one canonical form, one hash.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Envelope } from '../keys/envelope.js';
import type { ProofType } from '../keys/proof-types.js';
import type { StoredClaim } from './request.js';

/** What is stored for a holder, checked at the edge. */
export interface CredentialPackage extends Envelope {
  holderDid: string;
  proofType: ProofType;
  schemaId: string;
  expiresAt: Date | null;
  /** Of a credential that its issuer signed and that shall have a status here. */
  claim?: StoredClaim | undefined;
}

/** SHA-256, hex, over the RFC 8785 form of the package: the receipt's proof, and how a repeated body is known. */
export function packageHash(from: CredentialPackage): string {
  const { holderDid, proofType, schemaId, expiresAt, data, iv, authTag, encryptedKey, claim } = from;
  const stated = {
    holderDid,
    proofType,
    schemaId,
    expiresAt: expiresAt?.toISOString() ?? null,
    data,
    iv,
    authTag,
    encryptedKey,
    ...(claim && { claim }),
  };
  return createHash('sha256')
    .update(canonicalize(stated) ?? '')
    .digest('hex');
}

/** The package's address in responses. */
export function storagePath(id: string): string {
  return `dstorage://vc/${id}`;
}
