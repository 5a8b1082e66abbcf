// Values that fit the name of a member: ids of existing records, and texts of the right form. `‹name›` stands for a
// record of the world (hostile-world.ts) and is replaced when a request is sent, so that a seed always gives the same
// requests although ids differ.
import { SCHEMA } from '../support/membership.js';
import { NO_PROOF } from '../support/no-proof.js';

/** Ids of the records in the world of the generated tests, by name. */
export type Things = Readonly<Record<string, string>>;

const THING = /‹(\w+)›/g;

/** A text in which the names of records are replaced by their ids; unknown names stay. */
export const filled = (text: string, things: Things): string =>
  text.replace(THING, (whole, name: string) => things[name] ?? whole);

const DEVICE_KEY = '0x302a300506032b656e03210079df7d5dc98b63acb107a3e3fe66585f409a64ff622afdfca52e6567fb1a191b';
/** The public key of a CAK. */
export const CAK_KEY = '037774faf8174dae402becb5c1edfa75f58fe4b085e61101524e0b6156c18a7712';
const CONDITIONS = ['level >= 1', 'level = 3', 'level in (1, 2)', 'since > 2020-01-01'];
const CURSORS = ['‹storedId›', '‹eventId›', '‹cursor›'];

/** Values by the name of a member; for lists, these are the items. */
export const NOUNS: Readonly<Record<string, readonly unknown[]>> = {
  partnerId: ['‹partnerId›'],
  issuerDid: ['‹issuerDid›'],
  issuerDids: ['‹issuerDid›'],
  issuerId: ['club', 'club', 'hosted'],
  credentialId: ['member', 'sealed'],
  holding: ['member', 'sealed'],
  schemaId: [SCHEMA.$id],
  schemaVersion: [1],
  programId: ['levels'],
  verifierId: ['agency'],
  verifierIds: ['agency'],
  verifierDid: ['did:web:agency.example'],
  statusListId: ['club.1'],
  email: ['holder@example.org', '‹spareEmail›', 'new@example.org'],
  userId: ['‹userId›', '‹spareUserId›'],
  holderId: ['‹userId›'],
  holderDid: ['‹holderDid›'],
  did: ['‹holderDid›'],
  coreClaimHash: ['‹hash›', '‹otherHash›'],
  nonce: ['‹nonce›'],
  revocationNonce: ['‹nonce›'],
  jobId: ['‹jobId›', '‹revocationId›'],
  txHash: [`0x${'ab'.repeat(32)}`],
  coreId: ['1'],
  erasureId: ['‹erasureId›'],
  storedId: ['‹storedId›', '‹otherStoredId›'],
  loginId: ['‹loginId›'],
  code: ['‹code›', '000000'],
  partnerJwt: ['‹partnerJwt›'],
  token: ['‹revocationToken›', '‹partnerToken›'],
  webhookId: ['‹webhookId›'],
  nodeId: ['Credential:member', 'Issuer:club', 'Program:levels', 'Verifier:agency', `Schema:${SCHEMA.$id}`].map((id) =>
    Buffer.from(id).toString('base64'),
  ),
  deliveryId: ['‹deliveryId›'],
  eventId: ['‹eventId›'],
  verificationId: ['‹verificationId›', '‹otherVerificationId›'],
  credentialSubject: [{ level: 1, since: '2024-01-01' }],
  zkProof: [NO_PROOF],
  a: CONDITIONS,
  b: CONDITIONS,
  value: CONDITIONS,
  externalId: ['‹key›'],
  verificationConditions: CONDITIONS,
  jsonSchema: [SCHEMA],
  devicePublicKey: [DEVICE_KEY],
  publicKey: [CAK_KEY],
  cakPublicKey: [CAK_KEY],
  after: CURSORS,
  before: CURSORS,
  url: ['http://127.0.0.1:9/'],
  jwksUri: ['https://127.0.0.1:9/'],
  availableVcUrl: ['‹issuerUrl›/available'],
  issueVcUrl: ['‹issuerUrl›/issue'],
  subjectUrl: ['‹issuerUrl›/subject'],
  credentialUrl: ['‹issuerUrl›/credential'],
  redirectUrl: ['https://example.org/back'],
  types: ['revoked', 'stored', 'submitted', 'catalog_changed'],
  address: ['0x00000000000000000000000000000000000000aa'],
  firstDay: ['2024-01-01'],
  lastDay: ['2024-03-01'],
  source: ['http://127.0.0.1:9/'],
  q: ['member', 'club level'],
  query: ['member', 'club level'],
  version: ['‹programVersion›'],
  wait: [0, 1],
  method: ['eth_chainId', 'eth_accounts', 'eth_getBlockByNumber'],
  'x-partner-id': ['‹partnerId›'],
  'if-match': ['*', '"x"'],
  'if-none-match': ['*', 'W/"x"'],
  'last-event-id': ['‹eventId›'],
  'idempotency-key': ['‹key›', '‹key›', 'one'],
};

/** Which record an `id` names, by the path of the request; the first match counts. */
const IDS: readonly [RegExp, string][] = [
  [/\/webhooks\/deliveries\//, 'deliveryId'],
  [/\/webhooks\//, 'webhookId'],
  [/\/verifications\//, 'verificationId'],
  [/\/admin\/partners\//, 'partnerId'],
  [/\/erasures\//, 'erasureId'],
  [/\/programs\//, 'programId'],
  [/\/verifiers\//, 'verifierId'],
  [/\/schemas\//, 'schemaId'],
  [/\/issuers\//, 'issuerId'],
  [/\/(dstorage|holders)\//, 'storedId'],
  [/\/status-lists\//, 'statusListId'],
  [/\/core-ids\//, 'coreId'],
  [/\/credentials\//, 'credentialId'],
];

/** Names of members that need other values in some paths, by a pattern of the path. */
const ELSEWHERE: readonly [RegExp, Readonly<Record<string, string>>][] = [
  [/\/series$/, { from: 'firstDay', to: 'lastDay' }],
  [/\/mirrors$/, { from: 'source' }],
  [/\/schemas\//, { version: 'schemaVersion' }],
];

/** The key in NOUNS for a member of a request to a path. */
export function nounOf(name: string, path: string): string {
  if (name === 'id') return IDS.find(([pattern]) => pattern.test(path))?.[1] ?? name;
  return ELSEWHERE.find(([pattern, nouns]) => pattern.test(path) && nouns[name])?.[1][name] ?? name;
}

/** Valid bodies of operations whose example in the document shows only one form. */
export const MORE_BODIES: Readonly<Record<string, readonly object[]>> = {
  'POST /v1/auth/login': [
    { email: 'x', partnerId: 'x' },
    { address: 'x', partnerId: 'x' },
  ],
  'POST /v1/verifications': [{ programId: 'x' }],
  'POST /v1/verifications/{id}/answer': [{ cannot: true }, { declined: true }],
  'POST /v1/admin/holders/erase': [{ email: 'x' }, { did: 'x' }],
  'POST /v1/admin/revoke': [{ coreClaimHash: 'x' }],
  'POST /v1/why': [{ operation: 'issueOnBehalf', partnerId: 'x', credentialId: 'x', userId: 'x' }],
};
