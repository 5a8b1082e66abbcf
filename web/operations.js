// Operations of every main flow, for GraphiQL. Those of the catalog and of conditions run at once; others name what they need.

/** Who can run an operation; `partner` and so on is the kind of token that it needs. */
export const CALLERS = { anyone: 'anyone', partner: 'a partner', holder: 'a holder', operator: 'the operator' };

/** What to choose in "Calls as" for an operation, and where its token comes from. */
const TOKENS = {
  anyone: '',
  partner: `# Calls as a partner: paste the token of the second command; the first is for once.
#   npm run cli -- partner create --name Me --issuer civic-registry --scope issue verify
#   npm run cli -- partner token --scope "issue verify"
`,
  holder: '# Calls as a holder: paste result.token of "log in with the code".\n',
  operator: '# Calls as the operator: paste the key; a sandbox writes it to operator.key in its data folder.\n',
};

/** @param paste which variables to fill in, and where their values come from; nothing: it runs as it is */
const operation = (group, title, caller, query, variables, paste = '') => ({
  group,
  title,
  caller,
  query: `# ${group}: ${title} (${CALLERS[caller]})\n${TOKENS[caller]}${paste && `# Paste: ${paste}\n`}${query.trim()}\n`,
  variables: variables === undefined ? '' : JSON.stringify(variables, null, 2),
});

