// Issuances as clients see them: results, the public status, lists, and offers of issuers (contract §4 to §7); and how they are made from rows.
import { z } from 'zod';
import { base64, choice, hash, record, shownAs, time, uuid } from '../base/record.js';
import { anchorInfo } from '../chain/types.js';
import type { IssuanceRow } from './models.js';

export const vcStatus = z.enum(['WAIT_ONCHAIN', 'ONCHAIN', 'WAIT_REMOVE', 'REMOVE', 'EXPIRE']).meta({ id: 'VcStatus' });
export type VcStatus = z.output<typeof vcStatus>;

export const onDuplicate = choice('OnDuplicate', 'What to do when the holder has a live credential of this kind.', {
  ignore: 'Return the existing one.',
  revoke: 'Revoke it and issue a new one, in one transaction.',
});

/** Members of several records of issuance. */
export const members = {
  coreClaimHash: hash.describe('Hash of the claim.'),
  credentialId: z.string().describe('Id of the credential.'),
  schemaId: z.string().describe('Id of the schema.'),
  issuerId: z.string().describe('Id of the issuer.'),
  issuerDid: z.string().describe('DID of the issuer.'),
  holderDid: z.string().describe('DID of the holder.'),
  revocationNonce: z.string().describe('Revocation nonce, decimal.'),
  vcStatus: shownAs('String', vcStatus.describe('WAIT_ONCHAIN, ONCHAIN, WAIT_REMOVE, REMOVE or EXPIRE.')),
};
const issuedAt = time.describe('When it was issued.');
const expiresAt = time.nullable().describe('When it expires; null: never.');
const revokedAt = time.nullable().describe('When it was revoked.');

export const issuedCredential = record('IssuedCredential', 'The result of issuing.', {
  coreClaimHash: hash.describe('Hash of the claim, 64 hex digits.'),
  credentialId: members.credentialId,
  userUuid: z.guid().describe('userId of the holder.'),
}).meta({ id: 'Issued' });
export type IssuedCredential = z.output<typeof issuedCredential>;

export const issueOnBehalfPayload = record('IssueOnBehalfPayload', 'Response of issueOnBehalf.', {
  issuance: issuedCredential.describe('The issued credential.'),
});

export const revokeCredentialPayload = record('RevokeCredentialPayload', 'Response of revokeCredential.', {
  revokedAt: time.describe('When it was first revoked.'),
});
export type Revoked = z.output<typeof revokeCredentialPayload>;

/** The status in GraphQL. */
export const credentialStatus = record('CredentialStatus', 'The public status of an issuance (contract §5).', {
  coreClaimHash: members.coreClaimHash,
  issuanceDate: issuedAt,
  expirationDate: expiresAt,
  issuerDid: members.issuerDid,
  issuerId: members.issuerId,
  schemeId: members.schemaId,
  vcId: z.string().describe('Id of the issuance.'),
  vcDstorageId: z
    .string()
    .nullable()
    .describe('Id of the stored package; null for a credential that its issuer gave to a wallet.'),
  vcStatus: members.vcStatus,
  anchor: anchorInfo.nullable().describe('The anchor of the claim on the chain; null until it is confirmed.'),
  removal: anchorInfo.nullable().describe('The anchor of its removal; null until it is confirmed.'),
});
export type CredentialStatus = z.output<typeof credentialStatus>;

/** "YYYY-MM-DD HH:mm:ss" UTC. */
const dateText = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
/** The status in REST. */
export const statusWithDates = credentialStatus
  .extend({
    issuanceDate: dateText.describe('When it was issued, in UTC.'),
    expirationDate: dateText.nullable().describe('When it expires, in UTC; null: never.'),
  })
  .meta({ id: 'CredentialStatus' });

export const issuance = record('Issuance', 'An issuance, for its partner, its holder and the operator.', {
  id: uuid.describe('Its id: `vcId` of the status.'),
  coreClaimHash: members.coreClaimHash,
  credentialId: members.credentialId,
  schemaId: members.schemaId,
  issuerDid: members.issuerDid,
  holderDid: members.holderDid,
  revocationNonce: members.revocationNonce,
  createdAt: issuedAt,
  expiresAt,
  revokedAt,
  vcStatus: members.vcStatus,
}).meta({ id: 'RevocableIssuance' });
export type Issuance = z.output<typeof issuance>;

/** The operator's history. */
export const issuanceRecord = z
  .object({
    holderDid: members.holderDid,
    schemaId: members.schemaId,
    revocationNonce: members.revocationNonce,
    createdAt: issuedAt,
    expiresAt,
    revokedAt,
    type: z.enum(['ON_BEHALF', 'BATCH', 'DIRECT']).describe('How it was issued.'),
  })
  .meta({ id: 'IssuanceRecord' });
export type IssuanceRecord = z.output<typeof issuanceRecord>;

