// Stored credentials in responses: always the metadata, and the ciphertext on request (contract §4.3–§4.5).
import type { StoredCredentialRow } from './models.js';
import { storagePath } from './package-hash.js';

/** An entry of the holder's list. */
export function storedMetadata(row: Omit<StoredCredentialRow, 'data' | 'iv' | 'authTag' | 'encryptedKey'>) {
  return {
    id: row._id,
    storagePath: storagePath(row._id),
    schemaId: row.schemaId,
    proofType: row.proofType,
    ...(row.issuerDid === undefined ? {} : { issuerDid: row.issuerDid }),
    ...(row.credentialId === undefined ? {} : { credentialId: row.credentialId }),
    ...(row.coreClaimHash === undefined ? {} : { coreClaimHash: row.coreClaimHash }),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

/** The ciphertext, its parts base64. */
export function storedCiphertext(row: StoredCredentialRow) {
  const base64 = (bytes: Buffer | { buffer: Uint8Array }): string =>
    Buffer.from('buffer' in bytes && !Buffer.isBuffer(bytes) ? bytes.buffer : (bytes as Buffer)).toString('base64');
  return {
    data: base64(row.data),
    iv: base64(row.iv),
    authTag: base64(row.authTag),
    encryptedKey: base64(row.encryptedKey),
  };
}

/** The view of the partner that stored it, without the ciphertext. */
export function storedForPartner(row: Omit<StoredCredentialRow, 'data' | 'iv' | 'authTag' | 'encryptedKey'>) {
  const { holderDid, externalId, receipt } = row;
  return {
    ...storedMetadata(row),
    holderDid,
    ...(externalId === undefined ? {} : { externalId }),
    state: 'STORED',
    envelopeVersion: '1',
    receipt,
  };
}

export type StoredMetadata = ReturnType<typeof storedForPartner>;
