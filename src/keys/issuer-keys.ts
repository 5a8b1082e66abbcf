// Keys for the catalog's writes: a managed issuer's DID, and the sealing of an issuer's API key.
import type { ClientSession } from 'mongoose';
import type { ManagedIssuers } from './managed-issuers.service.js';
import type { SealedBox } from './sealed-box.js';

/** What writing an issuer needs from the key store. */
export interface IssuerKeys {
  /** Creates a managed issuer's key in the transaction if it has none; returns its DID. */
  create(issuerId: string, session: ClientSession): Promise<{ issuerDid: string }>;
  /** Seals an API key for storage. */
  sealApiKey(issuerId: string, apiKey: string): string;
}

/** Issuer keys from these services. */
export function issuerKeys(managedIssuers: ManagedIssuers, box: SealedBox): IssuerKeys {
  return {
    create: (issuerId, session) => managedIssuers.create(issuerId, session),
    sealApiKey: (issuerId, apiKey) => box.seal(apiKey, { what: 'api-key', whose: issuerId }),
  };
}
