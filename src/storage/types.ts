// Stored packages as their partner and their holder see them (contract §4.3–§4.5), and how they are made from rows.
import { z } from 'zod';
import { base64, hash, record, shownAs, time, timeText, uuid } from '../base/record.js';
import type { StoredCredentialRow } from './models.js';
import { storagePath } from './package-hash.js';

const address = z.string().describe('Its address: dstorage://vc/<id>.');
const facts = {
  state: shownAs('String', z.enum(['STORED'])).describe('Always STORED.'),
  envelopeVersion: shownAs('String', z.enum(['1'])).describe('Version of the envelope.'),
};
const receipt = z.string().describe('A JWS in which the gateway states what was stored, for whom and when.');

const metadata = {
  id: uuid.describe('Its id.'),
  storagePath: address,
  schemaId: z.string().describe('Id of the schema.'),
  proofType: z.string().describe('Its proof type.'),
  issuerDid: z.string().optional().describe('DID of the issuer, if the gateway issued it.'),
  credentialId: z.string().optional().describe('Id of the credential, if the gateway issued it.'),
  coreClaimHash: hash.optional().describe('Hash of the claim, if the gateway issued it.'),
  createdAt: time.describe('When it was stored.'),
  expiresAt: time.nullable().describe('When the credential expires; null: never.'),
};

const ciphertext = {
  data: base64.describe('The ciphertext.'),
  iv: base64.describe('Its IV.'),
  authTag: base64.describe('Its authentication tag.'),
  encryptedKey: base64.describe('The ephemeral public key, SPKI DER.'),
};
type Ciphertext = Record<keyof typeof ciphertext, string>;

/** A package for its holder. */
export const heldCredential = z.object(metadata).meta({ id: 'HeldCredential' });
export type HeldCredential = z.output<typeof heldCredential>;
export const heldCredentialWithData = heldCredential.extend(ciphertext).meta({ id: 'HeldCredentialWithData' });

/** A package for the partner that stored it. */
export const storedPackage = record(
  'StoredPackageMetadata',
  'A package that a partner stored, without its ciphertext.',
  {
    ...metadata,
    holderDid: z.string().describe('DID of the holder.'),
    externalId: z.string().optional().describe("The partner's own id for it; null if the gateway issued it."),
    ...facts,
    receipt,
  },
).meta({ id: 'StoredPackage' });
export type StoredPackage = z.output<typeof storedPackage>;
export const storedPackageWithData = storedPackage.extend(ciphertext).meta({ id: 'StoredPackageWithData' });

const storedInGraphql = record('StoredPackage', 'A stored package.', {
  storagePath: address,
  ...facts,
  createdAt: timeText.describe('When it was stored.'),
});
export const storeCredentialPayload = record('StoreCredentialPayload', 'Response of storeCredential.', {
  stored: storedInGraphql.describe('The stored package.'),
});
/** The response of REST. */
export const stored = storedInGraphql.extend({ receipt: receipt.optional() }).meta({ id: 'Stored' });
export type Stored = z.output<typeof stored>;

type WithoutCiphertext = Omit<StoredCredentialRow, keyof Ciphertext>;

/** The response to storing a package. */
export const storedOf = ({ _id, createdAt }: Pick<StoredCredentialRow, '_id' | 'createdAt'>): Stored => ({
  storagePath: storagePath(_id),
  state: 'STORED',
  envelopeVersion: '1',
  createdAt: createdAt.toISOString(),
});

/** A package for its holder. */
export function heldCredentialOf(row: WithoutCiphertext): HeldCredential {
  const { _id: id, schemaId, proofType, issuerDid, credentialId, coreClaimHash, createdAt, expiresAt } = row;
  return {
    id,
    storagePath: storagePath(id),
    schemaId,
    proofType,
    ...(issuerDid === undefined ? {} : { issuerDid }),
    ...(credentialId === undefined ? {} : { credentialId }),
    ...(coreClaimHash === undefined ? {} : { coreClaimHash }),
    createdAt,
    expiresAt,
  };
}

/** A package for the partner that stored it. */
export function storedPackageOf(row: WithoutCiphertext): StoredPackage {
  const { holderDid, externalId, receipt } = row;
  return {
    ...heldCredentialOf(row),
    holderDid,
    ...(externalId === undefined ? {} : { externalId }),
    state: 'STORED',
    envelopeVersion: '1',
    receipt,
  };
}

/** The ciphertext of a package. */
export function ciphertextOf({ data, iv, authTag, encryptedKey }: StoredCredentialRow): Ciphertext {
  const text = (bytes: Buffer | { buffer: Uint8Array }): string =>
    Buffer.from('buffer' in bytes && !Buffer.isBuffer(bytes) ? bytes.buffer : (bytes as Buffer)).toString('base64');
  return { data: text(data), iv: text(iv), authTag: text(authTag), encryptedKey: text(encryptedKey) };
}