export const OPERATIONS = [
  operation(
    'Catalog',
    'credentials with issuer, schema and programs',
    'anyone',
    `
query Credentials($first: Int = 3) {
  credentials(first: $first, orderBy: { field: POPULARITY }) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes {
      credentialId
      name
      category
      issuer { name issuerDid }
      schema { title dataPoints { name type isRequired } }
      traction { holderCount issuanceCount verificationCount demandCount }
      programs(first: 2) { totalCount nodes { name verifier { name } } }
    }
  }
}`,
  ),
  operation(
    'Catalog',
    'a filtered list, page by page',
    'anyone',
    `
query Page($category: String!, $after: String) {
  credentials(first: 5, after: $after, where: { category: { eq: $category } }, orderBy: { field: NAME }) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes { credentialId name issuer { name } }
  }
}`,
    { category: 'KYC', after: null },
  ),
  operation(
    'Catalog',
    'search',
    'anyone',
    `
query Search($text: String!) {
  search(query: $text, first: 3) {
    totalResults
    credentials { total items { relevance credential { credentialId name issuer { name } } } }
    issuers { total items { relevance issuer { issuerId name } } }
    programs { total items { relevance program { programId name } } }
  }
}`,
    { text: 'univrsity' },
  ),
  operation(
    'Catalog',
    'a program and what it accepts',
    'anyone',
    `
query Program($programId: String!) {
  program(programId: $programId) {
    name
    verifier { name verifierDid }
    traction { verificationCount verifiedHolderCount }
    acceptedCredentials {
      credential { credentialId name issuer { name } }
      verificationConditions
      conditions { field operator values }
    }
  }
}`,
    { programId: 'exchange-countries' },
  ),
  operation(
    'Catalog',
    'listen to changes',
    'anyone',
    `
subscription CatalogChanges($after: ID) {
  catalogChanged(after: $after) { id type at changes { kind entryId node { id } } }
}`,
    { after: null },
  ),
  operation(
    'Catalog',
    'listen to the counts of a credential',
    'anyone',
    `
subscription Traction($credentialId: String!) {
  tractionChanged(credentialId: $credentialId) { id at credential { name traction { holderCount issuanceCount } } }
}`,
    { credentialId: 'age-over-18-civic' },
  ),
  operation(
    'Catalog',
    'write a verifier',
    'operator',
    `
mutation PutVerifier($input: PutVerifierInput!) {
  putVerifier(input: $input) { result etag verifier { verifierId name } }
}`,
    { input: { verifierId: 'harbour', name: 'Harbour Office', verifierDid: 'did:web:harbour.example' } },
  ),
  operation(
    'Login',
    'who am I?',
    'anyone',
    `
query WhoAmI {
  whoAmI { kind partnerId holderId scopes expiresAt }
}`,
  ),
  operation(
    'Login',
    'mail a code',
    'anyone',
    `
mutation Login($input: LoginInput!) {
  login(input: $input) { loginId }
}`,
    { input: { email: 'ada@example.org', partnerId: '' } },
    'partnerId, of `npm run cli -- partner list`; then `npm run cli -- mailbox ada@example.org` prints the code',
  ),
  operation(
    'Login',
    'log in with the code',
    'anyone',
    `
mutation VerifyLogin($input: VerifyLoginInput!) {
  verifyLogin(input: $input) { result { isLoggedIn id token } }
}`,
    { input: { loginId: '', code: '' } },
    'loginId of "mail a code", and the code of six digits',
  ),
  operation(
    'Login',
    "the holder's own details",
    'holder',
    `
query Me {
  me { partnerId coreId { name status } user { id email abstractAccountAddress } }
}`,
  ),
  operation(
    'Login',
    'listen to sessions',
    'holder',
    `
subscription Sessions($after: ID) {
  sdkEvents(after: $after) { __typename }
}`,
    { after: null },
  ),
  operation(
    'Issuance',
    'resolve the recipient',
    'partner',
    `
mutation InitializeUser($input: InitializeUserInput!) {
  initializeUser(input: $input) { recipient { userId did publicKey status } }
}`,
    { input: { email: 'ada@example.org' } },
  ),
  operation(
    'Issuance',
    'issue on behalf of a managed issuer',
    'partner',
    `
mutation Issue($input: IssueOnBehalfInput!) {
  issueOnBehalf(input: $input) { issuance { coreClaimHash credentialId userUuid } }
}`,
    {
      input: {
        issuerDid: '',
        credentialId: 'age-over-18-civic',
        email: 'ada@example.org',
        credentialSubject: { birthDate: '1990-12-10', ageYears: 35 },
        idempotencyKey: 'first',
      },
    },
    'issuerDid, which `partner create` prints after "issues for"',
  ),
  operation(
    'Issuance',
    'what the partner issued',
    'partner',
    `
query Issuances($after: String) {
  issuances(first: 10, after: $after) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes { coreClaimHash credentialId vcStatus createdAt revokedAt }
  }
}`,
    { after: null },
  ),
  operation(
    'Issuance',
    'status of a claim',
    'anyone',
    `
query Status($coreClaimHash: String!) {
  credentialStatus(coreClaimHash: $coreClaimHash) { vcStatus issuanceDate expirationDate issuerDid anchor { transactionHash } }
}`,
    { coreClaimHash: '0'.repeat(64) },
    'coreClaimHash of "what the partner issued"',
  ),
  operation(
    'Issuance',
    'revoke',
    'partner',
    `
mutation Revoke($input: RevokeCredentialInput!) {
  revokeCredential(input: $input) { revokedAt }
}`,
    { input: { coreClaimHash: '0'.repeat(64) } },
    'coreClaimHash of "what the partner issued"',
  ),
  operation(
    'Issuance',
    'listen to issuances',
    'partner',
    `
subscription Issuances($after: ID) {
  issuanceEvents(after: $after) { id type at coreClaimHash credential { name issuer { name } } }
}`,
    { after: null },
  ),
  operation(
    'Issuance',
    'listen to the status of a claim',
    'anyone',
    `
subscription StatusOf($coreClaimHash: String!) {
  credentialStatusChanged(coreClaimHash: $coreClaimHash) { id type at status { vcStatus } }
}`,
    { coreClaimHash: '0'.repeat(64) },
    'coreClaimHash of "what the partner issued"',
  ),
  operation(
    'Issuance',
    'listen to a batch',
    'partner',
    `
subscription Batch($jobId: String!) {
  batchProgress(jobId: $jobId) { id type state total done failed }
}`,
    { jobId: '' },
    'jobId of `issueOnBehalfBatch`, or of `npm run cli -- batch list`',
  ),
  operation(
    'Verification',
    'can these credentials meet a program?',
    'anyone',
    `
query Plan($programId: String!, $holding: [String!]) {
  verificationPlan(programId: $programId, holding: $holding) { result credentials { credentialId state obtainable } }
}`,
    { programId: 'tenant-identity', holding: ['national-id'] },
  ),
  operation(
    'Verification',
    'what a program asks, for those who check proofs',
    'anyone',
    `
query ProofRequest($programId: String!) {
  proofRequest(programId: $programId) { programVersion now accepted { credentialId issuerDid conditions } }
}`,
    { programId: 'festival-entry' },
  ),
  operation(
    'Verification',
    'conditions in another language',
    'anyone',
    `
query Convert($input: ConvertConditionsInput!) {
  convertConditions(input: $input) { value }
}`,
    { input: { from: 'TEXT', to: 'IDEN3', value: ['level >= 2'] } },
  ),
  operation(
    'Verification',
    'compare conditions',
    'anyone',
    `
query Compare($input: CompareConditionsInput!) {
  compareConditions(input: $input) { equivalent aImpliesB bImpliesA disjoint }
}`,
    { input: { a: ['level >= 3'], b: ['level >= 2'], schemaId: 'kyc-basic' } },
  ),
  operation(
    'Verification',
    'start',
    'partner',
    `
mutation Start($input: StartVerificationInput!) {
  startVerification(input: $input) { isNew verification { verificationId state result { status } expiresAt } }
}`,
    { input: { programId: 'festival-entry' } },
  ),
  operation(
    'Verification',
    'what the holder is asked',
    'holder',
    `
query Request($verificationId: String!) {
  verificationRequest(verificationId: $verificationId) {
    challenge
    program { name verifierName verifierDid }
    accepted { credentialId conditions }
    candidates { credentialId coreClaimHash vcStatus provable why }
  }
}`,
    { verificationId: '' },
    'verificationId of "start"',
  ),
  operation(
    'Verification',
    'results',
    'partner',
    `
query Verifications($programId: String) {
  verifications(first: 10, programId: $programId) {
    nodes { verificationId programId state result { status } reason nullifier createdAt decidedAt }
  }
}`,
    { programId: null },
  ),
  operation(
    'Verification',
    'listen to results',
    'partner',
    `
subscription Results($after: ID) {
  verificationEvents(after: $after) { id type at verificationId programId status reason }
}`,
    { after: null },
  ),
  operation(
    'Webhooks',
    'register an endpoint',
    'partner',
    `
mutation RegisterWebhook($input: RegisterWebhookInput!) {
  registerWebhook(input: $input) { secret webhook { webhookId url types state } }
}`,
    { input: { url: 'http://127.0.0.1:4100/', types: ['stored', 'revoked'] } },
    'url of your endpoint; this one is what `node examples/receive-webhooks.mjs` serves in a sandbox',
  ),
  operation(
    'Webhooks',
    'endpoints and their health',
    'partner',
    `
query Webhooks {
  webhooks { webhookId url types state health { status pending dead } }
}`,
  ),
  operation(
    'Operation',
    'the audit log',
    'operator',
    `
query Audit {
  auditEntries(first: 10) { totalCount nodes { seq at actor operation subject outcome hash } }
}`,
  ),
  operation(
    'Operation',
    'the chain',
    'anyone',
    `
query Chain {
  chain { configured chainId blockNumber contracts { anchorRegistry coreId accountFactory entryPoint } }
}`,
  ),
];
