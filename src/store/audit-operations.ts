// The audited operations: every write of an operator or a partner, the members of its subject that the audit log may show, and those that
// refer to a holder. Other members are never copied, so the log contains no secrets, plaintexts, tokens or e-mail addresses.

const ENTRY = ['live', 'etag'] as const;

/** The members of an operation whose entries refer to a holder; nested ones with dots, `subject` is the entry's own. Each is in one list alone. */
interface HolderRow {
  /** Contain a userId, DID or address. If one of them names a holder, the entry belongs to that holder. */
  names: readonly string[];
  /** Identify the holder as well, such as names chosen by partners. */
  also?: readonly string[];
  /** Named a holder in entries of earlier versions, and are shown no more. */
  formerly?: readonly string[];
  /** The other members. */
  shows: readonly string[];
}

/** The one table: what the log shows of an operation, and what an erasure empties, follow from it. A list: members of an operation without a holder. */
const OPERATIONS = {
  'partner.put': [
    ...['name', 'jwksUri', 'jwks', 'scopes', 'issuerDids', 'issueOnBehalf', 'verifierIds', 'allowedOrigins'],
    ...['requireTyp', 'requireScope', 'gasPolicy', ...ENTRY],
  ],
  'partner.retire': ['name', ...ENTRY],
  'issuer.put': [
    ...['name', 'issuerDid', 'managed', 'issuerFrom', 'availableVcUrl', 'issueVcUrl', 'apiKey', 'zkKeys'],
    ...['anchors', 'walletIssuer', 'wallets', 'subjectUrl', 'credentialUrl'],
    ...['importedTraction', 'createdAt', ...ENTRY],
  ],
  'issuer.retire': ['name', ...ENTRY],
  'issuer.certificate': ['subject', 'notBefore', 'notAfter', 'sha256'],
  'issuer.rotate-key': ['kid'],
  'verifier.put': ['name', 'verifierDid', 'verifierInfo', 'createdAt', ...ENTRY],
  'verifier.retire': ['name', ...ENTRY],
  'verifier.certificate': ['subject', 'notBefore', 'notAfter', 'sha256'],
  'verifier.rotate-key': ['kid'],
  'schema.put': ['title', 'description', 'dataPoints', 'version', 'contentHash', 'createdAt', ...ENTRY],
  'schema.retire': ['title', ...ENTRY],
  'credential.put': [
    ...['name', 'category', 'issuerId', 'schemaId', 'schemaVersion', 'accessibleStart', 'accessibleEnd'],
    ...['expirationDuration', 'maximumIssuance', 'provable', 'cak', 'vct', 'derived', 'traction.base'],
    ...['createdAt', ...ENTRY],
  ],
  'credential.retire': ['name', ...ENTRY],
  'program.put': [
    ...['name', 'description', 'verifierId', 'acceptedCredentials', 'pricingModel', 'maxPerHolder', 'cak'],
    ...['disclose', 'traction.base', 'createdAt', ...ENTRY],
  ],
  'program.retire': ['name', ...ENTRY],
  'issuance.issue': {
    names: ['holderId'],
    shows: [
      ...['issuerDid', 'credentialId', 'schemaId', 'schemaVersion', 'storedId', 'expiresAt'],
      ...['revocationNonce', 'replaced'],
    ],
  },
  'offer.create': {
    names: ['holderId'],
    shows: ['issuerDid', 'credentialId', 'onDuplicate', 'credentialExpiresAt', 'txCode', 'expiresAt'],
  },
  'offer.withdraw': ['credentialId', 'state', 'reason'],
  'issuance.revoke': ['credentialId', 'partnerId', 'revokedAt'],
  'revocation.start': {
    names: ['filter.userId', 'filter.holderDid'],
    shows: ['filter', 'count', 'initialMatches', 'previewedAt', 'state'],
  },
  'batch.create': ['issuerDid', 'credentialId', 'onDuplicate', 'dryRun', 'total', 'state'],
  'batch.retry': ['state'],
  'batch.cancel': ['state'],
  'package.store': {
    names: ['holderId'],
    also: ['externalId'],
    shows: ['schemaId', 'proofType', 'expiresAt', 'packageHash'],
  },
  'package.delete': {
    names: ['holderId'],
    also: ['externalId'],
    shows: ['schemaId', 'proofType', 'expiresAt', 'packageHash'],
  },
  'holder.create': { names: ['subject', 'did'], also: ['publicKey'], shows: [] },
  'holder.key': { names: ['subject', 'did'], also: ['publicKey'], shows: [] },
  'holder.name': { names: ['subject'], shows: ['partnerId'] },
  'holder.reset-mfa': { names: ['subject'], shows: ['passkeyCount', 'hadKeyBackup'] },
  'holder.erase': [],
  'audit.erase': ['entries'],
  'core-id.claim': { names: ['holderId'], also: ['subject', 'name'], shows: ['chainId', 'jobId'] },
  'core-id.record': { names: ['subject'], also: ['id', 'name', 'node', 'imageUrl'], shows: ['status', 'chainId'] },
  'chain-job.retry': ['kind', 'state'],
  'chain-job.give-up': ['kind', 'state', 'givenUp'],
  // The holder is shown in entries of earlier versions alone: it is removed from the record when it closes (contract §16), and audit entries do not
  // expire.
  'verification.start': {
    names: [],
    formerly: ['holderId'],
    shows: ['programId', 'programVersion', 'wallet', 'expiresAt'],
  },
  'verification.wallet-answer': ['programId', 'state', 'status', 'reason', 'credentialId'],
  'webhook.register': ['origin', 'types', 'description', 'state'],
  'webhook.rotate': ['origin', 'types', 'state', 'previousUntil'],
  'webhook.delete': ['origin', 'types', 'state'],
  'webhook.test': ['webhookId', 'state'],
  'webhook.redeliver': ['webhookId', 'state'],
  'webhook.pause': ['origin', 'state', 'pausedAt'],
  'webhook.resume': ['origin', 'state', 'pausedAt'],
  'operator-key.create': ['role'],
  'operator-key.rotate': ['role', 'previousUntil'],
  'operator-key.withdraw': ['role', 'withdrawnAt'],
} as const satisfies Readonly<Record<string, readonly string[] | HolderRow>>;

