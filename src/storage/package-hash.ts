// The canonical form of a ciphertext package, and its hash, which receipts contain.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Envelope } from '../keys/holder-encryption.js';
import type { ProofType } from '../keys/proof-types.js';
import type { StoredClaim } from './inputs.js';

/** A package for a holder, already checked. */
export interface CredentialPackage extends Envelope {
  holderDid: string;
  proofType: ProofType;
  schemaId: string;
  expiresAt: Date | null;
  /** Only for a credential that its issuer signed and whose status the gateway serves. */
  claim?: StoredClaim | undefined;
}

/** SHA-256, hex, over the RFC 8785 form of the package. Receipts contain it, and it identifies a repeated request. */
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
