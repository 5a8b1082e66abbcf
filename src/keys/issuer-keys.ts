// Key functions for writes to the catalog: a managed issuer's DID, the sealing of an issuer's API key, and the check of BBS keys.
import type { ClientSession } from 'mongoose';
import type { ManagedIssuers } from './managed-issuers.js';
import type { SealedBox } from './sealed-box.js';
import type { ZkKeys } from './zk/keys.js';

/** The key functions that writing an issuer uses. */
export interface ManagedIssuerKeys {
  /** Creates a managed issuer's key in the transaction if it has none; returns its DID. */
  create(issuerId: string, session: ClientSession): Promise<{ issuerDid: string }>;
  /** Seals an API key for storage. */
  sealApiKey(issuerId: string, apiKey: string): string;
  /**
   * Whether texts are BBS public keys: points of the subgroup, and not the identity. Undefined where proofs are off.
   * @throws DomainError VERIFIER_BUSY
   */
  areZkKeys(multibases: readonly string[]): Promise<boolean[] | undefined>;
}

/** These functions, backed by the services. */
export function issuerKeys(managedIssuers: ManagedIssuers, zkKeys: ZkKeys, box: SealedBox): ManagedIssuerKeys {
  return {
    create: (issuerId, session) => managedIssuers.create(issuerId, session),
    sealApiKey: (issuerId, apiKey) => box.seal(apiKey, { what: 'api-key', whose: issuerId }),
    areZkKeys: (multibases) => zkKeys.areKeys(multibases),
  };
}