export type AuditOperation = keyof typeof OPERATIONS;

const ROWS = Object.entries(OPERATIONS) as [AuditOperation, readonly string[] | HolderRow][];
const hasHolder = (row: readonly string[] | HolderRow): row is HolderRow => !Array.isArray(row);

/** Whether a member is shown by itself: it is not the entry's subject, nor part of another member. */
const isShown = (member: string): boolean => member !== 'subject' && !member.includes('.');

/** The members that the log shows, by operation, in the order in which they are shown. */
export const AUDIT_OPERATIONS = Object.fromEntries(
  ROWS.map(([operation, row]) => {
    if (!hasHolder(row)) return [operation, row];
    const { names, also = [], shows } = row;
    return [operation, [...[...names, ...also].filter(isShown), ...shows]];
  }),
) as Readonly<Record<AuditOperation, readonly string[]>>;

/** The secrets among these members. Each is shown as `changed` if the named member of the row differs. */
export const SECRET_MEMBERS: Readonly<Record<string, string>> = { apiKey: 'apiKeyHash' };

/** The members that refer to holders. When a holder is erased, only these are emptied, and only in its entries. */
export interface HolderMembers {
  /** If one of them names the holder, the entry is the holder's. */
  by: readonly string[];
  also: readonly string[];
}

export const HOLDER_MEMBERS: { readonly [O in AuditOperation]?: HolderMembers } = Object.fromEntries(
  ROWS.flatMap(([operation, row]) =>
    hasHolder(row) ? [[operation, { by: [...row.names, ...(row.formerly ?? [])], also: row.also ?? [] }] as const] : [],
  ),
);
