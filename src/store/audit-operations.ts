// The audited operations: every write of an operator or a partner, the members of its subject that the audit log may show, and those that
// refer to a holder. Other members are never copied, so the log contains no secrets, plaintexts, tokens or e-mail addresses.

const ENTRY = ['live', 'etag'] as const;

/** Members by operation, in the order in which they are shown; nested ones with dots. */
export const AUDIT_OPERATIONS = {
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
  'issuance.issue': [
    ...['issuerDid', 'credentialId', 'schemaId', 'schemaVersion', 'holderId', 'storedId', 'expiresAt'],
    ...['revocationNonce', 'replaced'],
  ],
  'offer.create': [
    ...['issuerDid', 'credentialId', 'holderId', 'onDuplicate', 'credentialExpiresAt', 'txCode', 'expiresAt'],
  ],
  'offer.withdraw': ['credentialId', 'state', 'reason'],
  'issuance.revoke': ['credentialId', 'partnerId', 'revokedAt'],
  'revocation.start': ['filter', 'count', 'initialMatches', 'previewedAt', 'state'],
  'batch.create': ['issuerDid', 'credentialId', 'onDuplicate', 'dryRun', 'total', 'state'],
  'batch.retry': ['state'],
  'batch.cancel': ['state'],
  'package.store': ['holderId', 'schemaId', 'proofType', 'expiresAt', 'externalId', 'packageHash'],
  'package.delete': ['holderId', 'schemaId', 'proofType', 'expiresAt', 'externalId', 'packageHash'],
  'holder.create': ['did', 'publicKey'],
  'holder.key': ['did', 'publicKey'],
  'holder.name': ['partnerId'],
  'holder.reset-mfa': ['passkeyCount', 'hadKeyBackup'],
  'holder.erase': [],
  'audit.erase': ['entries'],
  'core-id.claim': ['holderId', 'name', 'chainId', 'jobId'],
  'core-id.record': ['id', 'name', 'node', 'status', 'chainId', 'imageUrl'],
  'chain-job.retry': ['kind', 'state'],
  'chain-job.give-up': ['kind', 'state', 'givenUp'],
  // Without the holder, which is removed from the record when it closes (contract §16): audit entries do not expire.
  'verification.start': ['programId', 'programVersion', 'wallet', 'expiresAt'],
  'verification.wallet-answer': ['programId', 'state', 'status', 'reason', 'credentialId'],
  'webhook.register': ['origin', 'types', 'description', 'state'],
  'webhook.rotate': ['origin', 'types', 'state', 'previousUntil'],
  'webhook.delete': ['origin', 'types', 'state'],
  'webhook.test': ['webhookId', 'state'],
  'webhook.redeliver': ['webhookId', 'state'],
  'operator-key.create': ['role'],
  'operator-key.rotate': ['role', 'previousUntil'],
  'operator-key.withdraw': ['role', 'withdrawnAt'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type AuditOperation = keyof typeof AUDIT_OPERATIONS;

/** The secrets among these members. Each is shown as `changed` if the named member of the row differs. */
export const SECRET_MEMBERS: Readonly<Record<string, string>> = { apiKey: 'apiKeyHash' };

/** Members of an entry, with dots where they are nested; `subject` is the entry's own. */
export interface HolderMembers {
  /** Members that contain a userId, DID or address. If one of them names a holder, the entry belongs to that holder. */
  by: readonly string[];
  /** Other members that identify the holder, such as names chosen by partners. */
  also?: readonly string[];
}

/** The members that refer to holders. When a holder is erased, only these are emptied, and only in its entries. */
export const HOLDER_MEMBERS: { readonly [O in AuditOperation]?: HolderMembers } = {
  'issuance.issue': { by: ['holderId'] },
  'revocation.start': { by: ['filter.userId', 'filter.holderDid'] },
  // In entries written by earlier versions.
  'verification.start': { by: ['holderId'] },
  'package.store': { by: ['holderId'], also: ['externalId'] },
  'package.delete': { by: ['holderId'], also: ['externalId'] },
  'holder.create': { by: ['subject'], also: ['did', 'publicKey'] },
  'holder.key': { by: ['subject'], also: ['did', 'publicKey'] },
  'holder.name': { by: ['subject'] },
  'holder.reset-mfa': { by: ['subject'] },
  'core-id.claim': { by: ['holderId'], also: ['subject', 'name'] },
  'core-id.record': { by: ['subject'], also: ['id', 'name', 'node', 'imageUrl'] },
};
