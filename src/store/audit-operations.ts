// The audited operations: every write of an operator or a partner, and the members of its subject that the audit log may show. What is not
// listed is never copied: no secret, no plaintext, no token, no e-mail address.

const ENTRY = ['live', 'etag'] as const;

/** Members by operation, in the order in which they are shown. */
export const AUDIT_OPERATIONS = {
  'partner.put': [
    ...['name', 'jwksUri', 'jwks', 'scopes', 'issuerDids', 'issueOnBehalf', 'verifierIds', 'allowedOrigins'],
    ...['requireTyp', 'requireScope', 'gasPolicy', ...ENTRY],
  ],
  'partner.retire': ['name', ...ENTRY],
  'issuer.put': ['name', 'issuerDid', 'managed', 'issuerFrom', 'availableVcUrl', 'issueVcUrl', 'zkKeys', ...ENTRY],
  'issuer.retire': ['name', ...ENTRY],
  'verifier.put': ['name', 'verifierDid', ...ENTRY],
  'verifier.retire': ['name', ...ENTRY],
  'schema.put': ['title', 'description', 'dataPoints', 'version', 'contentHash', ...ENTRY],
  'schema.retire': ['title', ...ENTRY],
  'credential.put': [
    ...['name', 'category', 'issuerId', 'schemaId', 'schemaVersion', 'accessibleStart', 'accessibleEnd'],
    ...['expirationDuration', 'maximumIssuance', 'provable', 'cak', ...ENTRY],
  ],
  'credential.retire': ['name', ...ENTRY],
  'program.put': ['name', 'description', 'verifierId', 'acceptedCredentials', 'pricingModel', ...ENTRY],
  'program.retire': ['name', ...ENTRY],
  'issuance.issue': [
    ...['issuerDid', 'credentialId', 'schemaId', 'schemaVersion', 'holderId', 'storedId', 'expiresAt'],
    ...['revocationNonce', 'replaced'],
  ],
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
  'holder.erase': [],
  'audit.erase': ['entries'],
  'core-id.claim': ['holderId', 'name', 'chainId', 'jobId'],
  'core-id.record': ['id', 'name', 'node', 'status', 'chainId'],
  'chain-job.retry': ['kind', 'state'],
  'chain-job.give-up': ['kind', 'state', 'givenUp'],
  // Not the holder: the record forgets it when it closes (contract §16), and entries do not expire.
  'verification.start': ['programId', 'programVersion', 'expiresAt'],
  'webhook.register': ['origin', 'types', 'state'],
  'webhook.rotate': ['origin', 'types', 'state', 'previousUntil'],
  'webhook.delete': ['origin', 'types', 'state'],
  'webhook.test': ['webhookId', 'state'],
  'webhook.redeliver': ['webhookId', 'state'],
  'operator-key.create': ['role'],
  'operator-key.rotate': ['role', 'previousUntil'],
  'operator-key.withdraw': ['role', 'withdrawnAt'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type AuditOperation = keyof typeof AUDIT_OPERATIONS;