const encryptedPreview = record(
  'EncryptedPreview',
  'A preview of a credential, encrypted to the holder (contract §6); all parts base64.',
  {
    encryptedData: base64.describe('Ciphertext.'),
    iv: base64.describe('IV.'),
    authTag: base64.describe('Tag.'),
    dataEncPublicKey: base64.describe('Ephemeral public key.'),
  },
);

const availableCredential = record('AvailableCredential', 'A credential that an issuer offers to the holder.', {
  issuerId: members.issuerId,
  schemaId: members.schemaId,
  proofType: z.string().nullable().describe('Its proof type.'),
  credentialSubject: encryptedPreview.describe('Its content, encrypted to the holder.'),
});
export type AvailableCredential = z.output<typeof availableCredential>;

export const availableCredentials = record('AvailableCredentials', 'Credentials that issuers offer to the holder.', {
  items: z.array(availableCredential).describe('The offered credentials.'),
  unavailable: z.array(z.string()).describe('Ids of issuers that did not respond.'),
}).meta({ id: 'AvailableCredentials' });
export type AvailableCredentials = z.output<typeof availableCredentials>;

/** A signed credential inside of a JSON-LD object. */
export const envelopedCredential = z
  .object({
    '@context': z.string(),
    id: z.string().describe('`data:application/vc+jwt,` and the signed credential.'),
    type: z.literal('EnvelopedVerifiableCredential'),
  })
  .meta({ id: 'EnvelopedCredential' });
export type EnvelopedCredential = z.output<typeof envelopedCredential>;

type StateOf = Pick<IssuanceRow, 'revokedAt' | 'removedAt' | 'anchoredAt' | 'anchorBatch' | 'expiresAt'>;

/**
 * The status of an issuance, computed from its row (contract §19). A claim that is revoked before it is in a batch is
 * never put on the chain.
 */
export function vcStatusOf({ revokedAt, removedAt, anchoredAt, anchorBatch, expiresAt }: StateOf, now: Date): VcStatus {
  const isBatched = anchorBatch !== undefined || anchoredAt !== null;
  if (revokedAt !== null) return isBatched && removedAt === null ? 'WAIT_REMOVE' : 'REMOVE';
  if (expiresAt !== null && expiresAt <= now) return 'EXPIRE';
  return anchoredAt === null ? 'WAIT_ONCHAIN' : 'ONCHAIN';
}

/** The result of an issuance. */
export const issuedOf = ({ coreClaimHash, credentialId, holderId }: IssuanceRow): IssuedCredential => ({
  coreClaimHash,
  credentialId,
  userUuid: holderId,
});

/** The public status of an issuance with its anchors. */
export function statusOf(
  row: IssuanceRow,
  { anchor, removal }: Pick<CredentialStatus, 'anchor' | 'removal'>,
  now: Date,
): CredentialStatus {
  const { coreClaimHash, issuerDid, issuerId } = row;
  return {
    coreClaimHash,
    issuanceDate: row.createdAt,
    expirationDate: row.expiresAt,
    issuerDid,
    issuerId,
    schemeId: row.schemaId,
    vcId: row._id,
    vcDstorageId: row.storedId,
    vcStatus: vcStatusOf(row, now),
    anchor,
    removal,
  };
}

/** The status as REST shows it. */
export function withDates({
  issuanceDate,
  expirationDate,
  ...rest
}: CredentialStatus): z.output<typeof statusWithDates> {
  const { coreClaimHash, ...others } = rest;
  const dates = { issuanceDate: textOf(issuanceDate), expirationDate: expirationDate && textOf(expirationDate) };
  return { coreClaimHash, ...dates, ...others };
}

const textOf = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');

/** An issuance for its partner, its holder and the operator. */
export function issuanceOf(row: IssuanceRow, now: Date): Issuance {
  const { _id: id, coreClaimHash, credentialId, schemaId, issuerDid, holderDid } = row;
  const { revocationNonce, createdAt, expiresAt, revokedAt } = row;
  const claim = { coreClaimHash, credentialId, schemaId, issuerDid, holderDid, revocationNonce };
  return { id, ...claim, createdAt, expiresAt, revokedAt, vcStatus: vcStatusOf(row, now) };
}

/** An issuance in the operator's history. */
export function issuanceRecordOf(row: IssuanceRow): IssuanceRecord {
  const { holderDid, schemaId, revocationNonce, createdAt, expiresAt, revokedAt } = row;
  return { holderDid, schemaId, revocationNonce, createdAt, expiresAt, revokedAt, type: typeOf(row) };
}

/** The way that a credential was issued. */
function typeOf({ direct, jobId }: IssuanceRow): IssuanceRecord['type'] {
  if (direct) return 'DIRECT';
  return jobId === undefined ? 'ON_BEHALF' : 'BATCH';
}
