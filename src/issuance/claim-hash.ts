// The claim that a `coreClaimHash` is computed from (contract §5). It is salted, so the hash reveals nothing, and canonical, so its owner can check
// the hash.
import { createHash, randomBytes } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Everything that the hash covers. Only the holder's ciphertext contains the claim. */
export interface CoreClaim {
  v: 1;
  issuerDid: string;
  holderDid: string;
  credentialId: string;
  schemaId: string;
  credentialSubject: Record<string, unknown>;
  /** ISO 8601 UTC, or null. */
  expiresAt: string | null;
  revocationNonce: string;
  /** 128 random bits, hex. */
  salt: string;
}

/** SHA-256 over the claim's canonical JSON (RFC 8785), 64 hex digits. */
export function coreClaimHash(claim: CoreClaim): string {
  return createHash('sha256')
    .update(canonicalize(claim) ?? '')
    .digest('hex');
}

/** 128 random bits, hex. */
export function newSalt(): string {
  return randomBytes(16).toString('hex');
}

/** A random nonce of 63 bits, decimal. */
export function newNonce(): string {
  return (randomBytes(8).readBigUInt64BE() >> 1n).toString();
}
